"""Comparison with published figures, for a terminal."""

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from scrutiny.core.grouping import grouped
from scrutiny.parts.published import in_order, sentence, why
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.layout import wrapped
from scrutiny.parts.wording.verdicts import mark

_MOST: Final = 20
_MARKS: Final = {"differs": mark("not supported"), "missing": mark("undecided")}


def published_lines(view: RunView) -> Iterator[Text]:
    """Figures that differ, and the number that agree for each source."""
    if not view.published:
        return
    yield Text("Comparison with published figures", style="bold")
    yield from wrapped(sentence(view.published))
    odd = [one for one in in_order(view.published) if one.outcome != "agrees"]
    for one in odd[:_MOST]:
        figure = one.figure
        where = f" ({figure.source})" if figure.source else ""
        ours = f"ours {one.ours}, printed {figure.printed}" if one.ours else "not in the run"
        note = f". {why(one)}" if why(one) else ""
        line = f"{_MARKS[one.outcome]} {figure.id}{where}: {ours}{note}"
        yield from wrapped(line, hanging=2)
    if len(odd) > _MOST:
        yield from wrapped(f"… and {len(odd) - _MOST} more; `--format json` has them.")
    by_source = grouped((one.figure.source, one) for one in view.published)
    counts = [
        f"{source or 'no source'}: {sum(one.outcome == 'agrees' for one in rows)}/{len(rows)}"
        for source, rows in by_source.items()
    ]
    yield from wrapped(f"Agreeing: {', '.join(counts)}", style="dim", hanging=2)
