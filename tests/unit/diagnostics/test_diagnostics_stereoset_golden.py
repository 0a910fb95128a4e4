"""All 55 official rows of StereoSet, from official scores through records and statistics."""

import csv
import gzip
import json

import numpy as np
import pytest
from design_inputs import inputs_of

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.design import EstimateSpec
from scrutiny.core.diagnostic import Cell
from scrutiny.core.example import Example
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Row
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.stereotypes.stereoset import SENTENCES, StereoSet, triple_measures
from scrutiny.diagnostics.stereotypes.variant_params import StereoSetParams
from scrutiny.reliability.assignment import Assignment
from scrutiny.run.estimating.estimator import Estimator
from scrutiny.store.item_tables import items_table
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_tables import records_table
from scrutiny.tasks.tasks import load_task

MEASURES = StereoSet.measures
CONDITION = {"variant": "nadeem2021"}
DOMAINS = ("gender", "profession", "race", "religion")


@pytest.fixture(scope="module")
def read():
    """Official scores by sentence, and golden rows, of a folder."""

    def found(folder):
        with gzip.open(folder / "official_intrasentence_scores.tsv.gz", "rt") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        scores = {row.pop("sentence_id"): row for row in rows}
        return scores, json.loads((folder / "golden_scores.json").read_text())

    return found


def row(example, scores, model):
    """Record of an item with the official scores of its three sentences."""
    each = [float(scores[example.attributes[f"a_{name}_id"]][model]) for name in SENTENCES]
    values = triple_measures(each, (1, 1, 1))
    return Row(example.id, None, "measured", canonical_json(CONDITION), "ok", None, values)


def assignment(spec):
    return Assignment.of(
        spec,
        measure="m",
        kind="stereotypes.stereoset@1#0",
        subject="model",
        dataset="dev",
        measures=MEASURES,
    )


@pytest.mark.reproduces
@pytest.mark.data("stereoset")
def test_the_official_rows(shared_data, read):
    folder = shared_data("stereoset")
    scores, golden = read(folder)
    examples = load_dataset(f"stereoset:{folder}#kind=intrasentence").examples
    items = items_table(examples, "dev")
    checked = 0
    for model, wanted in golden.items():
        rows = [row(example, scores, model) for example in examples]
        cell = Cell("model", None, "dev")
        records = records_table("stereotypes.stereoset@1#0", cell, rows, width=len(MEASURES))
        estimator = Estimator(
            RowGroups.of_table(records), items, resampling=Resampling(draws=10), seed=0
        )
        for name in ("overall", *DOMAINS):
            where = "" if name == "overall" else f"a_category = {name}"
            for metric, key in {
                "lms@1": "lms",
                "ss@1": "ss",
                "icat@1": "icat",
                "stereotype_score@1": "ss_plain",
            }.items():
                spec = EstimateSpec(
                    "e",
                    metric,
                    CONDITION,
                    unit="u_term",
                    where=where,
                )
                found = estimator.estimate(assignment(spec)).estimate
                assert found.value == pytest.approx(wanted[name][key], abs=1e-9), (model, name)
                assert (found.counts.n, found.n_units) == (wanted[name]["n"], wanted[name]["terms"])
            checked += 1
    assert checked == 55


def designed(dataset, *variants):
    """Design of these procedures on a dataset."""
    columns = {}
    for example in dataset:
        for name in ("a_kind", "a_category", "u_term"):
            value = example.attributes[name]
            columns.setdefault(name, {})[value] = columns.get(name, {}).get(value, 0) + 1
    capabilities = frozenset({"tokenizes", "masked_logprobs", "next_sentence"})
    task = load_task("sentence-triples")
    inputs = inputs_of(task, n_items=len(dataset), capabilities=capabilities, columns=columns)
    return StereoSet().design(StereoSetParams(variants), inputs)


