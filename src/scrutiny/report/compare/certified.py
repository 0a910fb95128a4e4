"""A/A certificates in words: false alarms, the loss that is found, and what would decide."""

from collections.abc import Iterator, Sequence
from math import ceil

from scrutiny.blocks.numbers import number
from scrutiny.core.boundary.printable import hundred, percent
from scrutiny.core.boundary.printable import points as margin_of
from scrutiny.run.comparing.certificate import Certificate, together
from scrutiny.run.comparing.comparison_results import Level, SideBySide
from scrutiny.run.comparing.planned_power import MOST_ITEMS


def certified(whole: SideBySide, margin: float | None) -> Iterator[str]:
    """Sentences on what the rule says of an unchanged system, and what decides an undecided one.

    Parameters
    ----------
    whole
        The comparison; nothing is said without a margin.
    margin
        Largest loss that does not matter.
    """
    levels = [level for level in whole.judged if level.certificates]
    if margin is None or not levels:
        return
    if len(levels) == 1:
        yield from (said for _, said in certificate_facts(levels[0], margin))
        return
    most = max(together(several) for several in _alike(levels))
    yield (
        f"The {len(levels)} scores together call an unchanged system worse in at most "
        f"{_of_thousand(most)} of 1,000 runs; which loss of each is found stands below."
    )


def _alike(levels: list[Level]) -> Iterator[list[Certificate]]:
    """Certificates of all levels under each supposition."""
    for k in range(max(len(level.certificates) for level in levels)):
        yield [level.certificates[min(k, len(level.certificates) - 1)] for level in levels]


def certificate_facts(level: Level, margin: float) -> Iterator[tuple[str, str]]:
    """Certificate of one level as facts with their names, and what would decide it.

    Parameters
    ----------
    level
        Of the comparison; one without a certificate has no facts.
    margin
        Largest loss that does not matter.
    """
    if not level.certificates:
        return
    is_share = level.flips is not None
    yield "certificate", certificate_words(level.certificates, is_share=is_share)
    if level.needed is not None:
        yield "would decide", _needed(level, margin)


def certificate_words(certificates: Sequence[Certificate], *, is_share: bool) -> str:
    """Certificate as a sentence; where the noise floor is not known, of two that are supposed.

    Parameters
    ----------
    certificates
        One, or that without noise and that with some.
    is_share
        Whether the score is a share, whose losses are points.
    """
    first, *others = certificates
    alarms, finds = _of_thousand(first.at_most), _finds(first.finds, is_share=is_share)
    worse = "calls an unchanged system worse in at most"
    if first.is_known:
        ends = _ends(first, is_share=is_share)
        return f"C{worse[1:]} {alarms} of 1,000 runs; finds {finds} in 80 of 100{ends}."
    said = f"The noise floor is not known. Without noise this {worse} {alarms} of 1,000 runs, "
    said += f"and finds {finds} in 80 of 100"
    for other in others:
        said += f"; if {percent(other.noise)} of the items flip by chance, at most "
        said += (
            f"{_of_thousand(other.at_most)} of 1,000, and {_finds(other.finds, is_share=is_share)}"
        )
    return f"{said}{_ends(first, is_share=is_share)}."


def _ends(found: Certificate, *, is_share: bool) -> str:
    """What repeats leave open of the loss that is found: few hardly show how far they differ."""
    near, far = found.between or (None, None)
    if near is None:
        return ""
    least = _size(near, is_share=is_share)
    if far is None:
        return f" (the repeats leave open {least} or more)"
    most = _size(far, is_share=is_share)
    return f" (the repeats leave open {least} to {most})" if least != most else ""


def _finds(loss: float | None, *, is_share: bool) -> str:
    if loss is None:
        return "no loss"
    return f"a loss of {_size(loss, is_share=is_share)}{' points' if is_share else ''}"


def _size(loss: float, *, is_share: bool) -> str:
    """A loss in its unit, rounded upward, so that the printed one is found as often."""
    return hundred(ceil(1000 * loss) / 1000) if is_share else number(loss)


def _needed(level: Level, margin: float) -> str:
    """What would decide an undecided level, as a sentence."""
    needed, n = level.needed, level.overall.n
    assert needed is not None  # whoever asks has looked
    most = margin_of(margin) if level.flips is not None else f"{margin:g}"
    said = f"With {n:,} items, of which {percent(needed.flips)} differ between the runs, "
    said += f"a loss of {most} can't be excluded; "
    ways = [] if needed.items is None else [f"{needed.items:,} items"]
    ways += [] if needed.repeats is None else [f"{needed.repeats} repeats of both"]
    if not ways:
        return f"{said}{MOST_ITEMS:,} items would not do it either, a larger margin would."
    return f"{said}{' or '.join(ways)} would, if nothing has changed."


def _of_thousand(share: float) -> str:
    return f"{min(1000, ceil(1000 * share - 1e-9)):,}"
