"""Gates before a verdict: skill, units, replicates, missing values."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from scrutiny.core.claim import NO_PROBABILITIES, NO_SKILL, Claim, Touched
from scrutiny.core.estimate import Estimate
from scrutiny.core.shares import percent, percent_within
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.intervals import AS_PUBLISHED
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.of_measures import measures_of
from scrutiny.reliability.verdicts.cases import Part, is_on_one_unit
from scrutiny.stats.intervals.multibootstrap import FEW_SEEDS

#: Clusters (terms, words, documents) below this number carry no claim about others like them.
FEWEST_UNITS: Final = 5
_VARIETY: Final = "label_entropy@"  # statistic of how varied a model's answers are
#: Reason where a claim presupposes a skill that no diagnostic of the run estimated.
SKILL_NOT_COMPUTED: Final = "the estimate that shows skill was not computed"


def gate(
    claim: Claim,
    parts: Sequence[Part],
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


def _not_asked(claim: Claim, parts: Sequence[Part]) -> tuple[str, str] | None:
    """Verdict on a claim that was refused, or that reads probabilities of a model without any."""
    if claim.refused:
        return "refused", claim.refused
    reads = claim.risk is not None and claim.risk.reads_probabilities
    if reads and any(
        part.found.estimate.value is None and part.found.estimate.counts.undefined > 0
        for part in parts
    ):
        return "refused", NO_PROBABILITIES
    return None


def _without_value(claim: Claim, parts: Sequence[Part]) -> tuple[str, str] | None:
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
    few = next((part.found for part in parts if _has_few_units(part.found)), None)
    if few is not None:
        return "undecided", (
            f"{few.estimate.n_units} units of resampling are no sample of a population; "
            f"{FEWEST_UNITS} are the fewest"
        )
    return _too_few(parts)


def _without_skill(claim: Claim, estimated: Mapping[str, Estimated]) -> tuple[str, str] | None:
    """Verdict if a presupposed skill is missing or was not measured; else None."""
    alike, lacking = "", ""
    for name, chance in claim.competence:
        if name not in estimated:
            return ("no skill", lacking) if lacking else ("undecided", SKILL_NOT_COMPUTED)
        if _exceeds(estimated[name], chance):
            continue
        if estimated[name].estimate.key.metric.startswith(_VARIETY):
            alike = _answers_alike(estimated[name], chance)
        else:
            lacking = lacking or no_skill(estimated[name].estimate, chance, claim.no_skill)
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


def _has_few_units(part: Estimated) -> bool:
    """Whether there are too few clusters to generalize."""
    found = part.estimate
    return 0 < found.n_units < FEWEST_UNITS and found.n_units < found.counts.n


def _too_few(parts: Sequence[Part]) -> tuple[str, str] | None:
    """Verdict if some estimate has too few replicates for its method; else None."""
    for found in (part.found.estimate for part in parts):
        if found.method.startswith(AS_PUBLISHED) and 1 < found.n_replicates < FEW_SEEDS:
            return "undecided", (
                f"the Multi-Bootstrap covers too little with {found.n_replicates} replicates; it "
                f"decides alone from {FEW_SEEDS} on, the crossed method before"
            )
    return None


def _exceeds(skill: Estimated, chance: float) -> bool:
    """Whether the interval of a score lies above the score without skill.

    With two replicates the items alone are asked: a t with one degree of freedom would call any
    model unskilled.
    """
    if skill.estimate.low is None or skill.resampled is None:
        return False
    if skill.estimate.n_replicates != 2:
        return skill.estimate.low > chance
    draws = skill.resampled.defined_draws.mean(axis=1)
    return bool(np.quantile(draws, (1 - skill.estimate.level) / 2) > chance)


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
