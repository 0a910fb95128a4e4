"""Association tests on vectors that are known."""

import numpy as np
import pytest
from toy_runs import estimate, resolve_only, run
from toy_vectors import TEMPLATES, WORDS, ToyVectors, examples, rows, task

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.language import Passage
from scrutiny.diagnostics.association.seat import Seat
from scrutiny.diagnostics.association.word_sets import SeatParams, passages_of, word_sets
from scrutiny.stats.association.word_sets import associations, effect_size
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext
from scrutiny.text.letters import lowered

SENTENCES = [*rows(test="words"), *rows(test="sentences", templates=TEMPLATES)]
TASK = "association-test"


def measured(model, given=SENTENCES, **params):
    """Rows of one cell, by (item, condition)."""
    batch = Batch(examples(given))
    found = Seat().measure(
        SeatParams(**params), Cell("m", None, "d"), batch, ToyContext(task(), model)
    )
    return {(row.item, row.condition): row for row in found}


def by_hand(model, test, templates, pooling, layer=2):
    """Effect size from vectors asked one by one."""

    def vectors(name):
        own = [(w, t.format(w)) for w in WORDS[name] for t in templates]
        asked = [Passage(x, (x.index(w), x.index(w) + len(w))) for w, x in own]
        found = [model.representations([p], poolings=[pooling], layers=[layer]) for p in asked]
        return np.array(found)[:, 0, 0, 0]

    a, b = vectors("A"), vectors("B")
    return effect_size(associations(vectors("X"), a, b), associations(vectors("Y"), a, b))


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(Seat(), examples=examples(SENTENCES), task=task(), model=ToyVectors())


def test_every_distinct_text_is_asked_once_for_all_tests_and_representations():
    model = ToyVectors()
    twice = [*SENTENCES, *rows(test="again", templates=TEMPLATES)]
    found = measured(model, twice)
    (passages, poolings, layers), *rest = model.asked
    assert rest == []
    texts = [p.text for p in passages]
    assert sorted(texts) == sorted({row["text"] for row in twice})
    assert (poolings, layers) == (("cls", "mean", "first-piece", "word"), (2,))
    assert len(found) == 4 * len(twice)


def test_targets_are_measured_and_attributes_are_a_baseline():
    found = measured(ToyVectors())
    roles = {(row.item.split("/")[1], row.role, row.values[1]) for row in found.values()}
    assert roles == {
        ("X", "measured", 1.0),
        ("Y", "measured", 0.0),
        ("A", "baseline", 1.0),
        ("B", "baseline", 0.0),
    }


@pytest.mark.parametrize("pooling", ["cls", "mean", "first-piece", "word"])
def test_effect_sizes_are_those_by_hand_in_every_representation(tmp_path, pooling):
    model = ToyVectors(0.6)
    folder = run("association.seat", model, SENTENCES, tmp_path, task=TASK)
    for test, templates in (("words", ("{}",)), ("sentences", TEMPLATES)):
        found = estimate(folder, "effect_size(sample)", group=test, representation=pooling)
        assert found.value == pytest.approx(by_hand(model, test, templates, pooling), abs=1e-6)
        assert dict(found.key.condition) == {"representation": pooling}
        assert found.n_units == 8
        assert found.counts.planned == found.counts.n == 8 * len(templates)
        assert found.low < found.value < found.high


def test_both_permutations_are_rows_of_each_replicate(tmp_path):
    folder = run("association.seat", ToyVectors(3.0), SENTENCES, tmp_path, task=TASK)
    by_word = estimate(folder, "word_permutation", group="sentences", representation="mean")
    by_sentence = estimate(folder, "sentence_permutation", group="sentences", representation="mean")
    assert by_word.value == by_word.across["smallest_p"] == pytest.approx(1 / 70)
    assert by_word.across["smallest_two_sided"] == pytest.approx(2 / 70)
    assert (by_word.n_units, by_sentence.n_units) == (8, 24)
    assert by_word.method == "permutation exact@1"
    assert by_sentence.method == "permutation sampled@1"
    assert by_sentence.across["smallest_p"] == pytest.approx(1e-5)
    assert by_word.key.replicate == "{}"


def test_vectors_without_a_pull_associate_nothing():
    found = measured(ToyVectors(0.0, noise=1.0), rows(test="t", templates=TEMPLATES))
    mean = [r.values for (_, c), r in found.items() if "mean" in c and r.role == "measured"]
    first = np.mean([a for a, side in mean if side])
    assert abs(first - np.mean([a for a, side in mean if not side])) < 0.5


def test_layers_are_named_where_they_were_asked_for(tmp_path):
    model = ToyVectors(2.0)
    folder = run(
        "association.seat",
        model,
        SENTENCES,
        tmp_path,
        task=TASK,
        layers=[0, 2],
        representations=["mean"],
    )
    at = {
        layer: estimate(
            folder, "effect_size(sample)", group="words", representation="mean", layer=layer
        )
        for layer in (0, 2)
    }
    assert at[2].value > 1.5 > abs(at[0].value)
    assert at[2].value == pytest.approx(by_hand(model, "words", ("{}",), "mean"), abs=1e-6)


def test_a_layer_that_there_is_not_is_refused():
    with pytest.raises(PlanError, match="no layer 3: the model has 2"):
        measured(ToyVectors(), layers=(3,))


def test_left_to_right_models_have_no_first_token_and_the_published_way_takes_the_last():
    found = measured(ToyVectors(causal=True))
    assert {condition for _, condition in found} == {
        '{"representation":"last"}',
        '{"representation":"mean"}',
        '{"representation":"word"}',
    }
    published = measured(ToyVectors(causal=True), procedure="may2019")
    assert {condition for _, condition in published} == {'{"representation":"last"}'}


