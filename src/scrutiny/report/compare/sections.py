"""Sections of a comparison, the same for terminal and page: scores, invariances, numbers."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.forest import Line, forest_or_table, forest_table
from scrutiny.blocks.labels import full_labels, metric_words
from scrutiny.blocks.numbers import interval, number, out_of, p_value
from scrutiny.blocks.section import Chapter, Part
from scrutiny.blocks.terminal_and_markdown import answer_cell
from scrutiny.core.boundary.printable import percent
from scrutiny.diagnostics.similarity.side_by_side.side_by_side_charts import (
    TO,
    agreement_chart,
    flips_chart,
    inputs_chart,
    stated,
)
from scrutiny.report.compare.certified import certificate_facts
from scrutiny.report.compare.headline import level_name, metric_name
from scrutiny.run.comparing.comparison_results import (
    Level,
    SharedInvariances,
    SideBySide,
    is_gain,
)
from scrutiny.run.comparing.paired_numbers import RunComparison

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
    level: Level,
    anchor: str,
    *,
    margin: float | None,
    top: int,
    is_whole: bool,
    has_certificate: bool = False,
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
    has_certificate
        Whether its certificate is among its facts: where there is one level, it is said above.
    """
    differing = level.disagreements
    charts = (
        *inputs_chart(f"{anchor}-inputs", differing[:top], len(differing), is_whole=is_whole),
        *_slices(f"{anchor}-slices", level, margin=margin, is_whole=is_whole),
        *flips_chart(f"{anchor}-flips", level.flips, level.noise),
    )
    facts = tuple(_facts(level, margin))
    if margin is not None and has_certificate:
        facts += tuple(certificate_facts(level, margin))
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
    noise = level.noise
    if noise.share is None:
        yield (
            "noise floor",
            "not known: the first model was run once. Give a second run of it with --again, or "
            "replicates.",
        )
    else:
        how = {
            "replicates": f"between two replicates of the first ({noise.n_pairs} pairs)",
            "another run": f"between two runs of the first ({noise.n_pairs} pairs)",
            "asked again": f"when the first is asked again ({noise.n_items} items, other batches)",
            "exact": "when the first is asked again: its adapter promises exact answers",
        }[noise.how]
        yield "noise floor", f"{percent(noise.share)} of items flip {how}"
    if found.value is not None and found.low is not None and found.high is not None:
        change = replace(found, value=-found.value, low=-found.high, high=-found.low)
        sides = f"{number(level.overall.before)}{TO}{number(level.overall.after)}"
        of = out_of(found, sign=" of ")
        yield "change", f"{sides}: {interval(change, signed=True)}; {of}"
    if level.flips is not None:
        said = [
            f"{p_value(test.p_value)} ({test.n} flip)" for test in level.flips.tests[:_MOST_TESTS]
        ]
        left = len(level.flips.tests) - len(said)
        yield (
            "sign test" if level.flips.is_graded else "McNemar",
            (f"mid-p {', '.join(said)}" + (f", {left} more pairs" if left else "")),
        )
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


def _slices(anchor: str, level: Level, *, margin: float | None, is_whole: bool) -> Iterator[Chart]:
    """Change of every slice, or of the shown or requested ones, clearest first."""
    shown = {one.change.name: one for one in level.shown}
    rest = sorted(level.changes[1:], key=lambda change: change.p)
    told = [one for one in rest if one.name not in shown and (is_whole or one.name in level.asked)]
    told = [level.overall] * is_whole + [one.change for one in level.shown] + told
    lines, rows = [], []
    for change in told:
        found = shown.get(change.name)
        state, more = "better" if is_gain(change, level) else "worse", ""
        if found is not None and found.goes_back_to:
            state, more = "nothing of its own", f" beyond {found.goes_back_to!r}"
        elif found is not None and found.turn is not None:  # its most frequent change
            before, after, count, total = found.turn
            turn = f"{answer_cell(before)}{TO}{answer_cell(after)}"
            more = f", mostly {turn} ({count} of {total} changed answers)"
        elif not change.is_shown:
            state = "not shown"
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


