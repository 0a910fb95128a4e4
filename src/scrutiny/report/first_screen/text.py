"""The first screen as text: in a terminal of 80 columns, and as a comment in Markdown."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from scrutiny.blocks.scores import LabelLine
from scrutiny.blocks.terminal_and_markdown import WIDTH, escape, fold, folded, side_by_side, wrapped
from scrutiny.core.record import grouped
from scrutiny.report.cases.shown import case_item, case_sides, case_words
from scrutiny.report.first_screen.decisions import held_words
from scrutiny.report.first_screen.found_risks import FoundRisk
from scrutiny.report.first_screen.front import Front
from scrutiny.report.wording import MEANINGS, mark

_WHAT: Final = (14, 22)  # cells of the names of risks, at least and at most
_COSTS: Final = (31, 37)  # "changes 36.9 % of words [32.9, 41.1]"
_RIGHT: Final = 25  # cells of what stands to the right of a cost, with the spaces between
_LABELS: Final = (12, 6, 20, 20, 17)  # label, items, recall, precision, F1
_MOST_LABELS: Final = 6
_STYLES: Final = {"hurts": "bold red", "can't tell": "yellow", "holds": "green"}
_MOST_OPEN: Final = 12


def front_lines(front: Front, cases: Sequence[Text] = ()) -> Iterator[Text]:
    """Lines of the first screen, none wider than 80 cells.

    ``cases`` are those of suites of few cases; they come first where there is no score.
    """
    yield from _scores(front)
    yield Text()
    if not front.numbers:
        yield from cases
    hurt = front.of("hurts")
    yield from _table(hurt, front.of("can't tell"))
    yield from _held(front.of("holds"))
    yield from _not_told(front)
    yield Text()
    yield from wrapped(front.decision, style="bold", hanging=2)
    if front.rest:
        yield from wrapped(f"What would decide the rest: {front.rest}", hanging=2)
    yield from _case(hurt)
    if front.numbers and cases:
        yield Text()
        yield from cases


def _scores(front: Front) -> Iterator[Text]:
    """The score, what stands beside it, and of what; that there is no skill comes first."""
    title = " \N{MIDDLE DOT} ".join(filter(None, [front.title, front.intervals]))
    if front.skill:
        yield from wrapped(front.skill, style=_STYLES["hurts"], hanging=2)
    for number in front.numbers:
        yield from wrapped(number.says, style="bold")
    beside = [*front.beside, *([] if front.labels else [title])]  # a heading of a table
    together = Text("   ".join(beside))
    if together.cell_len <= WIDTH:
        yield from [together] if beside else []
    else:
        yield from wrapped(" \N{MIDDLE DOT} ".join(front.beside))
        yield from [] if front.labels else wrapped(title, style="dim")
    if front.labels:
        yield from wrapped(title, style="dim")
        yield from _labels(front.labels, *front.class_words)


def _table(hurt: Sequence[FoundRisk], open_ones: Sequence[FoundRisk]) -> Iterator[Text]:
    """Risks that hurt, and those that cannot be told yet."""
    columns = _columns([*hurt, *open_ones])
    if hurt:
        yield from _header(columns)
    for risk in hurt:
        yield from _row(risk, (risk.more, risk.scope), columns)
        yield from _rare(risk)
    for risk in open_ones[:_MOST_OPEN]:
        yield from _open(risk, columns)
        yield from _rare(risk)
    if len(open_ones) > _MOST_OPEN:
        yield Text(f"  … and {len(open_ones) - _MOST_OPEN} more that can't be told yet")


def _not_told(front: Front) -> Iterator[Text]:
    """What was not tested or not asked, by reason; where there are both, what the words mean."""
    states = [state for state in ("not tested", "not asked") if front.of(state)]
    for state in states:
        told = grouped((r.finding.reason, r.spoken) for r in front.of(state))
        for reason, names in told.items():
            said = f"{mark(state)} {state}: {', '.join(names)}: {reason}"
            yield from wrapped(said, hanging=2)
    if len(states) > 1:
        both = "; ".join(f"{state}: {MEANINGS[state]}" for state in states)
        yield from wrapped(f"({both})", style="dim", hanging=2)


def _labels(lines: Sequence[LabelLine], one: str, counted: str) -> Iterator[Text]:
    """Recall, precision and F1 of the classes, the lowest F1 first."""
    if not lines:
        return
    label, number, *rest = _LABELS
    more = max(0, len(counted) - number)  # the table is as wide as the screen
    widths = label - more, number + more, *rest
    header = zip((f"  {one}", counted, "recall", "precision", "F1"), widths, strict=True)
    yield Text(side_by_side(*header), style="dim")
    for line in lines[:_MOST_LABELS]:
        cells = (f"  {line.label}", line.items, line.recall, line.precision, line.f1)
        yield Text(side_by_side(*zip(cells, widths, strict=True)))
    if len(lines) > _MOST_LABELS:
        yield Text(f"  … and {len(lines) - _MOST_LABELS} more")


def _columns(risks: Sequence[FoundRisk]) -> tuple[int, ...]:
    """Widths: what, what it costs, more than random change, scope."""
    least, most = _WHAT
    what = max([least, *(cell_len(risk.name) + 2 for risk in risks)])
    what = min(what, most)
    cost = max([_COSTS[0], *(cell_len(risk.costs) for risk in risks)])
    cost = min(cost, max(_COSTS[1], WIDTH - what - _RIGHT))
    return min(what, WIDTH - cost - _RIGHT), cost, 10, 12


def _header(columns: Sequence[int]) -> Iterator[Text]:
    what, cost, more, scope = columns
    yield Text(side_by_side(("", what), ("", cost), ("more than", more)), style="dim")
    second = ("", what), ("[95 % limits]", cost), ("random?", more), ("true of", scope)
    yield Text(side_by_side(*second), style="dim")


def _row(risk: FoundRisk, rest: Sequence[str], columns: Sequence[int]) -> Iterator[Text]:
    """One line of a risk; what is too long for its column goes on below."""
    names, costs = fold(risk.name, columns[0] - 2), _folded_costs(risk.costs, columns[1])
    others = [fold(cell, width) for cell, width in zip(rest, columns[2:], strict=False)]
    for place, cells in enumerate(zip_longest(names, costs, *others, fillvalue="")):
        name, *further = cells
        first = f"{'  ' if place else mark(risk.state) + ' '}{name}"
        told = zip((first, *further), columns, strict=False)
        yield Text(side_by_side(*told), style=_STYLES.get(risk.state, ""))


def _folded_costs(costs: str, width: int) -> list[str]:
    """Lines of a cost; its limits in brackets stay together, so that no figure is cut."""
    if cell_len(costs) <= width:
        return [costs]
    said, bracket, limits = costs.rpartition(" [")
    *lines, last = fold(said or limits, width)
    if not said:
        return [*lines, last]
    end = f"{bracket.strip()}{limits}"
    return [*lines, f"{last} {end}"] if cell_len(last + end) < width else [*lines, last, end]


def _open(risk: FoundRisk, columns: Sequence[int]) -> Iterator[Text]:
    """One line of a risk that cannot be told, with what would decide."""
    wide = (*columns[:2], WIDTH - sum(columns[:2]) - 2)
    told = risk.ways.short() if risk.ways else risk.scope
    fits = cell_len(told) <= wide[-1]
    yield from _row(risk, (told,) if fits else (), wide)
    if not fits:
        yield from (Text(f"    {piece}", style="dim") for piece in fold(told, WIDTH - 4))


def _held(risks: Sequence[FoundRisk]) -> Iterator[Text]:
    """What holds, in one sentence."""
    if risks:
        said = f"{mark('holds')} {held_words(risks)}"
        yield from wrapped(said, style=_STYLES["holds"], hanging=2)
    for risk in risks:
        yield from _rare(risk, of=f"{risk.name}: ")


def _rare(risk: FoundRisk, *, of: str = "") -> Iterator[Text]:
    """What a change that altered few texts costs over those alone."""
    if risk.is_rare:
        said = fold(of + risk.touched, WIDTH - 4)
        yield from (Text(f"    {piece}", style="dim") for piece in said)


def _case(hurt: Sequence[FoundRisk]) -> Iterator[Text]:
    """The clearest case of the worst risk that has any."""
    worst = next((risk for risk in hurt if risk.cases), None)
    if worst is None:
        return
    case = worst.cases[0]
    yield Text()
    count = f"{worst.n_cases:,} case{'s' * (worst.n_cases != 1)}"
    where = f" on {worst.part}" if worst.part else ""
    yield from wrapped(f"{worst.name}, the clearest of {count}{where} ({case_words(case)}):")
    yield from case_sides(case)


_CASES: Final = 6
_MORE: Final = {"yes": "more than random change", "no": "no more than random change"}


def front_blocks(front: Front) -> list[str]:
    """Heading, numbers, one line a risk, what to do, what would decide the rest."""
    counts = front.counts.rstrip(".")
    heading = f"### scrutiny: {escape(front.title)} \N{EM DASH} {escape(counts.partition(',')[0])}"
    numbers = [f"**{escape(front.skill)}**"] if front.skill else []
    numbers += [escape(number.says) for number in front.numbers] + [*map(escape, front.beside)]
    numbers += [f"In brackets: {front.intervals}."] * bool(front.intervals)
    lines = [_line(risk) for state in ("hurts", "can't tell") for risk in front.of(state)]
    held = front.of("holds")
    lines += [f"- {mark('holds')} {escape(held_words(held))}"] if held else []
    lines += [f"  - {escape(r.name)}: {escape(r.touched)}" for r in held if r.is_rare]
    lines += [
        f"- {mark(state)} {state}: {escape(', '.join(names))}: {escape(reason)}"
        for state in ("not tested", "not asked")
        for reason, names in grouped((r.finding.reason, r.spoken) for r in front.of(state)).items()
    ]
    return [
        heading,
        "<br>\n".join(numbers),
        "\n".join(lines),
        f"**{escape(front.decision)}**",
        f"What would decide the rest: {escape(front.rest)}" if front.rest else "",
    ]


def _line(risk: FoundRisk) -> str:
    """One risk: what it costs, whether random change costs as much, or what would decide."""
    said = f"**{escape(risk.name)}** {escape(risk.costs)}"
    if risk.state == "hurts":
        cases = f"{risk.n_cases:,} cases" if risk.cases else ""
        rest = [_MORE.get(risk.more, ""), risk.scope, cases]
    else:
        rest = [risk.ways.short() if risk.ways else risk.scope]
    rest += [risk.touched] * risk.is_rare
    return f"- {mark(risk.state)} " + "; ".join([said, *(escape(r) for r in rest if r)])


def case_folds(front: Front) -> Iterator[str]:
    """Cases of each risk that hurts, broken and fixed ones told apart."""
    for risk in front.of("hurts"):
        if risk.cases:
            counted = ", ".join(f"{n:,} {turn}" for turn, n in risk.n_turned.items() if n)
            shown = [case_item(case) for case in risk.cases[:_CASES]]
            yield folded(f"Cases of {risk.name}: {counted or risk.n_cases}", "\n".join(shown))
