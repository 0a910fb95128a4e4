"""The report of one score of two models: its change, flips, agreement, slices, inputs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from scrutiny.cli.compare.headline import is_gain, level_name
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import Counts
from scrutiny.parts.charts.findings import forest_or_table
from scrutiny.parts.charts.tables import Chart, ChartTable, Line, forest_table
from scrutiny.parts.part import Chapter, Part
from scrutiny.parts.wording.labels import one_line
from scrutiny.parts.wording.layout import cropped
from scrutiny.parts.wording.numbers import interval, number, out_of, p_value
from scrutiny.run.comparing.flips import FlippedItems, Noise
from scrutiny.run.comparing.levels import Level, ShownChange
from scrutiny.run.comparing.slices import Change

_TO: Final = "\N{NO-BREAK SPACE}\N{RIGHTWARDS ARROW}\N{NO-BREAK SPACE}"
_MOST_TESTS: Final = 6
_LONGEST_TEXT: Final = 600
_LONGEST_ANSWER: Final = 160
LEVELS: Final = Chapter(
    "levels",
    "Which inputs changed",
    "The second model against the first, item by item. The noise floor comes first: what no new "
    "model is needed for.",
)
#: Measures of agreement by what they are called, with their units.
MEASURES: Final[Mapping[str, str]] = {
    "agreement@1": "same answer",
    "kappa@1": "kappa",
    "error_consistency@1": "error consistency",
    "capa@1": "CAPA",
    "capa_of_labels@1": "CAPA of labels",
    "jsd@1": "JSD, bits",
    "tv@1": "total variation",
    "kl_ab@1": "KL from the first, nats",
    "kl_ba@1": "KL from the second, nats",
}
#: Why a measure has no value, by its code.
_REASONS: Final[Mapping[str, str]] = {
    "no_probabilities": "neither side has probabilities",
    "one_sided_probabilities": "one side alone has probabilities",
    "no_distribution": "what stands for probabilities does not sum to 1",
    "other_labels": "both have other labels",
    "other_choices": "both had other choices",
    "several_datasets": "labels of several datasets",
    "several_sets": "items have different numbers of choices",
    "no_value": "both never vary",
}
_FLOORS: Final[Mapping[str, str]] = {
    "replicates": "the first model between its replicates",
    "another run": "the first model between two runs of it",
    "asked again": "the first model asked again",
    "exact": "the first model asked again, whose answers are exact",
    "unknown": "the same answers of the first model twice",
}


def level_part(
    level: Level, anchor: str, *, margin: float | None, top: int, is_whole: bool
) -> Part:
    """Everything that is said of one level.

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
    charts = (
        *_flips(f"{anchor}-flips", level),
        *_agreement(f"{anchor}-agreement", level),
        *_slices(f"{anchor}-slices", level, margin=margin, is_whole=is_whole),
        *_inputs(f"{anchor}-inputs", level, top, is_whole=is_whole),
    )
    title = f"{level_name(level)} on {level.dataset}: {level.reference} against {level.subject}"
    return Part(anchor, title, "", charts, chapter=LEVELS, facts=tuple(_facts(level, margin)))


def _facts(level: Level, margin: float | None) -> Iterator[tuple[str, str]]:
    """Facts of the comparison in words, each with its name: noise floor, change, test, verdict."""
    found = level.difference
    yield "noise floor", noise_words(level.noise)
    if found.value is not None and found.low is not None and found.high is not None:
        change = replace(found, value=-found.value, low=-found.high, high=-found.low)
        sides = f"{number(level.overall.before)}{_TO}{number(level.overall.after)}"
        of = out_of(found, sign=" of ")
        yield "change", f"{sides}: {interval(change, signed=True)}; {of}"
    if level.flips is not None:
        yield "sign test" if level.flips.is_graded else "McNemar", _test_words(level.flips)
    tested = len(level.changes) - 1
    if not tested:
        yield "slices", "no slice has 20 items on either side"
    elif not level.shown:
        yield "slices", f"no slice is shown to change otherwise than the rest ({tested} tested)"
    if not level.disagreements:
        yield "inputs", "no input differs"
    if level.detectable is not None:
        yield "could show", f"a difference of {number(level.detectable)} (80 % power, these items)"
    if level.outcome is not None:
        yield f"loss > {margin:g}", level.outcome


def noise_words(noise: Noise) -> str:
    """The noise floor in words: how many items flip where the first model meets itself."""
    if noise.share is None:
        return (
            "not known: the first model was run once. Give a second run of it with --again, or "
            "replicates."
        )
    how = {
        "replicates": f"between two replicates of the first ({noise.n_pairs} pairs)",
        "another run": f"between two runs of the first ({noise.n_pairs} pairs)",
        "asked again": f"where the first is asked again ({noise.n_items} items, other batches)",
        "exact": "where the first is asked again: its adapter promises exact answers",
    }[noise.how]
    return f"{noise.share:.1%} of items flip {how}"


def _test_words(flips: FlippedItems) -> str:
    """McNemar's test, of scores the sign test, of each pair of replicates."""
    said = [f"{p_value(test.p_value)} ({test.n} flip)" for test in flips.tests[:_MOST_TESTS]]
    left = len(flips.tests) - len(said)
    return f"mid-p {', '.join(said)}" + (f", {left} more pairs" if left else "")