SHARED: Final = Chapter(
    "shared",
    "Shared invariances",
    "Texts were changed so that one model keeps its answer, and the other was asked about them, "
    "too.",
)
VECTORS: Final = Chapter(
    "likeness", "Similarity of last-layer vectors", "Reported, but not judged."
)
NUMBERS: Final = Chapter(
    "numbers",
    "Numbers that both runs have",
    "Of any diagnostic, paired on items, with one correction over all.",
)
_SHARES: Final = (
    "Numbers that are shown to differ come first; shares are drawn, all numbers are listed."
)
DIFFERENTLY: Final = Chapter("differently", "What the runs did differently", "")


def parts_of(
    whole: SideBySide, *, margin: float | None, top: int, is_whole: bool
) -> Iterator[Part]:
    """Levels, shared invariances, the numbers of both runs, and differences of the runs.

    Parameters
    ----------
    whole
        What two sides show.
    margin
        Largest loss that does not matter, or nothing.
    top
        Inputs of each level, at most.
    is_whole
        Whether what does not differ is said, too.
    """
    for place, level in enumerate(whole.levels, 1):
        yield level_part(
            level,
            f"level-{place}",
            margin=margin,
            top=top,
            is_whole=is_whole,
            has_certificate=len(whole.judged) > 1,
        )
    if whole.shared is not None:
        yield from _shared_parts(whole.shared)
    yield from _numbers(whole.comparison, is_whole=is_whole)
    for place, level in enumerate(whole.levels, 1):
        yield from agreement_part(level, f"agreement-{place}")
    said = [text.partition(": ") for text in whole.comparison.differences]
    facts = tuple((name, words) for name, _, words in said)
    if is_whole and not facts:
        facts = (("nothing", "except for the models: same versions, same seed, same data"),)
    if facts:
        title = "The runs also differ in"
        yield Part("differences", title, "", (), chapter=DIFFERENTLY, facts=facts)


def _shared_parts(shared: SharedInvariances) -> Iterator[Part]:
    """Parts of shared invariances, and of the likeness of vectors."""
    # what two stored sides never show
    from scrutiny.diagnostics.invariance.kept_answers import invariance_part
    from scrutiny.diagnostics.similarity.likeness_chart import likeness_chart

    if shared.judged:
        yield invariance_part(shared.judged, "kept-of-the-first", chapter=SHARED)
    back = [one for one in shared.kept if one not in shared.judged]
    if back:
        one = invariance_part(back, "kept-of-the-second", chapter=SHARED)
        yield replace(one, title=f"{one.title} (reported, not judged)")
    if shared.likened or shared.findings:
        vectors = tuple(likeness_chart(shared.likened, "vectors-chart", "Likeness"))
        facts = tuple((f.verdict, f"{f.claim.says}; {f.reason}") for f in shared.findings)
        title = "Vectors of the last layers"
        yield Part("vectors", title, "", vectors, chapter=VECTORS, facts=facts)


def _numbers(found: RunComparison, *, is_whole: bool) -> Iterator[Part]:
    """Numbers of both runs: those shown to differ first; the others if requested."""
    known = [(f.verdict == "undecided", f.estimate) for f in found.findings if f.estimate]
    told = sorted((one for one in known if is_whole or not one[0]), key=lambda one: one[0])
    labels = full_labels([e.key for _, e in told]) if told else []
    listed, drawn = [], []
    for label, (is_same, e) in zip(labels, told, strict=True):
        label = label.replace(e.key.metric_name, metric_name(e.key.metric, e.key.diagnostic))
        for (dataset, metric), name in found.metric_names.items():
            if dataset == e.key.dataset:  # what its data call the metric: "BLEU (13a) drop"
                label = re.sub(rf"\b{re.escape(metric_words(metric))}\b", name, label)
        listed.append(Line(label, {"not shown to differ" if is_same else "differs": e}))
        # those with an interval that fits the axis of shares
        if all(end is not None and abs(end) <= 1 for end in (e.value, e.low, e.high)):
            drawn.append(listed[-1])
    title = f"Numbers of both runs, second minus first (Holm over {len(known)})"
    table, metric = forest_table(listed), "second minus first"
    charts = tuple(
        forest_or_table(
            "numbers-chart", title, _SHARES, drawn or listed, metric=metric, table=table
        )
    )
    if charts:
        yield Part("differing", title, "", charts, chapter=NUMBERS)