def test_the_published_procedure_asks_one_lower_cased_text_at_a_time_for_its_first_piece():
    model = ToyVectors()
    measured(model, procedure="may2019")
    assert {poolings for _, poolings, _ in model.asked} == {("first-piece",)}
    assert {len(passages) for passages, _, _ in model.asked} == {1}
    texts = [passages[0].text for passages, _, _ in model.asked]
    assert "this is rose." in texts
    assert not any(text != text.lower() for text in texts)


def test_a_population_standard_deviation_is_a_statistic_of_its_own(tmp_path):
    folder = run("association.seat", ToyVectors(), SENTENCES, tmp_path, task=TASK, ddof=0)
    found = estimate(folder, "effect_size(population)", group="words", representation="mean")
    sample = by_hand(ToyVectors(), "words", ("{}",), "mean")
    assert found.value == pytest.approx(sample * (8 / 7) ** 0.5, abs=1e-6)


def test_a_target_without_a_vector_is_undefined_and_the_others_go_on(tmp_path):
    model = ToyVectors(without=("rose",))
    found = measured(model)
    lost = found["words/X/rose/0", '{"representation":"mean"}']
    assert (lost.status, lost.reason, lost.values) == ("undefined", "no_vector", None)
    folder = run("association.seat", model, SENTENCES, tmp_path, task=TASK)
    estimated = estimate(folder, "effect_size(sample)", group="words", representation="mean")
    assert (estimated.counts.n, estimated.counts.undefined) == (7, 1)


def test_a_test_that_lacks_attributes_has_no_association_at_all():
    found = measured(ToyVectors(without=("joy",)))
    of_words = [r for (item, _), r in found.items() if item.startswith(("words/X", "words/Y"))]
    assert {(r.status, r.reason) for r in of_words} == {("undefined", "attributes_missing")}
    other = found["sentences/X/rose/0", '{"representation":"mean"}']
    assert other.status == "ok"


def test_a_model_that_gives_up_has_failed_on_every_item():
    found = measured(ToyVectors(breaks=True))
    assert {(r.status, r.reason) for r in found.values()} == {("failed", "out_of_memory")}


def test_one_representation_is_no_choice(tmp_path):
    params = {"representations": ["mean"]}
    design = (
        resolve_only(
            ToyVectors(), SENTENCES, diagnostic="association.seat", task=TASK, params=params
        )
        .measurements["d"]
        .designs["m", "x"]
    )
    claim = next(c for c in design.claims if c.id == "words")
    assert claim.checks == ("items", "seeds", "datasets")
    assert [c.against for c in claim.components] == ["reference", "control: untrained"]


def test_the_claim_of_a_test_compares_every_representation_with_the_margin_and_a_null(tmp_path):
    design = (
        resolve_only(ToyVectors(), SENTENCES, diagnostic="association.seat", task=TASK)
        .measurements["d"]
        .designs["m", "x"]
    )
    claim = next(c for c in design.claims if c.id == "words")
    assert [(c.estimate, c.limit, c.against) for c in claim.components[:4]] == [
        ("d/words/mean", 0.2, "reference"),
        ("untrained/d/words/mean", 0.2, "control: untrained"),
        ("d/words/cls", 0.2, "choice: representation cls"),
        ("untrained/d/words/cls", 0.2, "choice: representation cls, untrained"),
    ]
    assert len(claim.components) == 8
    assert {(c.id, c.a, c.b, c.minus) for c in design.contrasts} >= {
        ("untrained/d/words/mean", "d/words/mean", "d/words/mean", "null")
    }


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"representations": ["clss"]}, "clss"),
        ({"representations": ["cls", "cls"]}, "twice"),
        ({"claimed": "top"}, "top"),
        ({"layers": "first"}, "layers"),
    ],
)
def test_strange_parameters_are_refused(params, message):
    with pytest.raises(PlanError, match=message):
        resolve_only(
            ToyVectors(), SENTENCES, diagnostic="association.seat", task=TASK, params=params
        )


def test_a_model_that_does_not_say_how_many_layers_it_has_is_asked_for_none_of_them():
    class Silent(ToyVectors):
        n_layers = 0

    with pytest.raises(PlanError, match="how many layers"):
        resolve_only(
            Silent(), SENTENCES, diagnostic="association.seat", task=TASK, params={"layers": "all"}
        )


def test_passages_of_one_text_with_two_words_are_two_and_without_need_of_words_one():
    given = examples(
        [
            {"text": "joy and war", "set": "A", "test": "t", "start": 0.0, "end": 3.0},
            {"text": "joy and war", "set": "B", "test": "u", "start": 8.0, "end": 11.0},
            {"text": "joy and war", "set": "B", "test": "v"},
        ]
    )
    passages, places = passages_of(given, lower=False, needs_word=True)
    assert passages == [Passage("joy and war", (0, 3)), Passage("joy and war", (8, 11))]
    assert places.tolist()[:2] == [0, 1]
    passages, places = passages_of(given, lower=True, needs_word=False)
    assert (passages, places.tolist()) == ([Passage("joy and war")], [0, 0, 0])


def test_sets_keep_the_order_of_the_items():
    found = word_sets(examples(SENTENCES))
    assert [test.name for test in found] == ["words", "sentences"]
    assert found[0].members["Y"].tolist() == [4, 5, 6, 7]
    assert lowered("İstanbul ANKARA") == "İstanbul ankara"