@pytest.mark.reproduces
@pytest.mark.data("stereoset")
def test_the_design_computes_these_numbers(shared_data):
    """The specifications above are those of the diagnostic."""
    dataset = load_dataset(f"stereoset:{shared_data('stereoset')}#kind=intrasentence")
    design = designed(dataset.examples, "nadeem2021")
    specs = {spec.id: spec for spec in design.estimates}
    assert {
        f"{m}/{d}/nadeem2021" for m in ("ss", "lms", "icat", "score") for d in ("all", *DOMAINS)
    } <= set(specs)
    assert specs["icat/race/nadeem2021"].unit == "u_term"
    assert specs["icat/race/nadeem2021"].where == "a_category = race and a_kind = intrasentence"
    assert design.claims[0].id == "intrasentence all"
    assert not any("+" in name for name in specs)  # there is one kind only


# -- both kinds together ---------------------------------------------------------------------------


def official_overall(examples, scores):
    """lms, ss, icat and plain ss of both kinds: examples pooled by term, then a mean over terms."""
    terms = {}
    for example, (stereo, anti, unrelated) in zip(examples, scores, strict=True):
        counts = terms.setdefault(example.attributes["u_term"], [0, 0, 0])
        counts[0] += 1
        counts[1] += int(stereo > anti)
        counts[2] += int(stereo > unrelated) + int(anti > unrelated)
    lms = np.mean([100 * related / (2 * n) for n, _, related in terms.values()])
    ss = np.mean([100 * hits / n for n, hits, _ in terms.values()])
    total = np.sum(list(terms.values()), axis=0)
    return lms, ss, lms * min(ss, 100 - ss) / 50, 100 * total[1] / total[0]


def check_overall(examples):
    """Random scores of both kinds through the records, against the loop above."""
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 40, size=(len(examples), 3)) / 40  # with ties
    rows = []
    for example, each in zip(examples, scores, strict=True):
        for variant, kind in (("nadeem2021", "intrasentence"), ("nsp", "intersentence")):
            start = (example.id, None, "measured", canonical_json({"variant": variant}))
            if example.attributes["a_kind"] == kind:
                rows.append(Row(*start, "ok", None, triple_measures(each, (1, 1, 1))))
            else:
                rows.append(Row(*start, "skipped", "other_kind", None))
    cell = Cell("model", None, "dev")
    records = records_table("stereotypes.stereoset@1#0", cell, rows, width=len(MEASURES))
    items = items_table(examples, "dev")
    estimator = Estimator(
        RowGroups.of_table(records), items, resampling=Resampling(draws=10), seed=0
    )
    specs = {spec.id: spec for spec in designed(examples, "nadeem2021", "nsp").estimates}
    for metric, wanted in zip(
        ("lms", "ss", "icat", "score"), official_overall(examples, scores), strict=True
    ):
        spec = specs[f"{metric}/all/nadeem2021+nsp"]
        found = estimator.estimate(assignment(spec)).estimate
        assert found.value == pytest.approx(wanted, abs=1e-9), metric
        assert (found.counts.n, found.counts.planned) == (len(examples), len(examples))
        assert found.n_units == len({e.attributes["u_term"] for e in examples})
        assert dict(found.key.condition) == {"variant": "nadeem2021+nsp"}


def test_both_kinds_are_pooled_within_terms():
    """Terms with unequal numbers of items of either kind."""
    check_overall(
        [
            Example(
                f"{term}-{kind}-{n}",
                {name: name for name in ("context", *SENTENCES)},
                attributes={"a_kind": kind, "a_category": "job", "u_term": term},
            )
            for term, counts in {"cook": (3, 9), "guard": (7, 1), "nurse": (4, 4)}.items()
            for kind, count in zip(("intrasentence", "intersentence"), counts, strict=True)
            for n in range(count)
        ]
    )


@pytest.mark.data("stereoset")
def test_both_kinds_of_the_published_set(shared_data):
    """The official scores of continuations are not public: made-up ones, and the official count."""
    folder = shared_data("stereoset")
    examples = load_dataset(f"stereoset:{folder}").examples
    golden = json.loads((folder / "golden_scores.json").read_text())
    for model in golden.values():
        assert len(examples) == model["published_overall"]["Count"]
    check_overall(examples)
