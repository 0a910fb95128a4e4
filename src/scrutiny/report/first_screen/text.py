"""The first screen as text: in a terminal of 80 columns, and as a comment in Markdown."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from scrutiny.blocks.terminal_and_markdown import WIDTH, escape, fold, folded, side_by_side, wrapped
from scrutiny.report.cases.shown import case_item, case_sides, case_words
from scrutiny.report.first_screen.content import MOST_CASES, FirstScreen
from scrutiny.report.first_screen.found_risks import FoundRisk
from scrutiny.report.wording import MEANINGS, STYLES, mark

_WHAT: Final = (14, 22)  # cells of the names of risks, at least and at most
_COSTS: Final = (31, 37)  # "changes 36.9 % of words [32.9, 41.1]"
_RIGHT: Final = 25  # cells of what stands to the right of a cost, with the spaces between
_LABELS: Final = (12, 6, 20, 20, 17)  # label, items, recall, precision, F1
_MOST_LABELS: Final = 6
_MOST_OPEN: Final = 12


def risk_lines(screen: FirstScreen, cases: Sequence[Text] = ()) -> Iterator[Text]:
    """Lines of a first screen of risks, none wider than 80 cells.

    ``cases`` are those of suites of few cases; they come first where there is no score.
    """
    yield from _scores(screen)
    yield Text()
    if not screen.numbers:
        yield from cases
    yield from _table(screen.of("hurts"), screen.of("can't tell"))
    if screen.held:
        yield from wrapped(screen.held, style=STYLES["holds"], hanging=2)
    for risk in screen.of("holds"):
        yield from _rare(risk, of=f"{risk.name}: ")
    for said in screen.not_told:
        yield from wrapped(said, hanging=2)
    states = [state for state in ("not tested", "not asked") if screen.of(state)]
    if len(states) > 1:
        both = "; ".join(f"{state}: {MEANINGS[state]}" for state in states)
        yield from wrapped(f"({both})", style="dim", hanging=2)
    yield Text()
    yield from wrapped(screen.decision, style="bold", hanging=2)
    if screen.rest:
        yield from wrapped(f"What would decide the rest: {screen.rest}", hanging=2)
    for note in screen.notes:
        yield from wrapped(note, hanging=2)
    if screen.worst is not None:
        yield Text()
        count = f"{screen.worst.n_cases:,} case{'s' * (screen.worst.n_cases != 1)}"
        where = f" on {screen.worst.part}" if screen.worst.part else ""
        for case in screen.worst.cases[: MOST_CASES["terminal"]]:
            yield from wrapped(
                f"{screen.worst.name}, the clearest of {count}{where} ({case_words(case)}):"
            )
            yield from case_sides(case)
    if screen.numbers and cases:
        yield Text()
        yield from cases


def _scores(screen: FirstScreen) -> Iterator[Text]:
    """The score, what stands beside it, and of what; that there is no skill comes first."""
    title = " \N{MIDDLE DOT} ".join(filter(None, [screen.title, screen.intervals]))
    if screen.skill:
        yield from wrapped(screen.skill, style=STYLES["hurts"], hanging=2)
    for number in screen.numbers:
        yield from wrapped(number.says, style="bold")
    beside = [*screen.beside, *([] if screen.labels else [title])]  # a heading of a table
    together = Text("   ".join(beside))
    if together.cell_len <= WIDTH:
        yield from [together] if beside else []
    else:
        yield from wrapped(" \N{MIDDLE DOT} ".join(screen.beside))
        yield from [] if screen.labels else wrapped(title, style="dim")
    if screen.labels:
        yield from wrapped(title, style="dim")
        one, counted = screen.class_words
        label, items, *rest = _LABELS
        more = max(0, len(counted) - items)  # the table is as wide as the screen
        widths = label - more, items + more, *rest
        header = zip((f"  {one}", counted, "recall", "precision", "F1"), widths, strict=True)
        yield Text(side_by_side(*header), style="dim")
        for line in screen.labels[:_MOST_LABELS]:
            cells = (f"  {line.label}", line.items, line.recall, line.precision, line.f1)
            yield Text(side_by_side(*zip(cells, widths, strict=True)))
        if len(screen.labels) > _MOST_LABELS:
            yield Text(f"  … and {len(screen.labels) - _MOST_LABELS} more")


def _table(hurt: Sequence[FoundRisk], open_ones: Sequence[FoundRisk]) -> Iterator[Text]:
    """Risks that hurt, and those that cannot be told yet, with what would decide them."""
    risks = [*hurt, *open_ones]
    least, most = _WHAT
    what = min(max([least, *(cell_len(risk.name) + 2 for risk in risks)]), most)
    cost = max([_COSTS[0], *(cell_len(risk.costs) for risk in risks)])
    cost = min(cost, max(_COSTS[1], WIDTH - what - _RIGHT))
    what = min(what, WIDTH - cost - _RIGHT)
    widths = what, cost, 10, 12
    if hurt:
        for cells in (("", "", "more than", ""), ("", "[95 % limits]", "random?", "true of")):
            yield Text(side_by_side(*zip(cells, widths, strict=True)), style="dim")
    for risk in hurt:
        yield from _row(risk, risk.cells[2:], widths)
        yield from _rare(risk)
    room = WIDTH - what - cost - 2
    for risk in open_ones[:_MOST_OPEN]:
        fits = cell_len(risk.decides) <= room
        yield from _row(risk, (risk.decides,) if fits else (), (what, cost, room))
        yield from [] if fits else _indented(risk.decides)
        yield from _rare(risk)
    if len(open_ones) > _MOST_OPEN:
        yield Text(f"  … and {len(open_ones) - _MOST_OPEN} more that can't be told yet")


def _row(risk: FoundRisk, rest: Sequence[str], widths: Sequence[int]) -> Iterator[Text]:
    """One line of a risk; what is too long for its column goes on below."""
    names, costs, width = fold(risk.name, widths[0] - 2), [risk.costs], widths[1]
    if cell_len(risk.costs) > width:  # limits in brackets stay together, so that no figure is cut
        said, bracket, limits = risk.costs.rpartition(" [")
        costs = fold(said or limits, width)
        end = f"{bracket.strip()}{limits}"
        if said and cell_len(costs[-1] + end) < width:
            costs[-1] += f" {end}"
        elif said:
            costs.append(end)
    others = [fold(cell, width) for cell, width in zip(rest, widths[2:], strict=False)]
    for place, cells in enumerate(zip_longest(names, costs, *others, fillvalue="")):
        name, *further = cells
        first = f"{'  ' if place else mark(risk.state) + ' '}{name}"
        told = zip((first, *further), widths, strict=False)
        yield Text(side_by_side(*told), style=STYLES.get(risk.state, ""))


def _rare(risk: FoundRisk, *, of: str = "") -> Iterator[Text]:
    """What a change that altered few texts costs over those alone."""
    if risk.is_rare:
        yield from _indented(of + risk.touched)


def _indented(said: str) -> Iterator[Text]:
    return (Text(f"    {piece}", style="dim") for piece in fold(said, WIDTH - 4))


def risk_blocks(screen: FirstScreen) -> list[str]:
    """Heading, numbers, one line a risk, what to do, what would decide the rest, in Markdown."""
    counts, _, _ = screen.counts.rstrip(".").partition(",")
    heading = f"### scrutiny: {escape(screen.title)} \N{EM DASH} {escape(counts)}"
    numbers = [f"**{escape(screen.skill)}**"] if screen.skill else []
    numbers += [escape(number.says) for number in screen.numbers] + [*map(escape, screen.beside)]
    numbers += [f"In brackets: {screen.intervals}."] * bool(screen.intervals)
    lines = []
    for risk in (*screen.of("hurts"), *screen.of("can't tell")):
        rest = [risk.decides]
        if risk.state == "hurts":
            cases = f"{risk.n_cases:,} cases" if risk.cases else ""
            rest = [risk.against_random, risk.scope, cases]
        rest += [risk.touched] * risk.is_rare + [risk.own.rstrip(".")]
        said = f"- {mark(risk.state)} **{escape(risk.name)}** {escape(risk.costs)}"
        lines.append("; ".join([said, *(escape(one) for one in rest if one)]))
    lines += [f"- {escape(screen.held)}"] if screen.held else []
    lines += [f"  - {escape(r.name)}: {escape(r.touched)}" for r in screen.of("holds") if r.is_rare]
    lines += [f"- {escape(said)}" for said in screen.not_told]
    return [
        heading,
        "<br>\n".join(numbers),
        "\n".join(lines),
        f"**{escape(screen.decision)}**",
        f"What would decide the rest: {escape(screen.rest)}" if screen.rest else "",
        *map(escape, screen.notes),
    ]


def case_folds(screen: FirstScreen) -> Iterator[str]:
    """Cases of each risk that hurts, broken and fixed ones told apart, in Markdown."""
    for risk in screen.of("hurts"):
        if risk.cases:
            shown = [case_item(case) for case in risk.cases[: MOST_CASES["comment"]]]
            yield folded(f"Cases of {risk.name}: {risk.turned or risk.n_cases}", "\n".join(shown))
