"""Dependency heads: a planted parser is found, and nothing is found in noise."""

import json

import numpy as np
import pytest
from design_inputs import inputs_of
from linked_heads import LinkedHead, links_of, sentences
from preferring_language import without_contrasts
from toy_runs import estimate, run

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.diagnostics.attention.arc_counts import OFFSETS, ArcsParams
from scrutiny.diagnostics.attention.arcs import HeadArcs
from scrutiny.tasks.dependency_arcs import DependencyArcs
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext
from scrutiny.testing.toy_attention import ToyAttention
from scrutiny.testing.toy_heads import NoiseHead, OffsetHead, UniformHead

ROWS = sentences(60)
NAMES = ("near", "far")
PARAMS = {"relations": list(NAMES), "claimed": ["far"], "tuned": []}


def planted(fidelity=0.8):
    """Two layers of two heads; the second of the first layer parses."""
    parser = LinkedHead(links_of(ROWS), fidelity)
    return ToyAttention([[NoiseHead(), parser], [OffsetHead(-1), NoiseHead()]])


def noise():
    return ToyAttention([[NoiseHead(), NoiseHead()], [NoiseHead(), UniformHead()]])


def examples(rows=ROWS):
    return [DependencyArcs().parse(row, source=f"x:{i}") for i, row in enumerate(rows, 1)]


