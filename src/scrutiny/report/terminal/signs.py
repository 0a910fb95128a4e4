"""Signs over seeds in a terminal: a mark for each seed, the interval over all, and what to do."""

from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from scrutiny.parts.seed_signs import SeedSign, SignPanel, Signs
from scrutiny.parts.terminal.layout import WIDTH, fold, side_by_side, wrapped
from scrutiny.parts.wording.numbers import interval

_MOST_MARKS: Final = 10
_STYLES: Final = {"clear": "bold blue", "disagree": "yellow"}
#: Marks of a replicate: below or above, alone clear or not.
_MARKS: Final = {
    (True, -1): "\N{BLACK DOWN-POINTING TRIANGLE}",
    (False, -1): "\N{WHITE DOWN-POINTING TRIANGLE}",
    (False, 0): "=",
    (False, 1): "\N{WHITE UP-POINTING TRIANGLE}",
    (True, 1): "\N{BLACK UP-POINTING TRIANGLE}",
}


def signs_lines(signs: Signs) -> Iterator[Text]:
    """Lines of the first screen of an audit of language, none wider than 80 cells."""
    yield from wrapped(signs.headline, style="bold")
    yield from wrapped(signs.decision, style="bold")
    yield from wrapped(signs.title, style="dim")
    for panel in signs.panels:
        yield Text()
        yield from wrapped(panel.question, style="bold")
        yield from wrapped(panel.title, style="dim")
        yield from _table(panel)
    yield Text()
    yield from wrapped(
        f"{_MARKS[True, 1]}{_MARKS[True, -1]} a seed alone clear, {_MARKS[False, 1]}"
        f"{_MARKS[False, -1]} not clear, = neither. Clear: the 95 % interval leaves out "
        '"neither": of a seed over items, of all over seeds and items, for all rows at once.',
        style="dim",
    )
    yield from wrapped(signs.counts)
    if signs.controls:
        yield from wrapped(signs.controls)


def _table(panel: SignPanel) -> Iterator[Text]:
    """One line for each sign; what to make of it goes on below where it is too long."""
    table = [("", "seeds", "over all seeds", "minus neutral")]
    table += [(r.name, _each(r), interval(r.whole), r.against_twins) for r in panel.rows]
    if not any(row.against_twins for row in panel.rows):
        table = [(*cells[:-1], "") for cells in table]
    widths = [max(map(cell_len, column)) + 1 for column in zip(*table, strict=True)]
    before = sum(widths) + len(widths)  # one more space between cells
    for cells, row in zip(table, (None, *panel.rows), strict=True):
        line = side_by_side(*zip(cells, widths, strict=True))
        if row is None:
            yield Text(line, style="dim")
            continue
        first, *others = fold(", ".join(filter(None, (row.says, row.caveat))), WIDTH - before)
        style = _STYLES.get(row.state, "")
        yield Text(f"{line.ljust(before)}{first}", style=style)
        yield from (Text(" " * before + piece, style=style) for piece in others)


def _each(row: SeedSign) -> str:
    """Mark of each replicate, or how many stand above where there are too many."""
    if len(row.each) > _MOST_MARKS:
        return f"{row.above} of {len(row.each)} up"
    sides = {
        name: (own.value > row.neither) - (own.value < row.neither)
        for name, own in row.each.items()
    }
    return "".join(_MARKS.get((row.marked(name) != 0, side), "=") for name, side in sides.items())
