"""A run folder of attention heads with planted truth: 3 layers of 4 heads on two datasets.

Head 2-3 finds most targets in every family; the downstream task makes heads 3-1 and 2-3 better, the
control task lifts nothing. Two presets, five runs of each tuned family, three untrained networks.
Estimates and findings are those of the diagnostic's own design, made by the run's own code. Twelve
sentences have kept predictions.
"""

import json
from functools import cache

import numpy as np
import pyarrow as pa

from scrutiny.core.design import DataShape, Inputs, SubjectShape
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.diagnostics.attention.encodings import SPAN_BASELINES
from scrutiny.diagnostics.attention.heads import Heads, HeadsParams
from scrutiny.reliability.assignment import Assignment, PlacedContrast
from scrutiny.run.estimating.estimates import estimate_all
from scrutiny.run.estimating.estimator import Estimator
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.run_tables import RECORDS

KIND = "attention.heads@1#0a0a0a"
LAYERS, HEADS = 3, 4
PRESETS = ("default", "as_released")
STORY, REVIEW = "negation:../data/story.json", "review"
BEST = (2, 3)
FAMILIES = {  # role, base, replicates, gain of the heads that the task teaches
    "pretrained": ("measured", "", ("{}",), 0.0),
    "downstream": ("measured", "pretrained", tuple(f'{{"run":{i}}}' for i in range(1, 6)), 0.3),
    "control-task": ("control", "pretrained", tuple(f'{{"run":{i}}}' for i in range(1, 6)), 0.0),
    "untrained": ("null", "", tuple(f'{{"seed":{i}}}' for i in range(3)), None),
}
N_ITEMS, N_WORDS = 24, 9
N_BASELINES = len(SPAN_BASELINES)
MEASURES = (
    Measure("tp", (("layer", LAYERS), ("head", HEADS))),
    Measure("predicted", (("layer", LAYERS), ("head", HEADS))),
    Measure("gold"),
    Measure("baseline_tp", (("baseline", N_BASELINES),)),
    Measure("baseline_predicted", (("baseline", N_BASELINES),)),
)


def text_of(dataset, i):
    """Sentence of an item, and the borders of its words."""
    words = [f"{dataset[:1]}{i}w{k}" for k in range(N_WORDS - 1)]
    words.insert(2, "not")
    borders, start = [], 0
    for word in words:
        borders.append((start, start + len(word)))
        start += len(word) + 1
    return " ".join(words), borders


def _items():
    rows = []
    for dataset in (STORY, REVIEW):
        for i in range(N_ITEMS):
            text, _ = text_of(dataset, i)
            row = {"dataset": dataset, "item": f"i{i}", "position": i, "gold": "null"}
            row |= {"source": f"{dataset}:{i + 1}", "fields": json.dumps({"text": text})}
            rows.append(row | {"language": "en", "u_sentence": f"s{i}", "a_half": "AB"[i % 2]})
    return rows


def _strength(family, run_rng):
    """Chance ``(layer, head)`` that a head finds a target."""
    gain = FAMILIES[family][3]
    if gain is None:
        return run_rng.uniform(0.05, 0.15, size=(LAYERS, HEADS))
    chance = 0.1 + 0.03 * np.arange(LAYERS * HEADS).reshape(LAYERS, HEADS) / LAYERS
    chance[BEST[0] - 1, BEST[1] - 1] = 0.6
    for layer, head in ((3, 1), BEST):
        chance[layer - 1, head - 1] += gain
    return np.clip(chance + run_rng.normal(scale=0.02, size=chance.shape), 0.01, 0.95)


def _rows(family, dataset, number, name):
    rng = np.random.default_rng([number, len(dataset), len(family)])
    chance = _strength(family, rng)
    for preset in PRESETS:
        for i in range(N_ITEMS):
            for role in ("measured", "control"):
                gold = 2 + i % 4
                found = chance if role == "measured" else np.full_like(chance, 0.1)
                tp = rng.binomial(gold, found)
                predicted = tp + rng.binomial(4, 0.15, size=tp.shape)
                base_tp = rng.binomial(gold, np.linspace(0.05, 0.3, N_BASELINES))
                base = base_tp + rng.binomial(3, 0.4, size=N_BASELINES)
                values = [*tp.ravel(), *predicted.ravel(), gold, *base_tp, *base]
                place = (KIND, family, None, name, dataset, json.dumps({"preset": preset}))
                yield (*place, role, f"i{i}", None, "ok", None, [float(v) for v in values])


def _records():
    rows = [
        row
        for family, (_, _, names, _) in FAMILIES.items()
        for dataset in (STORY, REVIEW)
        for number, name in enumerate(names)
        for row in _rows(family, dataset, number, name)
    ]
    return pa.Table.from_pylist(
        [dict(zip(RECORDS.names, row, strict=True)) for row in rows], schema=RECORDS
    )


def _design(family, dataset):
    role, base, _, _ = FAMILIES[family]
    roles = {"null", "control"} if base else {"null"}
    beside = (REVIEW,) if dataset == STORY else ()
    inputs = Inputs(
        None,
        DataShape(dataset, N_ITEMS, beside=beside),
        SubjectShape(family, n_layers=LAYERS, n_heads=HEADS),
        base=base,
        controls=frozenset(roles if role == "measured" else ()),
    )
    return Heads().design(HeadsParams(presets=PRESETS), inputs)


