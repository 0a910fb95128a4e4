"""Changed heads: by hand, on planted toys, and on a checkpoint of transformers."""

import json

import numpy as np
import pytest
from faithful_texts import TASK, examples, measured, rows
from toy_runs import resolve_only, run

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.attention import Intervention
from scrutiny.diagnostics.faithfulness.head_answers import HeadChangeParams, _anchor_words
from scrutiny.diagnostics.faithfulness.needed_heads import FaithfulHeads, _half_of, other_heads
from scrutiny.testing import KeywordClassifier, check_diagnostic
from scrutiny.testing.checking import ToyContext
from scrutiny.testing.toy_attention import ToyAttentionClassifier
from scrutiny.testing.toy_heads import CueHead, NoiseHead

ROWS = rows(40)
ANCHORS = ("good", "bad")


def planted():
    """Two layers of two heads; the first head of the second sees "good", and decides."""
    heads = [[NoiseHead(), NoiseHead()], [CueHead(("good",)), NoiseHead()]]
    return ToyAttentionClassifier(heads, reads=(1, 0), evidence=("good",))


class PastHeads(KeywordClassifier):
    """A classifier with heads that it has no use for."""

    capabilities = frozenset({"predict", "head_interventions"})
    attention_shape = (2, 2)

    def encode(self, texts, *, pairs=None, special=True):
        return planted().encode(texts, pairs=pairs, special=special)

    def intervened(self, intervention):
        return self


def found_for(model, given=ROWS, **params):
    return measured(FaithfulHeads(), HeadChangeParams(**params), model, given)[0]


def hits(found, change, role="measured"):
    """Hits ``(item, layer, head)`` with each head changed."""
    return np.array(
        [
            np.reshape(row.values[2:], (2, 2))
            for row in found
            if row.status == "ok"
            and row.role == role
            and json.loads(row.condition)["change"] == change
        ]
    )


def test_it_keeps_the_promises_of_its_protocol():
    given = [*ROWS[:4], {"id": "not", "text": "not good at all", "label": "positive"}]
    check_diagnostic(FaithfulHeads(), examples=examples(given), task=TASK, model=planted())


@pytest.mark.parametrize("change", ["mask", "uniform", "erase"])
def test_the_head_that_decides_is_needed_for_what_it_sees(change):
    found = found_for(planted(), anchors=ANCHORS)
    own = hits(found, change)
    is_positive = np.array([r["label"] == "positive" for r in ROWS])
    expected = np.ones_like(own)
    expected[is_positive, 1, 0] = 0.0  # "negative" is what it says anyway
    assert (own == expected).all()


def test_the_control_of_a_head_is_another_one_of_its_layer_and_of_anchors_are_other_words():
    found = found_for(planted(), anchors=ANCHORS)
    is_positive = np.array([r["label"] == "positive" for r in ROWS])
    others = hits(found, "mask", "control")
    assert (others[:, 0] == 1).all()
    assert (others[is_positive, 1] == [1, 0]).all()
    assert (hits(found, "erase", "control") == 1).all()  # fillers are erased, nobody reads them


def test_texts_without_an_anchor_are_skipped_for_erasure_only():
    found = found_for(planted(), ROWS[:2], anchors=("good",))
    said = [
        (json.loads(r.condition)["change"], r.status, r.reason) for r in found if r.item == "i1"
    ]
    assert said[-2:] == [("erase", "skipped", "no_anchor")] * 2
    assert {status for change, status, _ in said if change != "erase"} == {"ok"}
    short = [{"id": "s", "text": "good good day", "label": "positive"}]
    assert {r.reason for r in found_for(planted(), short, anchors=("good",)) if r.reason} == {
        "no_other_words"
    }


def test_a_share_of_the_texts_is_drawn_and_the_rest_is_skipped():
    found = found_for(planted(), share=0.5, changes=("mask",))
    skipped = {r.item for r in found if r.reason == "not_drawn"}
    assert 8 < len(skipped) < 32
    again = found_for(PastHeads(), share=0.5, changes=("mask",))
    assert {r.item for r in again if r.reason == "not_drawn"} == skipped
    assert FaithfulHeads().audit_params(TASK).changes == ("mask",)


def test_a_budget_measures_fewer_texts_of_networks_with_many_heads():
    modest = FaithfulHeads().audit_params(TASK)
    assert modest.share_of(16) == modest.share == 0.2
    for heads in (144, 384, 4096):
        assert heads * modest.share_of(heads) == pytest.approx(20)
    every = HeadChangeParams(budget=12)
    assert every.answers(4) == 16  # masked, uniform, erased, and other words erased
    assert every.share_of(4) == 0.75
    assert HeadChangeParams().share_of(4096) == 1
    few = {r.item for r in found_for(planted(), budget=2, changes=("mask",)) if r.status == "ok"}
    some = {r.item for r in found_for(planted(), share=0.5, changes=("mask",)) if r.status == "ok"}
    assert few == some  # four heads, so half of the texts: the same half
    design = resolve_only(
        planted(), ROWS, diagnostic="faithfulness.heads", params={"budget": 2, "changes": ["mask"]}
    )
    assert "A random 50 % of the texts was measured" in " ".join(notes_of(design))


