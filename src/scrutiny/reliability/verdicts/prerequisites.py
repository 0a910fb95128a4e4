"""What comes before a verdict: skill, units, replicates, missing values, texts that were touched.

A cost is taken over all items, and a change costs nothing where it alters nothing: one that alters
a hundredth of the texts costs a hundredth at most, whatever the model does with them. So such a
number *holds* for any model, and says nothing of this one. A risk therefore holds only where its
limits say something of the texts that were touched, too: that the change breaks at most half of
them. Where they leave that open, it is not tested, or hurts if it is shown to cost something. What
it costs over all items, divided by the share of items touched, is what it costs over those alone.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from scrutiny.core.boundary.printable import hundred, percent, percent_within, whole_percent
from scrutiny.core.claim import NO_SKILL, Claim, Risk, State, Touched
from scrutiny.core.estimate import Estimate
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.intervals import AS_PUBLISHED, FEW_SEEDS
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.statistics import measures_of
from scrutiny.reliability.verdicts.limits import ClaimPart, is_on_one_unit

#: Clusters (terms, words, documents) below this number carry no claim about others like them.
FEWEST_UNITS: Final = 5
_VARIETY: Final = "label_entropy@"  # statistic of how varied a model's answers are
#: Reason where a claim presupposes a skill that no diagnostic of the run estimated.
SKILL_NOT_COMPUTED: Final = "the estimate that shows skill was not computed"


def gate(
    claim: Claim,
    parts: Sequence[ClaimPart],
    estimated: Mapping[str, Estimated],
    touched: Touched | None = None,
) -> tuple[str, str] | None:
    """Verdict set by a gate, with its reason; None if the limits decide.

    A change that altered no text has changed no answer either, and an attack without candidates
    has fooled nobody: their risk is not tested, whatever the limits are.

    A model whose output is constant scores what its one label gets, so it never exceeds the score
    of the commonest label and is refused by the competence gate. Where the claim asks for varied
    answers as well, the reason says so first.
    """
    asked = _not_asked(claim, parts) or _without_skill(claim, estimated)
    if asked is not None:
        return asked
    if touched is not None and not touched.items and claim.risk is not None:
        return "not tested", touched.says(claim.risk.touches)
    return _without_value(claim, parts)


def _not_asked(claim: Claim, parts: Sequence[ClaimPart]) -> tuple[str, str] | None:
    """Verdict on a claim that was refused, or that reads probabilities of a model without any."""
    if claim.refused:
        return "refused", claim.refused
    lacks = "" if claim.risk is None else claim.risk.without_scores
    if lacks and any(
        part.found.estimate.value is None and part.found.estimate.counts.undefined > 0
        for part in parts
    ):
        return "refused", lacks
    return None


def _without_value(claim: Claim, parts: Sequence[ClaimPart]) -> tuple[str, str] | None:
    """Verdict if a comparison lacks its value, or units or replicates for limits; else None."""
    there = [part.component for part in parts]
    asked = claim.components[:1] if claim.risk else claim.components
    lacking = next((c for c in asked if c not in there), None)
    if lacking is not None:
        return "undecided", f"a comparison was not run: {lacking.against}"
    if any(is_on_one_unit(part.found) and part.limits is None for part in parts):
        return "undecided", "one item, or group of items, says nothing of others: add more"
    if all(part.found.interval is None for part in parts):
        why = parts[0].found.estimate.reason or "undefined"
        return "undecided", f"no value: {why.replace('_', ' ')}"
    for found in (part.found.estimate for part in parts):  # too few clusters to generalize
        if 0 < found.n_units < min(FEWEST_UNITS, found.counts.n):
            return "undecided", (
                f"{found.n_units} units of resampling are no sample of a population; "
                f"{FEWEST_UNITS} are the fewest"
            )
    for found in (part.found.estimate for part in parts):  # too few replicates for their method
        if found.method.startswith(AS_PUBLISHED) and 1 < found.n_replicates < FEW_SEEDS:
            return "undecided", (
                f"the Multi-Bootstrap covers too little with {found.n_replicates} replicates; it "
                f"decides alone from {FEW_SEEDS} on, the crossed method before"
            )
    return None


def _without_skill(claim: Claim, estimated: Mapping[str, Estimated]) -> tuple[str, str] | None:
    """Verdict if a presupposed skill is missing or was not measured; else None."""
    alike, lacking = "", ""
    for name, chance in claim.competence:
        if name not in estimated:
            return ("no skill", lacking) if lacking else ("undecided", SKILL_NOT_COMPUTED)
        # Whether the interval of a score lies above the score without skill. With two replicates
        # the items alone are asked: a t with one degree of freedom would call any model unskilled.
        skill, least = estimated[name], estimated[name].estimate.low
        if least is not None and skill.resampled is not None:
            if skill.estimate.n_replicates == 2:
                draws = skill.resampled.defined_draws.mean(axis=1)
                least = float(np.quantile(draws, (1 - skill.estimate.level) / 2))
            if least > chance:
                continue
        if skill.estimate.key.metric.startswith(_VARIETY):
            alike = _answers_alike(skill, chance)
        else:
            lacking = lacking or no_skill(skill.estimate, chance, claim.no_skill)
    reason = "; ".join(part for part in (alike, lacking) if part)
    return ("no skill", reason) if reason else None


def _answers_alike(variety: Estimated, least: float) -> str:
    """Reason: the model's answers hardly depend on its input."""
    found = variety.estimate
    if found.value is None:
        return f"{NO_SKILL}: it is not known whether {found.key.subject} varies its answers"
    if found.value == 0.0:
        return (
            f"{found.key.subject} gives the same answer to every input: one label for all "
            f"{found.counts.n:,} items"
        )
    return (
        f"{found.key.subject} gives nearly the same answer to every input: the entropy of its "
        f"labels, {bounds(found)} bits, is not shown to exceed {least:.3g}"
    )


