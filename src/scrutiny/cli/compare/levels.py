"""The report of one score of two models: its change, flips, agreement, slices, inputs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from scrutiny.cli.compare.headline import level_name
from scrutiny.core.shares import percent
from scrutiny.diagnostics.similarity.parts.side_by_side import (
    TO,
    agreement_chart,
    flips_chart,
    inputs_chart,
    stated,
)
from scrutiny.diagnostics.similarity.side_by_side.flips import FlippedItems, Noise
from scrutiny.parts.charts.findings import forest_or_table
from scrutiny.parts.charts.tables import Chart, ChartTable, answer_cell
from scrutiny.parts.part import Chapter, Part
from scrutiny.parts.run.lines import Line
from scrutiny.parts.wording.numbers import interval, number, out_of, p_value
from scrutiny.run.comparing.levels import Level, ShownChange, is_gain
from scrutiny.run.comparing.slices import Change

_MOST_TESTS: Final = 6
LEVELS: Final = Chapter(
    "levels",
    "Which inputs changed",
    "The second model compared with the first, item by item. The noise floor comes first: how "
    "often the first model disagrees with itself.",
)
AGREEMENT: Final = Chapter(
    "agreement",
    "How far both agree",
    "Measures of agreement beyond the scores: they judge neither model, and say how alike two are.",
)


def level_part(
    level: Level, anchor: str, *, margin: float | None, top: int, is_whole: bool
) -> Part:
    """Part of one level.

    Parameters
    ----------
    level, anchor
        The level, and a name of its own within the page.
    margin
        Largest loss that does not matter, or nothing.
    top
        Inputs that are listed, at most.
    is_whole
        Whether what does not differ is said, too.
    """
    differing = level.disagreements
    charts = (
        *inputs_chart(f"{anchor}-inputs", differing[:top], len(differing), is_whole=is_whole),
        *_slices(f"{anchor}-slices", level, margin=margin, is_whole=is_whole),
        *flips_chart(f"{anchor}-flips", level.flips, level.noise),
    )
    facts = tuple(_facts(level, margin))
    return Part(anchor, _title(level), "", charts, chapter=LEVELS, facts=facts)


def agreement_part(level: Level, anchor: str) -> Iterator[Part]:
    """Part of how far both models agree, beyond their scores; nothing where nothing was kept."""
    charts = (*agreement_chart(f"{anchor}-chart", level.agreement, level.difference.counts.n),)
    if charts:
        yield Part(anchor, _title(level), "", charts, chapter=AGREEMENT)


def _title(level: Level) -> str:
    return f"{level_name(level)} on {level.dataset}: {level.reference} against {level.subject}"


def _facts(level: Level, margin: float | None) -> Iterator[tuple[str, str]]:
    """Facts of the comparison in words: noise floor, change, test, verdict."""
    found = level.difference
    yield "noise floor", _noise_words(level.noise)
    if found.value is not None and found.low is not None and found.high is not None:
        change = replace(found, value=-found.value, low=-found.high, high=-found.low)
        sides = f"{number(level.overall.before)}{TO}{number(level.overall.after)}"
        of = out_of(found, sign=" of ")
        yield "change", f"{sides}: {interval(change, signed=True)}; {of}"
    if level.flips is not None:
        yield "sign test" if level.flips.is_graded else "McNemar", _test_words(level.flips)
    tested = len(level.changes) - 1
    if not tested:
        yield "slices", "no slice has 20 items on either side"
    elif not level.shown:
        yield "slices", f"no slice is shown to change differently from the rest ({tested} tested)"
    if not level.disagreements:
        yield "inputs", "no input differs"
    if level.difference.low is not None:
        some = None if level.detectable is None else f"a difference of {number(level.detectable)}"
        yield "could show", f"{some or 'no difference at all'} (80 % power, these items)"
    if level.outcome is not None:
        yield f"loss > {margin:g}", level.outcome


def _noise_words(noise: Noise) -> str:
    """The noise floor in words: how many items flip for the first model alone."""
    if noise.share is None:
        return (
            "not known: the first model was run once. Give a second run of it with --again, or "
            "replicates."
        )
    how = {
        "replicates": f"between two replicates of the first ({noise.n_pairs} pairs)",
        "another run": f"between two runs of the first ({noise.n_pairs} pairs)",
        "asked again": f"when the first is asked again ({noise.n_items} items, other batches)",
        "exact": "when the first is asked again: its adapter promises exact answers",
    }[noise.how]
    return f"{percent(noise.share)} of items flip {how}"


def _test_words(flips: FlippedItems) -> str:
    """McNemar's test, or the sign test for scores, of each pair of replicates."""
    said = [f"{p_value(test.p_value)} ({test.n} flip)" for test in flips.tests[:_MOST_TESTS]]
    left = len(flips.tests) - len(said)
    return f"mid-p {', '.join(said)}" + (f", {left} more pairs" if left else "")


def _slices(anchor: str, level: Level, *, margin: float | None, is_whole: bool) -> Iterator[Chart]:
    """Change of every slice, or of the shown or requested ones, clearest first."""
    shown = {one.change.name: one for one in level.shown}
    rest = sorted(level.changes[1:], key=lambda change: change.p)
    told = [one for one in rest if one.name not in shown and (is_whole or one.name in level.asked)]
    told = [level.overall] * is_whole + [one.change for one in level.shown] + told
    lines, rows = [], []
    for change in told:
        state, more = _state(change, shown.get(change.name), level)
        moved = stated(change.value, change.n, change.low, change.high)
        lines.append(Line(change.says, {state: moved}))
        rows.append(
            (
                change.says,
                f"{state}{more}",
                f"{change.n:,}",
                number(change.before),
                number(change.after),
                interval(moved, signed=True),
                number(change.elsewhere, signed=True),
                p_value(change.p_holm),
            )
        )
    header = ("inputs", "", "items", "before", "after", "change", "elsewhere", "p")
    return forest_or_table(
        anchor,
        "Where it changed",
        "Second minus first, with intervals that hold for all slices together; p is corrected "
        "for all of them. Zero is solid, the largest accepted loss is dashed.",
        lines,
        metric="change",
        limit=None if not margin else margin if level.lower_is_better else -margin,
        table=ChartTable(header, tuple(rows), 2),
    )


def _state(change: Change, found: ShownChange | None, level: Level) -> tuple[str, str]:
    """Verdict on a slice (worse, better, not shown), and its most frequent change."""
    word = "better" if is_gain(change, level) else "worse"
    if found is not None and found.goes_back_to:
        return "nothing of its own", f" beyond {found.goes_back_to!r}"
    if found is None or found.turn is None:
        return word if change.is_shown else "not shown", ""
    before, after, count, total = found.turn
    turn = f"{answer_cell(before)}{TO}{answer_cell(after)}"
    return word, f", mostly {turn} ({count} of {total} changed answers)"
