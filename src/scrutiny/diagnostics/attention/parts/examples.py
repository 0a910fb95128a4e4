"""Example sentences with arcs from a head's predicted words to the cue: right, missed, wrong."""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final

from scrutiny.core.boundary.canonical import digest
from scrutiny.core.grouping import grouped
from scrutiny.diagnostics.attention.parts.head_map import SCORES, place_name
from scrutiny.diagnostics.attention.parts.records import AttendedExample, examples_of
from scrutiny.diagnostics.attention.parts.study import (
    HEADS,
    HeadStudy,
    head_study,
    score_of,
    short_names,
)
from scrutiny.parts.charts.sentences import CUE, MISSED, REST, RIGHT, WRONG, Drawing, draw
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.part import Part, ReportPart, left_out
from scrutiny.parts.run.estimates import HeadPlace
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import replicate_words
from scrutiny.parts.wording.numbers import NO_VALUE

_EACH: Final = 3  # examples from either end
_MOST_BLOCKS: Final = 4
_MOST_WORDS: Final = 60
_LEAD: Final = (
    "Predictions of the best head of each family: an arc runs from each predicted word to its "
    "cue. Solid arcs and a check are correct words; dotted arcs and a cross are wrong predictions "
    "(errors of precision); dashed arcs and a ring are missed words (errors of recall). Some "
    "sentences were chosen by the hash of their name; those with the highest and the lowest F1 "
    "among them are drawn. The head was chosen on all data."
)


def part(view: RunView) -> Part | None:
    """Drawings and their tables, for the best head of each measured family and dataset."""
    study = head_study(view)
    blocks = grouped(
        (f"{e.kind} {e.subject} {e.dataset}", e)
        for e in examples_of(view)
        if len(e.words) <= _MOST_WORDS
    )
    names = short_names(list(dict.fromkeys(e.dataset for own in blocks.values() for e in own)))
    found = sorted(  # in the order of the maps
        (
            (at, members)
            for members in blocks.values()
            if (at := _place_among(members[0], study)) is not None
        ),
        key=itemgetter(0),
    )
    charts = tuple(
        _chart(members, head, name=names[members[0].dataset])
        for at, members in found[:_MOST_BLOCKS]
        if (head := study.maps[at].best) is not None
    )
    note = left_out(len(found), _MOST_BLOCKS, "families and datasets")
    title = "Example predictions of the best head"
    return Part("heads-examples", title, _LEAD, charts, note, chapter=HEADS) if charts else None


def _place_among(one: AttendedExample, study: HeadStudy) -> int | None:
    """Position of the F1 map over the whole dataset, with the condition of the examples."""
    for at, found in enumerate(study.maps):
        key = found.key
        is_here = (key.diagnostic, key.subject, key.dataset) == (one.kind, one.subject, one.dataset)
        is_same = one.condition.items() <= key.condition.items()
        if is_here and is_same and score_of(key) == SCORES[0]:
            return at
    return None


def _chart(members: Sequence[AttendedExample], head: HeadPlace, *, name: str) -> Chart:
    shown = _chosen(members, head)
    first = shown[0]
    drawings = tuple(_drawing(e, head, number=i) for i, e in enumerate(shown, start=1))
    replicate = "" if first.replicate == "{}" else f" ({replicate_words(first.replicate)})"
    return Chart(
        anchor=f"heads-examples-{digest(first.kind, first.subject, first.dataset, size=4)}-table",
        title=f"Head {place_name(head)} of {first.subject}{replicate} on {name}",
        caption=f"{len(shown)} of {len(members)} stored sentences.",
        table=ChartTable(("", "cue", *_SPOKEN), tuple(_rows(shown, head)), 5),
        sentences=drawings,
        has_texts=True,
    )


def kinds_of(example: AttendedExample, head: HeadPlace) -> list[str]:
    """Kind of each word of an example for a head; a cue stays a cue even if it is predicted."""
    predicted, targets = example.predicted_by(head), set(example.targets)
    found = []
    for word in range(len(example.words)):
        if word in example.anchors:
            found.append(CUE)
        elif word in predicted:
            found.append(RIGHT if word in targets else WRONG)
        else:
            found.append(MISSED if word in targets else REST)
    return found


def _chosen(members: Sequence[AttendedExample], head: HeadPlace) -> list[AttendedExample]:
    """Examples with the highest and the lowest F1; ties by the hash of their name."""
    ordered = sorted(members, key=lambda e: (-_f1(e, head), digest(e.item)))
    if len(ordered) <= 2 * _EACH:
        return ordered
    return [*ordered[:_EACH], *ordered[-_EACH:]]


def _f1(example: AttendedExample, head: HeadPlace) -> float:
    """F1 of a head in one example."""
    predicted, targets = example.predicted_by(head), set(example.targets)
    both = len(predicted) + len(targets)
    return 2 * len(predicted & targets) / both if both else 0.0


def _drawing(example: AttendedExample, head: HeadPlace, *, number: int) -> Drawing:
    kinds = kinds_of(example, head)
    counts = ", ".join(f"{sum(k == kind for k in kinds)} {kind}" for kind in _SPOKEN)
    title = f"{number}. {example.item}: {counts}"
    return draw(example.words, kinds, title=title, said=_spoken(example, kinds))


_SPOKEN: Final = ("right", "missed", "wrong")


def _spoken(example: AttendedExample, kinds: Sequence[str]) -> str:
    """Text description of the drawing."""
    said = [f"{kind}: {_words(example, kinds, kind)}" for kind in ("cue", *_SPOKEN)]
    return f"{' '.join(example.words)} ({'; '.join(said)})"


def _words(example: AttendedExample, kinds: Sequence[str], kind: str) -> str:
    found = [word for word, own in zip(example.words, kinds, strict=True) if own == kind]
    return ", ".join(found) or NO_VALUE


def _rows(shown: Sequence[AttendedExample], head: HeadPlace) -> Iterator[tuple[str, ...]]:
    for number, example in enumerate(shown, start=1):
        kinds = kinds_of(example, head)
        yield (str(number), *(_words(example, kinds, kind) for kind in ("cue", *_SPOKEN)))


PART: Final = ReportPart(__doc__, part)