def no_skill(found: Estimate, chance: float, of: str) -> str:
    """Reason: a score does not exceed what a model without any skill gets.

    It says of how many items the score is: an attack has fewer than the first line of a report.

    Parameters
    ----------
    found
        The score, with the limits that decide.
    chance
        Score of a model without skill.
    of
        Who gets it, in words ("always answering 'spam'"); empty where there are none.
    """
    metric = metric_of(found.key.metric, measures_of(found.key.diagnostic))
    is_share = metric.scale == "logit"
    least = f"the {percent(chance) if is_share else f'{chance:.3g}'} of "
    least += of or "a model without any"
    if found.value is None:
        return f"{NO_SKILL}: there is no score to exceed {least}"
    within = percent_within(found.value, found.low, found.high) if is_share else bounds(found)
    on = f"on {found.counts.n:,} item{'s' * (found.counts.n != 1)}"
    return f"{NO_SKILL}: {metric.says} {within} {on} is not shown to exceed {least}"


def bounds(found: Estimate) -> str:
    """Value and interval as the reason of a verdict says them."""
    if found.value is None:
        return "no value"
    if found.low is None or found.high is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


#: Largest cost over the touched texts alone of a risk that holds: a change that breaks more than
#: every second text that it touches would have been seen.
MOST_PER_TOUCHED: Final = 0.5
#: Share of items from which on the touched ones are as good as all.
_AS_GOOD_AS_ALL: Final = 0.995


def touched_of(claim: Claim, estimated: Mapping[str, Estimated]) -> Touched | None:
    """Items that a claim's change touched, a mean over its draws; None where nobody counted.

    Parameters
    ----------
    claim
        The claim; `Claim.coverage` names the estimates that count.
    estimated
        Estimates by identifier.
    """
    counted = [estimated[name].estimate for name in claim.coverage if name in estimated]
    known = [(one.value, one.divided_by) for one in counted if one.value is not None]
    if not known or len(known) < len(claim.coverage):
        return None
    of = sum(count for _, count in known) / len(known)
    items = sum(share * count for share, count in known) / len(known)
    return Touched(max(round(items), int(items > 0)), round(of))