def _assigned():
    """Assignments by family, dataset and name of the specification, as a run makes them."""
    made = {}
    for family, (role, base, _, _) in FAMILIES.items():
        for dataset in (STORY, REVIEW):
            design = _design(family, dataset)
            needed = {c.b for c in design.contrasts if c.minus == role}
            for spec in design.estimates:
                if role != "measured" and spec.id not in needed:
                    continue
                made[family, dataset, spec.id] = Assignment.of(
                    spec,
                    id=f"{family}/{dataset}/{spec.id}",
                    role=role if spec.role == "measured" else spec.role,
                    unit="u_sentence" if spec.unit == "item" else spec.unit,
                    measure="heads",
                    kind=KIND,
                    subject=family,
                    dataset=dataset,
                    measures=MEASURES,
                    base=base,
                )
    return made


def _contrasts(assigned):
    others = {"null": "untrained", "control": "control-task", "base": "pretrained"}
    for family, (role, base, _, _) in FAMILIES.items():
        for dataset in (STORY, REVIEW) if role == "measured" else ():
            for c in _design(family, dataset).contrasts:
                other = family if c.minus == "own" else others[c.minus]
                if c.minus in ("base", "control") and not base:
                    continue
                a, b = assigned[family, dataset, c.a], assigned.get((other, dataset, c.b))
                if b is not None:
                    yield PlacedContrast(
                        f"{family}/{dataset}/{c.id}", a, b, is_paired=c.minus == "own"
                    )


def _claims():
    from dataclasses import replace

    for family in ("pretrained", "downstream"):
        for dataset in (STORY, REVIEW):
            for claim in _design(family, dataset).claims:
                prefix = f"{family}/{dataset}/"
                parts = tuple(replace(c, estimate=prefix + c.estimate) for c in claim.components)
                yield replace(
                    claim, id=prefix + claim.id, diagnostic="attention.heads", components=parts
                )


@cache
def _made():
    records, items = _records(), pa.Table.from_pylist(_items())
    assigned = _assigned()
    contrasts = list(_contrasts(assigned))
    estimator = Estimator(
        RowGroups.of_table(records), items, resampling=Resampling(draws=60), seed=0
    )
    found = estimate_all(estimator, list(assigned.values()), list(_claims()), contrasts=contrasts)
    return records, items, (list(assigned.values()), contrasts), found


def write_examples(folder, dataset, family, *, positions=range(12)):
    """Kept predictions: head 2-3 right but for one word, head 1-1 wrong everywhere."""
    words, predicted = [], []
    for i in positions:
        _, borders = text_of(dataset, i)
        targets = {0, 1, 3, 4} if i % 3 else {5}
        words += [(i, start, end, k == 2, k in targets) for k, (start, end) in enumerate(borders)]
        made = np.zeros((LAYERS, HEADS, N_WORDS), dtype=bool)
        made[1, 2, [k for k in targets if k != 4]] = True
        made[1, 2, 7] = i % 2 == 0
        made[0, 0, [6, 8]] = True
        predicted.append(made)
    place = f"measure/heads/{dataset}/0/{family}/0"
    bits = np.packbits(np.concatenate(predicted, axis=-1), axis=-1)
    folder.write_array(f"{place}/example_words", np.array(words, dtype=np.int32))
    folder.write_array(f"{place}/example_heads", bits)


def write(path):
    """Write the run into a folder."""
    records, items, (assignments, contrasts), (estimates, findings) = _made()
    folder = RunFolder(path)
    folder.path.mkdir(parents=True, exist_ok=True)
    measures = [{"name": m.name, "axes": [list(a) for a in m.axes], "unit": ""} for m in MEASURES]
    datasets = {name: {"items": N_ITEMS, "source": name} for name in (STORY, REVIEW)}
    folder.write_manifest(
        {
            "status": "done",
            "plan": {
                "seed": 0,
                "resampling": {"draws": 60, "level": 0.95, "method": "crossed"},
                "models": [{"name": n, "base": f[1], "role": f[0]} for n, f in FAMILIES.items()],
            },
            "models": {
                name: {
                    "role": role,
                    "replicates": [{"random": json.loads(one), "condition": {}} for one in names],
                }
                for name, (role, _, names, _) in FAMILIES.items()
            },
            "data": datasets,
            "measure": {
                "heads": {
                    "diagnostic": "attention.heads@1",
                    "kind": KIND,
                    "params": {"presets": list(PRESETS)},
                }
            },
            "specs": [a.to_json() for a in assignments],
            "contrasts": [c.to_json() for c in contrasts],
        }
    )
    footer = {KIND: {name: dict.fromkeys(FAMILIES, measures) for name in datasets}}
    folder.write_table("records", [records], schema=RECORDS, footer=footer)
    folder.write_table("items", [items], schema=items.schema)
    folder.write_estimates(estimates)
    folder.write_findings(findings)
    for family in ("pretrained", "downstream"):
        write_examples(folder, STORY, family)
    return folder