def notes_of(resolved):
    (measurement,) = resolved.measurements.values()
    return [note for one in measurement.designs.values() for note in one.notes]


def test_items_of_one_unit_are_in_one_half():
    ctx = ToyContext(TASK)
    (example,) = examples(ROWS[:1])
    halves = {
        _half_of(type(example)(f"x{i}", example.fields, attributes={"u_story": "one"}), ctx)
        for i in range(20)
    }
    assert len(halves) == 1
    assert {_half_of(e, ctx) for e in examples(ROWS)} == {0.0, 1.0}


def test_a_layer_of_one_head_has_no_other():
    none = other_heads(np.ones((3, 1)), np.random.default_rng(0))
    assert none == Failure("one_head", status="undefined")
    table = np.arange(12.0).reshape(3, 4)
    drawn = other_heads(table, np.random.default_rng(0))
    assert (drawn // 4 == table // 4).all()
    assert (drawn != table).all()


def test_anchors_are_whole_words_or_endings():
    text = "Nothing isn’t knot, NOT so"
    found = [text[a:b] for a, b in _anchor_words(text, frozenset({"not", "n't", "nothing"}))]
    assert found == ["Nothing", "isn’t", "NOT"]


def drops(folder, change):
    return {
        (e.key.condition["layer"], e.key.condition["head"]): e.value
        for e in folder.estimates()
        if e.key.metric == "changed_head(drop(accuracy))@1" and e.key.condition["change"] == change
    }


def numbers(folder, change):
    return {
        e.key.metric.removesuffix("@1"): e.value
        for e in folder.estimates()
        if e.key.condition.get("change") == change and "layer" not in e.key.condition
    }


def test_the_planted_head_is_found_and_survives_the_other_half(tmp_path):
    folder = run("faithfulness.heads", planted(), ROWS, tmp_path, anchors=ANCHORS)
    for change in ("mask", "uniform", "erase"):
        assert drops(folder, change) == {(1, 1): 0.0, (1, 2): 0.0, (2, 1): 0.5, (2, 2): 0.0}
        found = numbers(folder, change)
        assert found["mean_changed_head(drop(accuracy))"] == pytest.approx(0.125)
        assert found["selected_changed_head(drop(accuracy))"] == pytest.approx(0.5, abs=0.1)
        assert found["selected_head_over_layer"] == pytest.approx(0.5, abs=0.1)
        assert found["selected_changed_head(gain(accuracy))"] == 0.0
    assert [f.verdict for f in folder.findings()] == ["supported", "supported"]


def test_where_no_head_matters_none_is_found(tmp_path):
    folder = run("faithfulness.heads", PastHeads(), ROWS, tmp_path, anchors=ANCHORS)
    assert set(drops(folder, "mask").values()) == {0.0}
    assert "supported" not in [f.verdict for f in folder.findings()]


def test_heads_of_a_checkpoint_are_changed_one_by_one(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from scrutiny.models.strings.model_loading import load_model

    make_checkpoint = pytest.importorskip("tiny_checkpoint").make_checkpoint
    folder = make_checkpoint(tmp_path / "tiny", labels=("negative", "positive"))
    model = load_model(f"hf:{folder}", TASK)
    texts = [
        "the films was good",
        "a very dull story, not a good film!",
        "it was not fine, the story",
    ]
    given = [{"id": f"t{i}", "text": t, "label": "positive"} for i, t in enumerate(texts)]
    found = found_for(model, given)
    for change in ("mask", "uniform"):
        own = hits(found, change)
        for layer, head in np.ndindex(2, 2):
            changed = model.intervened(Intervention(change, ((layer, head),)))
            answers = changed.predict(examples(given))
            right = [a.scores[1] > a.scores[0] for a in answers]
            assert own[:, layer, head].tolist() == right
    said = {r.item: r.status for r in found if '"erase"' in r.condition}
    assert said == {"t0": "skipped", "t1": "ok", "t2": "ok"}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"changes": []}, "changes are mask"),
        ({"anchors": []}, "anchors is empty"),
        ({"share": 0.0}, "share must lie between 0 and 1"),
        ({"budget": 0}, "budget must be above 0"),
    ],
)
def test_strange_parameters_are_refused(params, message):
    with pytest.raises(PlanError, match=message):
        resolve_only(planted(), ROWS, diagnostic="faithfulness.heads", params=params)
