"""How much of a cost is the model's, given that some changed texts may have lost their answer.

Changed texts of each transformation were read. Where all of 100 kept their right answer, up to 3.6
of 100 may not: a model that answers those anew is right, and counts as wrong. If each such text
were among the broken ones, so much of the cost would be the change's own, and the rest is the
model's.

**Misleads when** the data are of another kind than what was read: reviews and news, but for the
changes of single tasks. Only costs that are means over items of English texts have a reading.
"""

from typing import Final

from scrutiny.core.boundary.printable import hundred
from scrutiny.core.claim import Finding, Risk
from scrutiny.stats.intervals.share_limits import exact_limits

_TAIL: Final = 0.025


def most_unfit(risk: Risk) -> float:
    """Upper limit of the share of changed texts that have lost their answer; all if none was read.

    Examples
    --------
    >>> round(most_unfit(Risk("typos", 0.02, "costs {} points", read=100, fit=100)), 3)
    0.036
    """
    if not risk.read:
        return 1.0
    return float(exact_limits(1.0 - risk.fit / risk.read, risk.read, tail=_TAIL)[1])


def models_part(finding: Finding) -> float | None:
    """Least part of a cost over all items that is the model's; None where no text was read.

    Parameters
    ----------
    finding
        Of a risk that a change hurts; its cost is a share of all items, its touched texts counted.
    """
    risk, found, touched = finding.claim.risk, finding.estimate, finding.touched
    if risk is None or not risk.read or touched is None or found is None or found.value is None:
        return None
    share = 1.0 if found.key.group == "changed" else touched.share
    return max(0.0, abs(found.value) - most_unfit(risk) * share)


def part_in_words(finding: Finding) -> str:
    """How much of a cost is the model's, and why; empty where it does not hurt or none was read.

    Such as "At least 0.4 of the 4.0 points are the model's: of 100 such texts that were read 100
    kept their right answer, so at most 3.6 % may not."
    """
    risk, own = finding.claim.risk, models_part(finding)
    if finding.verdict != "hurts" or own is None or risk is None or finding.estimate is None:
        return ""
    read = (
        f"of {risk.read} such texts that were read {risk.fit} kept their right answer, so at most "
        f"{hundred(most_unfit(risk))} % may not"
    )
    if own == 0.0:
        return f"Texts that lost their answer could explain it ({read}): read the cases."
    cost = hundred(abs(finding.estimate.value or 0.0))
    unit = "%" if "%" in risk.costs else "points"
    return f"At least {hundred(own)} of the {cost} {unit} are the model's: {read}."
