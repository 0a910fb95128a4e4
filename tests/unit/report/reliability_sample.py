"""A run folder with planted truth: two diagnostics of the same constructs, five seeds.

`plugin.pairs` asks 240 items of four categories in three variants at three steps, with margins;
its seeds share a common shift, so the average moves more than flips alone would move it.
`plugin.triples` asks of gender and race under other names. `performance` is a steady score.
Estimates, findings and specifications are made by the run's own code.
"""

import json
from functools import cache

import numpy as np
import pyarrow as pa

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import EstimateSpec
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.reliability.assignment import Assignment, PlacedContrast, Relation
from scrutiny.run.estimating.estimates import estimate_all
from scrutiny.run.estimating.estimator import Estimator
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.run_tables import RECORDS

SEEDS = tuple(f'{{"seed":{seed}}}' for seed in range(1, 6))
SUBJECT = "family"
PAIRS, TRIPLES, SCORE = "plugin.pairs@1#aaaaaa", "plugin.triples@1#bbbbbb", "performance@1#000000"
VARIANTS = ("official", "reversed", "summed")
STEPS = ("100", "200", "300")
EFFECTS = {"race-color": 1.6, "gender": 0.6, "religion": 0.0, "age": -0.2}  # in noise units
SHIFTS = (-0.2, -0.05, 0.0, 0.1, 0.15)  # one for each seed
BASE = {"dataset": "", "position": 0, "gold": "null", "source": "x", "fields": "{}"}


def _items(dataset, categories, count):
    names = [c for c in categories for _ in range(count // len(categories))]
    return [
        BASE
        | {"dataset": dataset, "item": f"{dataset}-{i}", "position": i, "language": "en"}
        | {"a_category": name, "u_pair": f"u{i}"}
        for i, name in enumerate(names)
    ]


def _row(kind, dataset, item, replicate, condition, values):
    ok = values is not None
    place = (kind, SUBJECT, None, replicate, dataset, json.dumps(condition), "measured", item)
    return (*place, None, "ok" if ok else "failed", None if ok else "timeout", values)


def _records(rng, items):
    rows = []
    own = {item["item"]: rng.normal() for item in items}
    for dataset, kind in (("pairs", PAIRS), ("triples", TRIPLES), ("task", SCORE)):
        conditions = [{}] if kind != PAIRS else _conditions()
        for number, seed in enumerate(SEEDS):
            for condition in conditions:
                for item in items:
                    if item["dataset"] != dataset:
                        continue
                    margin = own[item["item"]] + rng.normal(scale=0.5)
                    margin += _effect(item) + SHIFTS[number] if kind != SCORE else 1.2
                    if condition.get("variant") == "reversed":
                        margin = -margin
                    values = [float(margin > 0), float(margin)]
                    lost = kind == PAIRS and item["item"] == "pairs-0" and number == 0
                    at = (kind, dataset, item["item"], seed, condition)
                    rows.append(_row(*at, None if lost else values))
    return pa.Table.from_pylist(
        [dict(zip(RECORDS.names, row, strict=True)) for row in rows], schema=RECORDS
    )


def _effect(item):
    name = item["a_category"].lower()
    return EFFECTS.get(name, EFFECTS["race-color"] if name == "race" else 0.0)


def _conditions():
    return [{"step": step, "variant": variant} for step in STEPS for variant in VARIANTS]


def _assignment(kind, dataset, name, *, group="all", condition=None, where=None):
    spec = EstimateSpec(
        id=name,
        metric="accuracy@1",
        condition=condition or {},
        group=group,
        where=where or "",
    )
    return Assignment.of(
        spec,
        measure="m",
        kind=kind,
        subject=SUBJECT,
        dataset=dataset,
        measures=(Measure("hit"), Measure("margin")),
    )


def _assignments():
    yield _assignment(SCORE, "task", "score")
    for condition in _conditions():
        tag = "-".join(condition.values())
        for group in ("all", *EFFECTS):
            where = "" if group == "all" else f"a_category={group}"
            place = f"pairs-{tag}-{group}"
            made = {"group": group, "condition": condition, "where": where}
            yield _assignment(PAIRS, "pairs", place, **made)
    for group in ("all", "Race", "Gender"):
        where = "" if group == "all" else f"a_category={group}"
        yield _assignment(TRIPLES, "triples", f"triples-{group}", group=group, where=where)


def _claims():
    skill = Component("score", 0.5)
    yield Claim(
        "skill", "the family beats the majority", "performance", (skill,), needs_control=False
    )
    for group in EFFECTS:
        parts = (
            Component(f"pairs-300-official-{group}", 0.52),
            Component(f"pairs-300-summed-{group}", 0.52, "choice: summed"),
            Component(f"pairs-200-official-{group}", 0.52, "control: earlier step"),
        )
        checks = ("items", "seeds", "choices:variant")
        says = f"{group} pairs lean one way in the family"
        competence = (("score", 0.5),)
        yield Claim(f"pairs-{group}", says, "plugin.pairs", parts, "lean", 0.95, checks, competence)
    for group in ("Race", "Gender"):
        main = (Component(f"triples-{group}", 0.52),)
        yield Claim(f"triples-{group}", f"{group} triples lean", "plugin.triples", main)
    plan = (Component("contrast", 0.0),)
    yield Claim("own", "race leans more than age", "plan", plan)


@cache
def _made():
    rng = np.random.default_rng(5)
    items = _items("pairs", tuple(EFFECTS), 240) + _items("triples", ("Race", "Gender"), 120)
    items += _items("task", ("none",), 200)
    records = _records(rng, items)
    assignments = list(_assignments())
    by_id = {a.id: a for a in assignments}
    pair = PlacedContrast(
        "contrast", by_id["pairs-300-official-all"], by_id["pairs-300-summed-all"], is_paired=True
    )
    table = pa.Table.from_pylist(items)
    resampling = Resampling(draws=400)
    estimator = Estimator(RowGroups.of_table(records), table, resampling=resampling, seed=0)
    sides = (by_id["pairs-300-official-race-color"],), (by_id["triples-Race"],)
    relation = Relation("two-views-of-race", *sides, how="correlation")
    found = estimate_all(
        estimator, assignments, list(_claims()), contrasts=[pair], relations=[relation]
    )
    return table, records, (assignments, [pair]), found


def write(path):
    """Write the run into a folder."""
    table, records, (assignments, contrasts), (estimates, findings) = _made()
    measures = [{"name": name, "axes": [], "unit": ""} for name in ("hit", "margin")]
    data = {PAIRS: "pairs", TRIPLES: "triples", SCORE: "task"}
    folder = RunFolder(path)
    folder.write_manifest(
        {
            "status": "done",
            "plan": {"seed": 0, "resampling": {"draws": 400, "level": 0.95, "method": "crossed"}},
            "models": {SUBJECT: {"replicates_of": "fine-tuning"}},
            "warnings": ["2 of 5 replicates of family were trained on task."],
            "data": {name: {"items": 1} for name in data.values()},
            "measure": {},
            "specs": [a.to_json() for a in assignments],
            "contrasts": [c.to_json() for c in contrasts],
        }
    )
    footer = {kind: {dataset: {SUBJECT: measures}} for kind, dataset in data.items()}
    folder.write_table("records", [records], schema=RECORDS, footer=footer)
    folder.write_table("items", [table], schema=table.schema)
    folder.write_estimates(estimates)
    folder.write_findings(findings)
    return folder