def _flips(anchor: str, level: Level) -> Iterator[Chart]:
    """Share of items that flip, beside how many do without any new model."""
    noise, flips, rates = level.noise, level.flips, dict[str, Estimate]()
    if noise.share is not None:
        rates["noise floor"] = _stated(level.difference, noise.share, noise.n_items)
    if flips is not None:
        names = ("worse", "better") if flips.is_graded else ("right to wrong", "wrong to right")
        n = flips.broken.counts.n
        rates["flips, either way"] = _stated(flips.broken, flips.share, n)
        rates |= dict(zip(names, (flips.broken, flips.mended), strict=True))
        if flips.answers_differ is not None:
            rates["another answer"] = _stated(flips.broken, flips.answers_differ, n)
    return forest_or_table(
        anchor,
        "How many items flip",
        "Share of the items, with intervals. The dashed line is the noise floor, where it is known "
        "and not 0: what the first model does to itself.",
        [Line(name, {"share of items": found}) for name, found in rates.items()],
        metric="share of items",
        limit=noise.share,
    )


def _stated(
    like: Estimate, value: float, n: int, low: float | None = None, high: float | None = None
) -> Estimate:
    """A number of the same two sides as an estimate has it that can be drawn."""
    return replace(like, value=value, low=low, high=high, counts=Counts(n), denominator=None)


def _agreement(anchor: str, level: Level) -> Iterator[Chart]:
    """Measures of agreement beside those of the first model against itself."""
    found, lines = level.agreement, list[Line]()
    itself = "with itself" if found.floor_of == "unknown" else "floor"
    for one in found.rows:
        series = {} if one.estimate is None else {"both": one.estimate}
        if one.floor is not None:
            series[itself] = _stated(level.difference, one.floor, level.difference.counts.n)
        why = f" ({_REASONS.get(one.reason, one.reason)})" if one.reason else ""
        lines.append(Line(MEASURES[one.measure] + why, series))
    caption = "Agreement beyond chance, and distances of probabilities, with intervals."
    if any(itself in line.series for line in lines):
        caption += f" {itself.capitalize()}: {_FLOORS[found.floor_of]}."
    if lines:
        yield Chart(anchor, "How far both agree", caption, None, forest_table(lines))


def _slices(anchor: str, level: Level, *, margin: float | None, is_whole: bool) -> Iterator[Chart]:
    """Change of every slice, or of those that are shown or asked for, the clearest first."""
    shown = {one.change.name: one for one in level.shown}
    rest = sorted(level.changes[1:], key=lambda change: change.p)
    told = [one for one in rest if one.name not in shown and (is_whole or one.name in level.asked)]
    told = [level.overall] * is_whole + [one.change for one in level.shown] + told
    lines, rows = [], []
    for change in told:
        state, more = _state(change, shown.get(change.name), level)
        moved = _stated(level.difference, change.value, change.n, change.low, change.high)
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
        "Second minus first, with the intervals that all slices together need; p is corrected for "
        "all of them. Zero is solid, the largest loss that does not matter dashed.",
        lines,
        metric="change",
        limit=None if not margin else margin if level.lower_is_better else -margin,
        table=ChartTable(header, tuple(rows), 2),
    )


def _state(change: Change, found: ShownChange | None, level: Level) -> tuple[str, str]:
    """Verdict on a slice (worse, better, not shown), and which answers mostly changed."""
    word = "better" if is_gain(change, level) else "worse"
    if found is not None and found.goes_back_to:
        return "nothing of its own", f" beside {found.goes_back_to!r}"
    if found is None or found.turn is None:
        return word if change.is_shown else "not shown", ""
    before, after, count, total = found.turn
    turn = f"{_answer(before)}{_TO}{_answer(after)}"
    return word, f", mostly {turn} ({count} of {total} changed answers)"


def _answer(text: str) -> str:
    return cropped(one_line(text), _LONGEST_ANSWER)


def _inputs(anchor: str, level: Level, top: int, *, is_whole: bool) -> Iterator[Chart]:
    """Inputs that differ most beyond noise, with what either side says."""
    header = ("input", "answers", "gold", "slices", "level", "rank", "from")
    rows = tuple(
        (
            cropped(one_line(one.text), _LONGEST_TEXT),
            "" if one.first is None else f"{_answer(one.first)}{_TO}{_answer(str(one.second))}",
            "" if one.gold is None else _answer(one.gold),
            ", ".join(one.slices),
            f"{number(one.before, 2)}{_TO}{number(one.after, 2)}",
            number(one.rank, 2),
            one.source or one.item,
        )[: len(header) if is_whole else -1]
        for one in level.disagreements[:top]
    )
    title = f"Inputs that differ most beyond noise, {len(rows)} of {len(level.disagreements):,}"
    caption = "Ordered by rank: how far both lie apart, times the share that noise leaves."
    if rows:
        table = ChartTable(header[: len(rows[0])], rows, len(header))
        yield Chart(anchor, title, caption, None, table)
