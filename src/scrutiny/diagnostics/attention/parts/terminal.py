"""Attention heads in a few lines of a terminal: quality, and the best head."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from rich.text import Text

from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.grouping import grouped
from scrutiny.diagnostics.attention.parts.head_map import SCORES, HeadMap, maps_of, place_name
from scrutiny.diagnostics.attention.parts.study import condition_words, score_of, short_names
from scrutiny.parts.run.estimates import single_estimates
from scrutiny.parts.run.view import RunView
from scrutiny.parts.terminal.layout import fold, side_by_side, wrapped
from scrutiny.parts.wording.labels import metric_words
from scrutiny.parts.wording.numbers import interval, number

_MOST: Final = 24
_LABEL: Final = 30
_MOST_NAMED: Final = 6
_ROLES: Final = ("measured", "control")


def heads_lines(view: RunView) -> Iterator[Text]:
    """One line for each map: minimum, median and maximum, and the head of the maximum."""
    single = single_estimates(view)
    maps = [m for m in maps_of(single) if m.values and m.key.role in _ROLES]
    maps = sorted(_summed_up(maps), key=lambda m: min(map(len, m.cells)), reverse=True)
    if not maps:
        return
    yield Text()
    yield Text("Single heads and layers", style="bold")
    header = ("", _LABEL), ("least", 6), ("median", 6), ("most", 6)
    yield Text(side_by_side(*header, ("which", 28)), style="dim")
    names = short_names(list(dict.fromkeys(m.key.dataset for m in maps)))
    shown = maps[:_MOST]
    for title, members in grouped((_title(m, names), m) for m in shown).items():
        yield from wrapped(title)
        for one in members:
            yield from _line(one)
    rest = f"{len(maps) - len(shown)} more maps; " if len(maps) > len(shown) else ""
    said = f"… {rest}{len(single):,} numbers: `--format csv` or `--format json` has every one, "
    yield from wrapped(f"{said}`-o report.html` draws them.", style="dim")


def _summed_up(maps: Sequence[HeadMap]) -> list[HeadMap]:
    """Maps without precision and recall if F1 summarizes them."""
    whole = {_place(m) for m in maps if score_of(m.key) == SCORES[0]}
    return [m for m in maps if not (score_of(m.key) in SCORES[1:] and _place(m) in whole)]


def _place(one: HeadMap) -> tuple[str, ...]:
    key = one.key
    return key.diagnostic, key.subject, key.dataset, key.role, condition_words(key), key.group


def _title(one: HeadMap, names: dict[str, str]) -> str:
    parts = one.key.diagnostic_name, one.key.subject, names[one.key.dataset]
    return " \N{MIDDLE DOT} ".join(parts)


def _line(one: HeadMap) -> Iterator[Text]:
    values, best = one.values, one.best
    assert best is not None  # the caller keeps maps with values
    metric = metric_words(score_of(one.key))
    if len(best) == 1:
        metric = f"{metric.replace('mean head', 'mean')} by layer"
    label = f"  {condition_words(one.key) or 'all'} \N{MIDDLE DOT} {metric}"
    first, *others = fold(label.strip(), _LABEL - 2, hanging=2)
    ends = [min(values.values()), median(values.values()), max(values.values())]
    cells = [(number(v, 3), 6) for v in ends]
    is_score = name_and_arguments(one.key.metric)[1] in SCORES
    which = f"{'best' if is_score else 'most'} {place_name(best)}"
    estimate = one.cells[best].estimate
    if estimate is not None and estimate.low is not None:
        which += f" {interval(estimate).partition(' ')[2]}"
    yield Text(side_by_side((f"  {first}", _LABEL), *cells, (which, 28)))
    yield from (Text(f"    {piece}") for piece in others)
    yield from _tested(one)


def _tested(one: HeadMap) -> Iterator[Text]:
    """Number of cells that differ from 0, if all were tested together (max-T)."""
    if not one.tests:
        return
    above, below = one.named
    names = ", ".join(map(place_name, above[:_MOST_NAMED]))
    names += ", …" if len(above) > _MOST_NAMED else ""
    said = f"{len(above)} of {len(one.tests)} above 0 and {len(below)} below, tested together"
    yield from wrapped(f"    {said}{f': {names}' if names else ''}", hanging=6)
