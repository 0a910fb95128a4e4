"""Example sentences with arcs from a head's predicted words to the cue: right, missed, wrong."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import itemgetter
from typing import Any, Final

import numpy as np

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.drawings import CUE, MISSED, REST, RIGHT, WRONG, draw
from scrutiny.blocks.labels import replicate_words
from scrutiny.blocks.numbers import NO_VALUE
from scrutiny.blocks.run_estimates import HeadPlace
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import Part, ReportPart, left_out
from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.record import grouped
from scrutiny.diagnostics.attention.heads import HEADS_OF, WORDS
from scrutiny.diagnostics.attention.parts.head_study import (
    HEADS,
    SCORES,
    HeadStudy,
    head_study,
    place_name,
    score_of,
    short_names,
)
from scrutiny.store.run_folder import RunFolder

_REPLICATE: Final = 0  # whose predictions are drawn: the first, whatever it is


@dataclass(frozen=True, slots=True, eq=False)
class AttendedExample:
    """One example with the words that every head predicted.

    Parameters
    ----------
    kind, subject, dataset, replicate
        Whose predictions they are.
    condition
        Under which they were made.
    item
        Which example it is.
    words, anchors, targets
        Its words; indices of those that are the anchor, and of those that belong to it.
    predicted
        ``(layer, head, word)``, bool.
    """

    kind: str
    subject: str
    dataset: str
    replicate: str
    condition: Mapping[str, object]
    item: str
    words: tuple[str, ...]
    anchors: tuple[int, ...]
    targets: tuple[int, ...]
    predicted: np.ndarray[Any, Any]

    def predicted_by(self, place: HeadPlace) -> set[int]:
        """Words that a head predicts to belong to the anchor."""
        layer, head = place
        return set(self.predicted[layer - 1, head - 1].nonzero()[0].tolist())

    def f1(self, place: HeadPlace) -> float:
        """F1 of a head in this example."""
        predicted, targets = self.predicted_by(place), set(self.targets)
        both = len(predicted) + len(targets)
        return 2 * len(predicted & targets) / both if both else 0.0


def examples_of(view: RunView) -> Iterator[AttendedExample]:
    """Stored examples with predictions, of the first replicate of each measured family."""
    folder, manifest = view.records.folder, view.manifest
    if folder is None:
        return
    models = manifest.get("models", {})
    own = [n for n, model in models.items() if model.get("role", "measured") == "measured"]
    for (name, measured), dataset in product(
        manifest.get("measure", {}).items(), manifest.get("data", {})
    ):
        task, rows = f"measure/{name}/{dataset}", None
        for family in own:
            replicates = models[family].get("replicates", ())
            drawn = replicates[_REPLICATE].get("random", {}) if replicates else {}
            of = measured, family, canonical_json(drawn)
            for start in sorted(int(n) for n in folder.arrays_under(task) if n.isdecimal()):
                arrays = f"{task}/{start}/{family}/{_REPLICATE}"
                if folder.has_array(f"{arrays}/{WORDS}"):
                    rows = rows or _items(folder, dataset)
                    yield from _examples_of_shard(folder, arrays, rows[start:], of=of)


def _items(folder: RunFolder, dataset: str) -> list[dict[str, Any]]:
    """Items of a dataset in the order of the plan."""
    import pyarrow.compute as pc

    items = folder.items()
    names = ["dataset", "item", "fields"]
    return list(items.select(names).filter(pc.equal(items["dataset"], dataset)).to_pylist())


def _examples_of_shard(
    folder: RunFolder,
    arrays: str,
    rows: list[dict[str, Any]],
    *,
    of: tuple[Mapping[str, Any], str, str],
) -> Iterator[AttendedExample]:
    """Examples of one shard; ``rows`` are the items from the shard's first on."""
    measured, family, replicate = of
    words = folder.array(f"{arrays}/{WORDS}")  # (word, 5): example, start, end, anchor?, target?
    packed = folder.array(f"{arrays}/{HEADS_OF}")  # (layer, head, byte)
    predicted = np.unpackbits(packed, axis=-1, count=len(words)).astype(bool)
    presets = measured.get("params", {}).get("presets", ())
    for position in dict.fromkeys(words[:, 0].tolist()):
        mine, row = words[:, 0] == position, rows[position]
        own = words[mine]
        text = next(iter(json.loads(row["fields"]).values()), "")
        yield AttendedExample(
            kind=measured["kind"],
            subject=family,
            dataset=row["dataset"],
            replicate=replicate,
            condition={"preset": presets[0]} if presets else {},
            item=row["item"],
            words=tuple(text[start:end] for start, end in own[:, 1:3].tolist()),
            anchors=tuple(own[:, 3].nonzero()[0].tolist()),
            targets=tuple(own[:, 4].nonzero()[0].tolist()),
            predicted=predicted[..., mine],
        )


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
    placed = [(_place_among(members[0], study), members) for members in blocks.values()]
    known = [(at, members) for at, members in placed if at is not None]
    found = sorted(known, key=itemgetter(0))  # in the order of the maps
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
    """Examples with the highest and the lowest F1 of a head, drawn, and their words by kind."""
    shown = sorted(members, key=lambda e: (-e.f1(head), digest(e.item)))
    if len(shown) > 2 * _EACH:
        shown = [*shown[:_EACH], *shown[-_EACH:]]
    first, drawings, rows = shown[0], [], []
    for number, example in enumerate(shown, start=1):
        kinds = kinds_of(example, head)
        words = grouped(zip(kinds, example.words, strict=True))
        said = {kind: ", ".join(words.get(kind, ())) or NO_VALUE for kind in ("cue", *_SPOKEN)}
        rows.append((str(number), *said.values()))
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in _SPOKEN)
        spoken = "; ".join(f"{kind}: {own}" for kind, own in said.items())
        title = f"{number}. {example.item}: {counts}"
        whole = f"{' '.join(example.words)} ({spoken})"
        drawings.append(draw(example.words, kinds, title=title, said=whole))
    replicate = "" if first.replicate == "{}" else f" ({replicate_words(first.replicate)})"
    return Chart(
        anchor=f"heads-examples-{digest(first.kind, first.subject, first.dataset, size=4)}-table",
        title=f"Head {place_name(head)} of {first.subject}{replicate} on {name}",
        caption=f"{len(shown)} of {len(members)} stored sentences.",
        table=ChartTable(("", "cue", *_SPOKEN), tuple(rows), 5),
        sentences=tuple(drawings),
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


_SPOKEN: Final = ("right", "missed", "wrong")


PART: Final = ReportPart(__doc__, part)
