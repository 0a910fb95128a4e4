"""Signs over seeds in a terminal and in Markdown: a mark for each seed."""

from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from scrutiny.blocks.numbers import interval
from scrutiny.blocks.terminal_and_markdown import WIDTH, escape, fold, side_by_side, table, wrapped
from scrutiny.report.signs import Signs

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
        table = [("", "seeds", "over all seeds", "minus neutral")]
        for sign in panel.rows:
            each = f"{sign.above} of {len(sign.each)} up"  # where there are too many for marks
            if len(sign.each) <= _MOST_MARKS:
                sides = {
                    name: (own.value > sign.neither) - (own.value < sign.neither)
                    for name, own in sign.each.items()
                }
                pairs = ((sign.marked(name) != 0, side) for name, side in sides.items())
                each = "".join(_MARKS.get(pair, "=") for pair in pairs)
            table.append((sign.name, each, interval(sign.whole), sign.against_twins))
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


def sign_blocks(signs: Signs) -> list[str]:
    """Which signs are clear over seeds, and a table for each number."""
    blocks = [f"**{escape(signs.headline)}**", escape(signs.decision)]
    blocks += [escape(said) for said in (signs.counts, signs.controls) if said]
    for panel in signs.panels:
        cells = [(escape(name), *rest) for name, *rest in panel.table.rows]
        blocks.append(escape(f"{panel.question} {panel.title}"))
        blocks.append(table(panel.table.header, cells, right=(1, 3)))
    return blocks
