"""Table of a comparison: how far both agree beyond chance."""

from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.wording.numbers import decimals_for, interval, number, out_of
from scrutiny.report.compare.view import AgreedFacts, LevelFacts


def agreement(anchor: str, level: LevelFacts) -> Chart | None:
    """Measures of agreement beside those of the first model against itself."""
    if not level.agreement:
        return None
    has_floor = any(one.floor is not None for one in level.agreement)
    header = ("measure", "second against first", "first against itself", "n/planned")
    caption = "Agreement beyond chance, and distances of probabilities, with intervals. "
    caption += (
        f"First against itself: {level.agreement_floor}."
        if has_floor
        else "Of the first against itself nothing is known."
    )
    rows = tuple(_row(one, has_floor=has_floor) for one in level.agreement)
    return Chart(
        anchor,
        "How far both agree",
        caption,
        None,
        ChartTable(header if has_floor else (*header[:2], header[3]), rows),
    )


def _row(one: AgreedFacts, *, has_floor: bool) -> tuple[str, ...]:
    found = one.estimate
    is_valued = found is not None and found.value is not None
    value = interval(found) if is_valued else one.reason
    decimals = decimals_for(found.low, found.high, found.value) if found is not None else 3
    floor = (number(one.floor, decimals),) if has_floor else ()
    return (one.name, value, *floor, out_of(found))