def share_in_words(touched: Touched) -> str:
    """Share of items that were touched, in whole percent.

    Examples
    --------
    >>> [share_in_words(Touched(n, 900)) for n in (0, 1, 505, 899, 900)]
    ['0 %', '<1 %', '56 %', '99 %', '100 %']
    """
    return whole_percent(touched.share)


def share_of(touched: Touched, part: ClaimPart) -> float:
    """Share of the items of a number that were touched: all, if it is over the touched ones."""
    return 1.0 if part.found.estimate.key.group == "changed" else touched.share


def state_over_touched(share: float, cost: tuple[float, float], risk: Risk) -> State:
    """State of a risk that is tolerable over all items, given the texts that were touched.

    Parameters
    ----------
    share
        Share of the items that were touched.
    cost
        Limits of the cost over all items, low and high.
    risk
        Cost that is as good as none.

    Examples
    --------
    Limits of .7 points above nothing tell of 45 changed texts of 900, not of nine:

    >>> typos = Risk("typos", 0.02, "costs {} points")
    >>> [state_over_touched(n / 900, (-0.007, 0.007), typos) for n in (0, 9, 18, 45, 900)]
    ['not tested', 'not tested', 'holds', 'holds', 'holds']

    Most of 1,900 changed texts of 100,000 broke:

    >>> state_over_touched(0.019, (0.018, 0.02), typos)
    'hurts'
    """
    least, most = cost
    if share > 0.0 and most <= MOST_PER_TOUCHED * share:
        return "holds"
    return "hurts" if least > risk.negligible else "not tested"


def too_few_touched(touched: Touched, risk: Risk) -> str:
    """Reason of a risk that is not tested: which texts there would have to be."""
    said = touched.says(risk.touches)
    if not touched.items:
        return said
    return (
        f"{said}: over all of them that can cost little, and they are too few to say whether it "
        "breaks most of those that it touches"
    )


def over_touched(
    touched: Touched, share: float, cost: tuple[float, float, float], state: State, risk: Risk
) -> str:
    """Cost over the touched texts alone, in words; empty where these are all.

    Parameters
    ----------
    touched
        How many were touched.
    share
        Share of the items of the number that were.
    cost
        The cost over all items: value, low and high.
    state
        What was found; a risk that holds is told by its upper limit.
    risk
        What it costs, in words.

    Examples
    --------
    >>> typos = Risk("typos", 0.02, "costs {} points")
    >>> over_touched(Touched(45, 900), 0.05, (0.0, -0.007, 0.007), "holds", typos)
    'changed 45 of 900 texts, and costs at most 14.0 points over these alone'
    """
    if touched.share >= _AS_GOOD_AS_ALL or not touched.items:
        return ""
    said = touched.says(risk.touches)
    if share == 1.0:
        return said
    return f"{said}, and {costing(risk, figures_over(share, cost, state))} over these alone"


def figures_over(share: float, cost: tuple[float, float, float], state: State) -> str:
    """Cost over a share of the items alone, in figures, as what was found of it is told.

    Examples
    --------
    >>> cost = (0.01, 0.005, 0.015)
    >>> [figures_over(0.1, cost, state) for state in ("hurts", "can't tell", "holds")]
    ['10.0 [5.0, 15.0]', 'between 5.0 and 15.0', 'at most 15.0']
    """
    return figures([max(-1.0, min(1.0, one / share)) for one in cost], state)


def figures(cost: Sequence[float], state: str) -> str:
    """Value, low and high of a cost times 100, as what was found of it is told."""
    value, low, high = map(hundred, cost)
    if state == "can't tell":
        return f"between {low} and {high}"
    return f"at most {high}" if state == "holds" else f"{value} [{low}, {high}]"


def costing(risk: Risk, told: str) -> str:
    """Cost in words with its figures; limits in brackets stand behind the words."""
    value, bracket, limits = told.partition(" [")
    return f"{risk.costs.format(value)}{bracket}{limits}"
