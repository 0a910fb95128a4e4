"""The first screen in a terminal: numbers, risks worst first, a case of the worst, what to do."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from scrutiny.parts.run.classes import LabelLine
from scrutiny.parts.run.front import FoundRisk, Front
from scrutiny.parts.run.view import EvidenceItem
from scrutiny.parts.wording.diffs import stretches
from scrutiny.parts.wording.layout import WIDTH, cropped, fold, side_by_side, wrapped
from scrutiny.parts.wording.verdicts import mark

_COLUMNS: Final = (21, 35, 9, 12)  # what, what it costs, more than random change, scope
_LABELS: Final = (12, 6, 20, 20, 17)  # label, items, recall, precision, F1
_MOST_LABELS: Final = 6
_STYLES: Final = {"hurts": "bold red", "can't tell": "yellow", "holds": "green"}
_MOST_OPEN: Final = 12
_CONTEXT: Final = 24
_SCOPES: Final = {
    "this checkpoint": "this model",
    "these checkpoints": "these models",
    "this recipe": "this recipe",
    "beyond this dataset": "other data",
}


def front_lines(front: Front) -> Iterator[Text]:
    """Lines of the first screen, none wider than 80 cells."""
    yield from wrapped(front.title, style="bold")
    yield from wrapped("   ".join(front.numbers))
    yield from _labels(front.labels)
    yield Text()
    yield from wrapped(front.decision, style="bold")
    yield Text()
    hurt, open_ones = front.of("hurts"), front.of("can't tell")
    if hurt or open_ones:
        yield from _header()
    for risk in hurt:
        yield from _row(risk, (risk.more, _SCOPES.get(risk.scope, risk.scope)))
    for risk in open_ones[:_MOST_OPEN]:
        yield from _row(risk, ())
    if len(open_ones) > _MOST_OPEN:
        yield Text(f"  … and {len(open_ones) - _MOST_OPEN} more that can't be told yet")
    yield from _held(front.of("holds"))
    for risk in front.of("not asked"):
        yield from wrapped(f"{mark(risk.state)} {_named(risk)}: {risk.finding.reason}", hanging=2)
    yield from _case(hurt)
    yield Text()
    yield from wrapped(front.advice, style="bold")


def _labels(lines: Sequence[LabelLine]) -> Iterator[Text]:
    """Recall, precision and F1 of the classes, the lowest F1 first."""
    if not lines:
        return
    header = zip(("  class", "items", "recall", "precision", "F1"), _LABELS, strict=True)
    yield Text(side_by_side(*header), style="dim")
    for one in lines[:_MOST_LABELS]:
        cells = (f"  {one.label}", one.items, one.recall, one.precision, one.f1)
        yield Text(side_by_side(*zip(cells, _LABELS, strict=True)))
    if len(lines) > _MOST_LABELS:
        yield Text(f"  … and {len(lines) - _MOST_LABELS} more classes")


def _header() -> Iterator[Text]:
    what, cost, more, scope = _COLUMNS
    yield Text(side_by_side(("", what), ("", cost), ("more than", more)), style="dim")
    second = ("  what", what), ("limits", cost), ("random?", more), ("true of", scope)
    yield Text(side_by_side(*second), style="dim")


def _named(risk: FoundRisk) -> str:
    return f"{risk.what} on {risk.where}" if risk.where else risk.what


def _row(risk: FoundRisk, rest: Sequence[str]) -> Iterator[Text]:
    """One line of a risk; what would tell stands under one that cannot be told."""
    first, *others = fold(_named(risk), _COLUMNS[0] - 2)
    cells = [(f"{mark(risk.state)} {first}", _COLUMNS[0])]
    cells += [(risk.costs, _COLUMNS[1] if rest else WIDTH)]
    cells += zip(rest, _COLUMNS[2:], strict=False)
    yield Text(side_by_side(*cells), style=_STYLES.get(risk.state, ""))
    yield from (Text(f"  {piece}") for piece in others)
    if not rest:
        yield from (Text(f"    {piece}", style="dim") for piece in fold(risk.scope, WIDTH - 4))


def _held(risks: Sequence[FoundRisk]) -> Iterator[Text]:
    """What holds, in one line for each way of costing."""
    if risks:
        named = "; ".join(f"{_named(risk)} {risk.costs}" for risk in risks)
        yield from wrapped(f"{mark('holds')} {named}", style=_STYLES["holds"], hanging=2)


def _case(hurt: Sequence[FoundRisk]) -> Iterator[Text]:
    """The clearest case of the worst risk that has any."""
    worst = next((risk for risk in hurt if risk.cases), None)
    if worst is None:
        return
    case = worst.cases[0]
    yield Text()
    flipped = f"{case.n_flipped} of {len(case.answers)} models change their answer"
    count = f"{worst.n_cases:,} case{'s' * (worst.n_cases != 1)}"
    yield from wrapped(f"{_named(worst)}, the clearest of {count} ({flipped}; gold {case.gold}):")
    yield from _sides(case)


def _sides(case: EvidenceItem) -> Iterator[Text]:
    """Text before and after, around the first change, with what was answered."""
    turned = next((a for a in case.answers if a.is_flipped), case.answers[0])
    name = next((e.field for e in case.edits), next(iter(case.fields)))
    pieces = stretches(
        case.fields[name], [e for e in case.edits if e.field == name], context=_CONTEXT
    )
    for sign, kind, answer in (("-", "inserted", turned.before), ("+", "removed", turned.after)):
        text = "".join(piece.text for piece in pieces if piece.kind != kind)
        room = WIDTH - len(answer) - 6
        yield Text(f"  {sign} {cropped(' '.join(text.split()), room)}  {answer}")
