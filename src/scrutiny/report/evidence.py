"""Which items stand behind a finding: joined from variants, items and outputs of a run."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.claim import Finding
from scrutiny.core.edit import Edit
from scrutiny.core.estimate import EstimateKey
from scrutiny.report.labels import replicate_words
from scrutiny.report.view import Answer, Case, Evidence

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CASES: Final = 12
_NO_ANSWER: Final = "no answer"


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables of a run: items, variants and outputs."""

    items: "pa.Table"
    variants: "pa.Table"
    outputs: "pa.Table"


@dataclass(frozen=True, slots=True)
class _Output:
    """What one replicate answered to one text."""

    answer: str
    scores: tuple[float, ...] | None


def evidence_of(finding: Finding, tables: Tables) -> Evidence | None:
    """Items whose answers changed under the variants that a finding speaks of.

    The variants are those of the finding's diagnostic and dataset whose recipe and draw stand in
    the estimate's condition. Nothing where there are none.
    """
    if finding.estimate is None:
        return None
    key = finding.estimate.key
    variants = _variants(key, tables.variants)
    if not variants:
        return None
    outputs = _outputs(key, variants, tables.outputs)
    replicates = list(dict.fromkeys(replicate for replicate, _, _ in outputs))
    pairs = {
        row["item"]: [
            (outputs.get((r, row["item"], None)), outputs.get((r, row["item"], row["variant"])))
            for r in replicates
        ]
        for row in variants
    }
    whole = {item: p for item, p in pairs.items() if all(a and b for a, b in p)}
    if not whole or not replicates:
        return None
    return _evidence(whole, replicates, variants, _items(key.dataset, list(whole), tables.items))


def _evidence(
    pairs: Mapping[str, Sequence[tuple[Any, Any]]],
    replicates: Sequence[str | None],
    variants: Sequence[Mapping[str, Any]],
    items: Mapping[str, Mapping[str, Any]],
) -> Evidence:
    """Evidence of items that every replicate has answered before and after."""
    import numpy as np

    from scrutiny.report.flip_counts import count_flips

    flipped = np.array([[a.answer != b.answer for a, b in p] for p in pairs.values()])
    margins = _margins(pairs)
    cases = [
        _case(row, pairs[row["item"]], replicates, items[row["item"]])
        for row in variants
        if row["item"] in pairs and row["item"] in items
    ]
    changed = [case for case in cases if case.n_flipped]
    changed.sort(key=lambda case: -case.n_flipped)  # stable: plan order among equals
    counts = count_flips(flipped, margins) if len(replicates) > 1 else None
    return Evidence(tuple(changed[:MOST_CASES]), counts, len(changed))


def _variants(key: EstimateKey, table: "pa.Table") -> list[dict[str, Any]]:
    """Treatments that a condition names; one for each item."""
    recipes = sorted(value for value in key.condition.values() if isinstance(value, str))
    fixed = {"kind": key.diagnostic, "dataset": key.dataset, "role": "measured", "status": "ok"}
    kept = _among(_where(table, **fixed, draw=_draw(key)), "recipe", recipes)
    return list({row["item"]: row for row in kept.to_pylist()}.values())


def _where(table: "pa.Table", **fixed: Any) -> "pa.Table":
    """Rows whose columns have these values, in their order."""
    import pyarrow.compute as pc

    for name, value in fixed.items():
        table = table.filter(pc.equal(table.column(name), value))
    return table


def _among(table: "pa.Table", name: str, values: Sequence[str | None]) -> "pa.Table":
    """Rows whose column has one of these texts, in their order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return table.filter(pc.is_in(table.column(name), value_set=pa.array(values, pa.string())))


def _of_condition(table: "pa.Table", key: EstimateKey) -> "pa.Table":
    """Outputs of the captures (a training step) that the estimate's condition names."""
    named = dict(key.condition)
    found = table.column("condition").unique().to_pylist()
    fitting = [text for text in found if json.loads(text).items() <= named.items()]
    return _among(table, "condition", fitting)


def _draw(key: EstimateKey) -> int:
    draw = key.condition.get("draw", 0)
    return draw if isinstance(draw, int) else 0


def _outputs(
    key: EstimateKey, variants: Sequence[Mapping[str, Any]], table: "pa.Table"
) -> dict[tuple[str | None, str, str | None], _Output]:
    """Answers to the originals and to these variants, by replicate, item and variant."""
    own = _of_condition(_where(table, subject=key.subject, dataset=key.dataset), key)
    kept = _among(own, "variant", [None, *sorted({row["variant"] for row in variants})])
    return {
        (row["replicate"], row["item"], row["variant"]): _Output(
            _answer(row), None if row["scores"] is None else tuple(row["scores"])
        )
        for row in kept.to_pylist()
    }


def _answer(row: Mapping[str, Any]) -> str:
    """Answer in words: the label, the text, or how many spans of each kind."""
    if row["label"] is not None:
        return str(row["label"])
    if row["text"] is not None:
        return str(row["text"])
    if row["spans"] is not None:
        return _spans(json.loads(row["spans"]))
    return _NO_ANSWER


def _spans(spans: Iterable[Sequence[Any]]) -> str:
    """Spans by label: positions move with the edits, kinds do not."""
    counts = Counter(str(span[3]) for span in spans)
    return ", ".join(f"{counts[label]} {label}" for label in sorted(counts)) or "no spans"


def _margins(pairs: Mapping[str, Sequence[tuple[Any, Any]]]) -> Any:
    """Best score minus second best before the change  # (item, replicate); or nothing."""
    import numpy as np

    scores = [[before.scores for before, _ in p] for p in pairs.values()]
    if any(s is None or len(s) < 2 for row in scores for s in row):
        return None
    ordered = np.sort(np.array(scores, dtype=float), axis=2)  # (item, replicate, label)
    return ordered[:, :, -1] - ordered[:, :, -2]


def _items(dataset: str, names: Sequence[str], table: "pa.Table") -> dict[str, dict[str, Any]]:
    kept = _among(_where(table, dataset=dataset), "item", sorted(names))
    columns = kept.select(["item", "gold", "source", "fields"])
    return {row["item"]: row for row in columns.to_pylist()}


def _case(
    variant: Mapping[str, Any],
    pairs: Sequence[tuple[Any, Any]],
    replicates: Sequence[str | None],
    item: Mapping[str, Any],
) -> Case:
    return Case(
        item=variant["item"],
        dataset=variant["dataset"],
        variant=variant["variant"],
        source=item["source"],
        gold=_gold(json.loads(item["gold"])),
        fields=json.loads(item["fields"]),
        edits=tuple(Edit(*edit[:4]) for edit in json.loads(variant["edits"])),
        answers=tuple(
            Answer(replicate_words(r), before.answer, after.answer)
            for r, (before, after) in zip(replicates, pairs, strict=True)
        ),
    )


def _gold(gold: Any) -> str:
    if isinstance(gold, list):
        return _spans(gold)
    return "none" if gold is None else str(gold)
