"""Data of single heads in a run's records and arrays, beyond its estimates."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.design import Selector
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.record import HEADS, LAYERS
from scrutiny.diagnostics.attention.parts.head_map import SCORES, HeadMap, HeadValue
from scrutiny.parts.run.assigned import key_of
from scrutiny.parts.run.estimates import HeadPlace
from scrutiny.parts.run.identity import identity
from scrutiny.parts.run.view import Records, RunView
from scrutiny.store.run_folder import RunFolder

if TYPE_CHECKING:
    import pyarrow as pa

WORDS: Final = "example_words"
HEADS_OF: Final = "example_heads"
_AXES: Final = [LAYERS[0], HEADS[0]]
_REPLICATE: Final = 0  # whose predictions are drawn: the first, whatever it is
_COUNTS: Final = ("tp", "predicted", "gold")


@dataclass(frozen=True, slots=True, eq=False)
class AttendedExample:
    """One example with the words that every head predicted.

    Parameters
    ----------
    kind, subject, dataset, replicate
        Whose predictions they are.
    condition
        Under which they were made.
    item, source
        Which example it is, and where it came from.
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
    source: str
    words: tuple[str, ...]
    anchors: tuple[int, ...]
    targets: tuple[int, ...]
    predicted: np.ndarray[Any, Any]

    def predicted_by(self, place: HeadPlace) -> set[int]:
        """Words that a head predicts to belong to the anchor."""
        layer, head = place
        return set(self.predicted[layer - 1, head - 1].nonzero()[0].tolist())


def maps_of_controls(view: RunView) -> Iterator[HeadMap]:
    """Scores of every head of control families, computed from the records.

    A run computes of its controls what is subtracted; their heads, one by one, are not.
    """
    manifest = view.manifest
    models = manifest.get("models", {})
    controls = [name for name, model in models.items() if model.get("role") == "control"]
    known: set[str] = set()
    for assigned in manifest.get("specs", ()) if controls else ():
        for control in controls if _is_of_counts(assigned) else ():
            mine = {**assigned, "subject": control, "within": {}}
            name = identity(key_of(mine))
            # a family of another size has other measures: then its records do not fit
            found = None if name in known else _map(mine, view.records)
            if found is not None:
                known.add(name)
                yield found


def _is_of_counts(assigned: Mapping[str, Any]) -> bool:
    """Whether a specification is a score of every head, from records of one dataset."""
    spec = assigned["spec"]
    is_plain = not (spec["at"] or spec["beside"] or spec.get("where"))
    own = all(side["of"] == "own" for side in spec["sides"].values())
    name, score = name_and_arguments(spec["metric"])
    is_score = name == "head" and score in SCORES
    return is_plain and own and is_score and list(spec["along"]) == _AXES


def _map(assigned: Mapping[str, Any], records: Records) -> HeadMap | None:
    """Map of one score of one control family; `None` if it has no such records."""
    from scrutiny.reliability.derive import join

    found = records.recorded(assigned)
    if found is None:
        return None
    spec = assigned["spec"]
    try:
        sides = {
            n: found.select(Selector(**s), assigned["within"]) for n, s in spec["sides"].items()
        }
        joined = join(found.panel, sides, needs=_COUNTS)
        names = [found.panel.replicates[i] or "{}" for i in joined.replicates]
        if not names or not joined.rows.size:
            return None
        cells = _cells(joined.values.sum(axis=1), names, assigned)
    except ScrutinyError:
        return None
    return HeadMap(replace(key_of(assigned), role="control"), cells)


def _cells(
    sums: np.ndarray[Any, Any], names: list[str], assigned: Mapping[str, Any]
) -> dict[HeadPlace, HeadValue]:
    """Scores by layer and head from sums ``(replicate, count)``."""
    from itertools import product

    from scrutiny.diagnostics.attention.metrics.heads import HEAD
    from scrutiny.diagnostics.attention.metrics.scores import KINDS

    _, score = name_and_arguments(assigned["spec"]["metric"])
    kind = next(kind for kind in KINDS if kind == score)
    scores = HEAD.of(kind).sides(sums)[0].score(kind)  # (replicate, head)
    lengths = {axis: length for measure in assigned["measures"] for axis, length in measure["axes"]}
    places = product(*(range(1, lengths[axis] + 1) for axis in _AXES))
    return {
        place: HeadValue.mean(
            {name: float(v) for name, v in zip(names, scores[:, i], strict=True) if np.isfinite(v)}
        )
        for i, place in enumerate(places)
    }


def examples_of(view: RunView) -> Iterator[AttendedExample]:
    """Stored examples with predictions, of the first replicate of each measured family."""
    folder, manifest = view.records.folder, view.manifest
    if folder is None:
        return
    models = manifest.get("models", {})
    own = [n for n, model in models.items() if model.get("role", "measured") == "measured"]
    for name, measured in manifest.get("measure", {}).items():
        for dataset in manifest.get("data", {}):
            rows: list[dict[str, Any]] | None = None
            for family in own:
                of = measured, family, _replicate_name(manifest, family, _REPLICATE)
                for start, arrays in _shards(folder, f"measure/{name}/{dataset}", family):
                    if rows is None:
                        rows = _items(folder.items(), dataset)
                    yield from _examples(folder, arrays, rows[start:], of=of)


def _shards(folder: RunFolder, task: str, family: str) -> Iterator[tuple[int, str]]:
    """First item of each shard with stored examples, and the name of its arrays."""
    for start in sorted(int(name) for name in folder.arrays_under(task) if name.isdecimal()):
        arrays = f"{task}/{start}/{family}/{_REPLICATE}"
        if folder.has_array(f"{arrays}/{WORDS}"):
            yield start, arrays


def _items(items: "pa.Table", dataset: str) -> list[dict[str, Any]]:
    """Items of a dataset in the order of the plan."""
    import pyarrow.compute as pc

    names = ["dataset", "item", "source", "fields"]
    return list(items.select(names).filter(pc.equal(items["dataset"], dataset)).to_pylist())


def _examples(
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
        yield AttendedExample(
            kind=measured["kind"],
            subject=family,
            dataset=row["dataset"],
            replicate=replicate,
            condition={"preset": presets[0]} if presets else {},
            item=row["item"],
            source=row["source"] or "",
            words=_words(json.loads(row["fields"]), own),
            anchors=tuple(own[:, 3].nonzero()[0].tolist()),
            targets=tuple(own[:, 4].nonzero()[0].tolist()),
            predicted=predicted[..., mine],
        )


def _words(fields: Mapping[str, str], own: np.ndarray[Any, Any]) -> tuple[str, ...]:
    """Words of the first field, by their boundaries."""
    text = next(iter(fields.values()), "")
    return tuple(text[start:end] for start, end in own[:, 1:3].tolist())


def _replicate_name(manifest: Mapping[str, Any], family: str, position: int) -> str:
    """Canonical name of the replicate of a family at a position."""
    replicates = manifest.get("models", {}).get(family, {}).get("replicates", ())
    if position >= len(replicates):
        return "{}"
    return canonical_json(replicates[position].get("random", {}))
