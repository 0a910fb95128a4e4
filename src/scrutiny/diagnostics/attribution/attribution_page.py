"""May explanations be believed: words removed, seeds and weights exchanged, shaded texts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    axis,
    drawn,
    guide,
    interval_and_point,
    label_axis,
    view_of,
)
from scrutiny.blocks.numbers import NO_VALUE, interval, number
from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.scored_texts import EXPLAINED, ScoredText, gaps_before, shaded
from scrutiny.blocks.section import FINDINGS, InShort, Part, ReportPart, SentenceBlock, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.boundary.printable import whole_percent
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.diagnostics.attribution.attribution_curves import deletion_curves
from scrutiny.diagnostics.attribution.believed import believed_chart, by_method
from scrutiny.diagnostics.attribution.removal import KEPT
from scrutiny.store.stored_forms import packed_rows

_NAME: Final = "attribution"
_RANDOM: Final = "random"
_MOST_TEXTS: Final = 3
_MOST_SEEDS: Final = 3
_MOST_ANSWERS: Final = 2
_LEAD: Final = (
    "An explanation gives each word of a text a score. It may be believed no further than this: "
    "removing the words that it names changes the answer more than removing as many at random, "
    "another seed names mostly the same words, and random weights do not. Which words are dark is "
    "the last thing to look at."
)


class _Removed(NamedTuple):
    """Numbers of one method on one dataset, alone and beyond random attributions; the verdict."""

    method: str
    own: Estimate | None
    gap: Estimate
    flips: Estimate | None
    verdict: str


def _removed(view: RunView, own: Sequence[Estimate]) -> list[_Removed]:
    """Numbers of each method of one model on one dataset, the largest difference first."""
    known = {(e.key.metric, str(e.key.condition.get("method"))): e for e in own}
    verdicts = {
        identity(f.estimate.key): f.verdict for f in view.findings if f.estimate is not None
    }
    found = []
    for (metric, method), gap in known.items():
        if metric == "gap(mean(comprehensiveness))@1":
            name = method.removesuffix(f" - {_RANDOM}")
            level = known.get(("mean(comprehensiveness)@1", name))
            flips = known.get(("gap(mean(flip_share))@1", method))
            found.append(
                _Removed(name, level, gap, flips, verdicts.get(identity(gap.key), NO_VALUE))
            )
    return sorted(found, key=lambda one: -(one.gap.value or 0.0))


def part(view: RunView) -> Part | None:
    """Removal, its curves, agreement, and shaded texts of each model on each dataset."""
    charts = []
    for (subject, dataset), own in _by_model(view).items():
        where, name = view.on_data(subject, dataset), digest(subject, dataset, size=4)
        rows = _removed(view, own)
        names = [one.method for one in rows]
        if methods := by_method(view.findings, subject, dataset):
            charts.append(believed_chart(methods, names, where, name))
        charts += [_removal_chart(rows, own, where, name)] if rows else []
        charts += [deletion_curves(names, own, where, name)] if rows else []
        charts += _agreement(own, where, name)
        if rows:
            charts += _texts(view, subject, dataset, rows, name)
    answers = [*_told(view)]
    return part_of(
        _NAME,
        "May these explanations be believed?",
        " ".join([*(answers if len(answers) <= _MOST_ANSWERS else ()), _LEAD]),
        charts,
        "charts",
        most=12,
        chapter=FINDINGS,
    )


def _by_model(view: RunView) -> dict[tuple[str, str], list[Estimate]]:
    """Numbers of attributions by model and dataset."""
    return grouped(
        ((e.key.subject, e.key.dataset), e)
        for e in view.estimates
        if e.key.diagnostic_name.partition(".")[0] == _NAME
        and e.key.role in ("measured", "control")
    )


def _removal_chart(
    rows: Sequence[_Removed], own: Sequence[Estimate], where: str, name: str
) -> Chart:
    """Loss without the words that each method names, beyond that without as many at random."""
    null = _null(own, "mean(comprehensiveness)@1")
    points: list[dict[str, Any]] = [{"label": one.method, **drawn(one.gap)} for one in rows]
    place = {"y": label_axis([one.method for one in rows])}
    value = axis("value", "loss of probability beyond random removal")
    layers = interval_and_point(place, value, "label", "interval", along="x", size=70)
    random = NO_VALUE if null is None else interval(null)
    n = rows[0].gap.counts.n
    return Chart(
        anchor=f"attribution-removal-{name}",
        title=f"Words removed from {where}",
        caption="A method to the right of the line names what the answer hangs on, more than "
        f"chance does. Random removal costs {random} of the answer's probability ({n:,} texts).",
        spec=view_of(points, height={"step": 26}, layer=[guide(0.0, dashed=False), *layers]),
        table=ChartTable(
            (
                "method",
                "beyond random",
                "more than chance?",
                "whole loss",
                "share removed until it flips, beyond random",
            ),
            tuple(
                (
                    one.method,
                    interval(one.gap),
                    one.verdict,
                    interval(one.own),
                    interval(one.flips),
                )
                for one in rows
            ),
        ),
        is_open=True,
    )


def _null(own: Sequence[Estimate], metric: str) -> Estimate | None:
    """Number of random attributions."""
    return next((e for e in own if e.key.metric == metric and e.key.role == "control"), None)


_COMPARED: Final[Mapping[str, str]] = {
    "attribution.seeds": "another seed",
    "attribution.sensitivity": "a word less",
    "attribution.methods": "another method",
    "attribution.weights": "random weights",
}


def _agreement(own: Sequence[Estimate], where: str, name: str) -> Iterator[Chart]:
    """Share of the words named that stay the same, by what was exchanged."""
    rows = []
    by_kind = grouped((e.key.diagnostic_name, e) for e in own)
    for kind, words in _COMPARED.items():
        numbers = by_kind.get(kind, ())
        null = _null(numbers, "mean(shared)@1")
        for e in numbers:
            if e.key.metric == "mean(shared)@1" and e.key.role == "measured":
                condition = e.key.condition
                what = str(condition.get("method") or condition.get("between"))
                layers = condition.get("layers")
                with_ = (
                    words if layers is None else f"{words} in {whole_percent(float(str(layers)))}"
                )
                chance = NO_VALUE if null is None else number(null.value)
                rows.append((what, with_, interval(e), chance))
    if rows:
        yield Chart(
            anchor=f"attribution-agreement-{name}",
            title=f"Words that stay the same, {where}",
            caption="Share of the fifth of the words with the highest scores that is named again. "
            "High in another seed and low with random weights (of so many of the layers) is as it "
            "should be.",
            table=ChartTable(("method", "with", "the same words", "by chance"), tuple(rows), 2),
        )


def _texts(
    view: RunView, subject: str, dataset: str, rows: Sequence[_Removed], name: str
) -> Iterator[Chart]:
    """Some texts, shaded by the scores of the best method in each replicate."""
    folder = view.records.folder
    if folder is None or not view.has_texts:
        return
    kept: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for task in view.manifest.get("measure", {}):
        start = folder.path / "arrays" / "measure" / task / dataset
        for path in sorted(start.glob(f"*/{subject}/*/{KEPT}.npy")):
            seed = path.parent.name
            for one in packed_rows(path):
                kept.setdefault(one["item"], []).append((seed, one))
    best = next((one.method for one in rows if one.verdict == "supported"), rows[0].method)
    replicates = view.manifest.get("models", {}).get(subject, {}).get("replicates", ())
    shown: list[ScoredText] = []
    table = []
    for item, several in list(kept.items())[:_MOST_TEXTS]:
        for seed, one in several[:_MOST_SEEDS]:
            if (scores := one["scores"].get(best)) is None:
                continue
            drawn_by = replicates[int(seed)].get("random", {}) if replicates else {}
            who = ", ".join(f"{k} {v}" for k, v in drawn_by.items())
            title = f"{f'{who}: ' if who else ''}why {one['target']}?"
            gaps = gaps_before(one["words"], one["fields"])
            fixed = one.get("fixed", ())
            shown.append(shaded(title, one["words"], scores, gaps, fixed=fixed, of=item))
            told = ", ".join(f"{word.text} {number(word.score)}" for word in shown[-1].top(3))
            table.append((f"{item}{f', {who}' if who else ''}", one["target"], told or NO_VALUE))
    has_tags = any(word.shade == EXPLAINED for text in shown for word in text.words)
    if shown:
        yield Chart(
            anchor=f"attribution-texts-{name}",
            title=f"Texts as {best} explains them",
            caption="The darker a word, the more it speaks for the answer; words with a dotted "
            "line speak against it. Each text by itself: shades of two texts cannot be compared."
            + " Outlined words are those whose tag is explained."
            * has_tags,
            table=ChartTable(("text", "answer", "words with the largest scores"), tuple(table), 3),
            scored=tuple(shown),
            has_texts=True,
        )


def _told(view: RunView) -> Iterator[str]:
    """A sentence on each model: how many methods beat random attributions, and which by most."""
    for (subject, dataset), own in _by_model(view).items():
        rows = _removed(view, own)
        if not rows:
            continue
        better = [one for one in rows if one.verdict == "supported"]
        where = view.on_data(subject, dataset)
        if better:
            first = better[0]
            yield (
                f"{len(better)} of {len(rows)} methods name what {where} uses more than chance; "
                f"{first.method} most: removal costs {interval(first.gap)} of probability more."
            )
        else:
            yield f"No method of {len(rows)} is shown to name what {where} uses more than chance."


def _lines(view: RunView) -> Iterator[InShort]:
    """The same in a terminal."""
    for told in _told(view):
        yield SentenceBlock(told)


PART: Final = ReportPart(__doc__, part, lines=_lines)
