"""Texts that a change touched: whether its risk was tested at all, and its cost over those alone.

A cost is taken over all items, and a change costs nothing where it alters nothing: one that alters
a hundredth of the texts costs a hundredth at most, whatever the model does with them. So such a
number *holds* for any model, and says nothing of this one. A risk therefore holds only where its
limits say something of the texts that were touched, too: that the change breaks at most half of
them. Where they leave that open, it is not tested, or hurts if it is shown to cost something. What
it costs over all items, divided by the share of items touched, is what it costs over those alone.
"""

from collections.abc import Mapping
from typing import Final

from scrutiny.core.claim import Claim, Risk, State, Touched
from scrutiny.core.shares import hundred, whole_percent
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.verdicts.cases import Part

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


def share_of(touched: Touched, part: Part) -> float:
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
    figures, _, limits = figures_over(share, cost, state).partition(" [")
    limits = f" [{limits}" if limits else ""
    return f"{said}, and {risk.costs.format(figures)}{limits} over these alone"


def figures_over(share: float, cost: tuple[float, float, float], state: State) -> str:
    """Cost over a share of the items alone, in figures, as what was found of it is told.

    Examples
    --------
    >>> cost = (0.01, 0.005, 0.015)
    >>> [figures_over(0.1, cost, state) for state in ("hurts", "can't tell", "holds")]
    ['10.0 [5.0, 15.0]', 'between 5.0 and 15.0', 'at most 15.0']
    """
    value, low, high = (hundred(max(-1.0, min(1.0, one / share))) for one in cost)
    if state == "can't tell":
        return f"between {low} and {high}"
    return f"at most {high}" if state == "holds" else f"{value} [{low}, {high}]"
