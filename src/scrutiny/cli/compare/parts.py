"""Parts of a comparison, the same for terminal and page."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from scrutiny.cli.compare.levels import agreement_part, level_part
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plugin import unversioned
from scrutiny.diagnostics.invariance.parts import invariance_part
from scrutiny.diagnostics.similarity.parts.likeness import likeness_chart
from scrutiny.parts.charts.findings import forest_or_table
from scrutiny.parts.charts.tables import forest_table
from scrutiny.parts.part import Chapter, Part
from scrutiny.parts.run.lines import Line
from scrutiny.parts.wording.labels import full_labels
from scrutiny.run.comparing.levels import SideBySide
from scrutiny.run.comparing.numbers import RunComparison
from scrutiny.run.comparing.shared import SharedInvariances

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
        yield level_part(level, f"level-{place}", margin=margin, top=top, is_whole=is_whole)
    if whole.shared is not None:
        yield from _shared(whole.shared)
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


def _shared(shared: SharedInvariances) -> Iterator[Part]:
    """A part for each direction, the judged one first, and one for the vectors."""
    if shared.judged:
        yield invariance_part(shared.judged, "kept-of-the-first", chapter=SHARED)
    back = [one for one in shared.kept if one not in shared.judged]
    if back:
        one = invariance_part(back, "kept-of-the-second", chapter=SHARED)
        yield replace(one, title=f"{one.title} (reported, not judged)")
    if shared.likened or shared.findings:
        charts = tuple(likeness_chart(shared.likened, "vectors-chart", "Likeness"))
        facts = tuple((f.verdict, f"{f.claim.says}; {f.reason}") for f in shared.findings)
        title = "Vectors of the last layers"
        yield Part("vectors", title, "", charts, chapter=VECTORS, facts=facts)


def _numbers(found: RunComparison, *, is_whole: bool) -> Iterator[Part]:
    """Numbers of both runs: those shown to differ first; the others if requested."""
    known = [(f.verdict == "undecided", f.estimate) for f in found.findings if f.estimate]
    told = sorted((one for one in known if is_whole or not one[0]), key=lambda one: one[0])
    labels = full_labels([e.key for _, e in told]) if told else []
    labels = [_named(one, e.key, found) for one, (_, e) in zip(labels, told, strict=True)]
    listed = [
        Line(label, {"not shown to differ" if is_same else "differs": e})
        for label, (is_same, e) in zip(labels, told, strict=True)
    ]
    drawn = [line for line in listed if all(map(_is_share, line.series.values()))] or listed
    title = f"Numbers of both runs, second minus first (Holm over {len(known)})"
    table, metric = forest_table(listed), "second minus first"
    charts = tuple(
        forest_or_table("numbers-chart", title, _SHARES, drawn, metric=metric, table=table)
    )
    if charts:
        yield Part("differing", title, "", charts, chapter=NUMBERS)


def _named(label: str, key: EstimateKey, found: RunComparison) -> str:
    """Label of a number, with what its data call the metric: "drop(BLEU (13a))"."""
    for (dataset, metric), name in found.metric_names.items():
        if dataset == key.dataset:
            label = re.sub(rf"\b{re.escape(unversioned(metric))}\b", name, label)
    return label


def _is_share(found: Estimate) -> bool:
    """Whether a difference has an interval that fits the axis of shares."""
    ends = (found.value, found.low, found.high)
    return all(end is not None and abs(end) <= 1 for end in ends)