def records(model, rows=ROWS, **params):
    batch = Batch(tuple(examples(rows)))
    context = ToyContext(DependencyArcs(), model)
    given = {**PARAMS, **params}
    made = ArcsParams(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
    return list(HeadArcs().measure(made, Cell("m", None, "x"), batch, context))


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(
        without_contrasts(HeadArcs), examples=examples()[:6], task=DependencyArcs(), model=planted()
    )


def test_one_row_for_each_sentence_and_relation_and_all_words_are_predictions():
    rows = records(planted())
    assert len(rows) == len(ROWS) * 3
    for row in rows:
        relation = json.loads(row.condition)["relation"]
        source = ROWS[int(row.item)]
        scored = [
            r for r in source["relations"] if r in (NAMES if relation == "all" else [relation])
        ]
        if not scored:
            assert (row.status, row.reason) == ("skipped", "no_such_relation")
            continue
        values = np.array(row.values)
        assert values.size == 2 * 8 + 1 + 2 * len(OFFSETS)
        assert (values[8:17] == len(scored)).all()
        assert (values[17 + len(OFFSETS) :] == len(scored)).all()


def test_offsets_are_an_independent_count():
    rows = [row for row in records(planted()) if json.loads(row.condition)["relation"] == "far"]
    total = sum(np.array(row.values) for row in rows if row.status == "ok")
    expected = dict.fromkeys(OFFSETS, 0)
    for row in ROWS:
        for i, (head, relation) in enumerate(zip(row["heads"], row["relations"], strict=True), 1):
            if relation == "far" and head - i in expected:
                expected[head - i] += 1
    assert dict(zip(OFFSETS, total[17 : 17 + len(OFFSETS)].tolist(), strict=True)) == expected


def test_a_planted_parser_is_found_and_named(tmp_path):
    folder = run("attention.arcs", planted(), ROWS, tmp_path, task="dependency-arcs", **PARAMS)
    far = {"relation": "far"}
    found = estimate(folder, "selected_head(accuracy)", **far)
    assert found.value == pytest.approx(0.8, abs=0.08)
    assert found.low < 0.8 < found.high
    near = estimate(folder, "selected_head(accuracy)", relation="near").counts
    assert near.planned == len(ROWS) == near.n + near.skipped
    assert near.skipped
    beyond = estimate(folder, "selected_head_over_baseline(accuracy)", **far)
    assert beyond.low > 0.3
    best = estimate(folder, "head(accuracy)", layer=1, head=2, direction=1, **far)
    assert estimate(folder, "best_head(accuracy)", **far).value == best.value
    # a head that looks at the word before knows what hangs there
    assert (
        estimate(folder, "head(accuracy)", relation="near", layer=2, head=1, direction=1).value == 1
    )
    before = OFFSETS.index(-1) + 1
    assert estimate(folder, "baseline(accuracy)", relation="near", offset=before).value == 1


def test_a_parser_by_its_columns_is_found_in_the_second_direction():
    children = []
    for words, targets in links_of(ROWS):
        first = [
            next((i for i, t in enumerate(targets) if t == w), None) for w in range(len(words))
        ]
        children.append((words, tuple(first)))
    model = ToyAttention([[LinkedHead(tuple(children)), NoiseHead()]])
    total = sum(
        np.array(row.values)
        for row in records(model)
        if row.status == "ok" and json.loads(row.condition)["relation"] == "all"
    )
    accuracy = total[:4] / total[4:8]
    assert accuracy[2] == max(accuracy)  # direction 2, layer 1, head 1
    assert accuracy[2] > 0.4


def test_nothing_is_found_in_noise(tmp_path):
    folder = run("attention.arcs", noise(), ROWS, tmp_path, task="dependency-arcs", **PARAMS)
    beyond = estimate(folder, "selected_head_over_baseline(accuracy)", relation="far")
    assert beyond.low < 0.02


def test_trees_find_a_planted_tree_and_count_arcs_both_ways(tmp_path):
    params = {**PARAMS, "has_trees": True}
    folder = run("attention.arcs", planted(1.0), ROWS, tmp_path, task="dependency-arcs", **params)
    place = {"relation": "all", "layer": 1, "head": 2, "direction": 1}
    directed = estimate(folder, "head(accuracy)", tree="directed", **place)
    undirected = estimate(folder, "head(accuracy)", tree="undirected", **place)
    assert directed.value == undirected.value == 1.0
    noisy = {**place, "head": 1}
    one = estimate(folder, "head(accuracy)", tree="directed", **noisy)
    other = estimate(folder, "head(accuracy)", tree="undirected", **noisy)
    assert one.value < other.value < 1


def test_a_tree_without_a_root_that_has_a_piece_does_not_exist():
    row = {"id": "0", "words": ["a", " ", "b"], "heads": [2, 0, 2], "relations": ["x", "root", "x"]}
    example = DependencyArcs().parse({**row, "words": ["a", "q", "b"]}, source="x:1")
    blank = ToyAttention([[UniformHead()]], pieces={})
    batch = Batch((example,))

    class Blanking(ToyAttention):
        def attentions(self, sentences, *, weighting="raw"):
            return super().attentions([("a", " ", "b") for _ in sentences], weighting=weighting)

    params = ArcsParams(relations=("x",), claimed=(), tuned=(), has_trees=True)
    for model, status in ((blank, "ok"), (Blanking([[UniformHead()]]), "undefined")):
        context = ToyContext(DependencyArcs(), model)
        rows = list(HeadArcs().measure(params, Cell("m", None, "x"), batch, context))
        trees = [r for r in rows if "tree" in json.loads(r.condition)]
        assert {r.status for r in trees} == {status}
        assert {r.status for r in rows if r not in trees} == {"ok"}


def test_sentences_that_do_not_fit_fail():
    model = ToyAttention([[UniformHead()]], limit=4)
    assert {(r.status, r.reason) for r in records(model, ROWS[:1])} <= {
        ("failed", "too_long"),
        ("skipped", "no_such_relation"),
    }


def test_claims_compare_with_offsets_untrained_networks_and_the_base():
    params = ArcsParams(presets=("default", "as_released", "as_published"))
    design = HeadArcs().design(params, inputs_of(base="base", controls=frozenset({"control"})))
    by_id = {claim.id: claim for claim in design.claims}
    assert set(by_id) == {
        *(f"{r}/beyond-offsets" for r in params.claimed),
        "advcl/tuned",
        "csubj/tuned",
    }
    against = [c.against for c in by_id["nsubj/beyond-offsets"].components]
    assert against[:2] == ["baselines: offsets", "control: untrained"]
    assert len(against) == 4  # as_published is shown and claims nothing
    tuned = by_id["advcl/tuned"]
    assert [c.against for c in tuned.components][:2] == [
        "before fine-tuning",
        "control: control task",
    ]
    assert tuned.family != by_id["nsubj/beyond-offsets"].family
    without = HeadArcs().design(ArcsParams(), inputs_of())
    assert {claim.family for claim in without.claims} == {"attention.relations"}
