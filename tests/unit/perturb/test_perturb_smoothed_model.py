"""Smoothed classifiers: mean logits over copies, against the classifier asked copy by copy."""

import math

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.models.strings.model_families import expand
from scrutiny.models.strings.model_loading import load_model
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.smoothed_model import SmoothedClassifier, Smoothing
from scrutiny.testing import check_adapter

TEXTS = [
    "A charming film with a clever plot and a wonderful cast.",
    "The story is dull and the jokes are bad.",
    "",
]
INNER = "builtin:sentiment/seed-1"


@pytest.fixture
def task():
    return registry().load("task", "text-classification")()


def examples():
    return [Example(str(i), {"text": text}, gold="positive") for i, text in enumerate(TEXTS)]


def scores(model, asked=None):
    return [answer.scores for answer in model.predict(asked or examples())]


def test_one_copy_without_change_is_the_classifier_itself(task):
    plain, smoothed = (
        load_model(INNER, task),
        load_model(f"smoothed:{INNER}#copies=1,share=0", task),
    )
    assert smoothed.labels == plain.labels
    for mine, own in zip(scores(smoothed), scores(plain), strict=True):
        assert mine == pytest.approx(own, abs=1e-12)


def test_answer_is_the_softmax_of_mean_logits_of_the_copies(task):
    plain = load_model(INNER, task)
    smoothing = Smoothing(parse_recipe("synonym_wordnet(share=0.5,checked=false)"), copies=5)
    smoothed = SmoothedClassifier(plain, smoothing, source="s")
    copies = list(smoothing.copies_of(examples()))
    assert len({copy.fields["text"] for copy in copies[0]}) > 1
    assert {copy.fields["text"] for copy in copies[2]} == {""}  # nothing to change
    for own, found in zip(copies, scores(smoothed), strict=True):
        logs = [[math.log(p) for p in answer.scores] for answer in plain.predict(own)]
        margins = [a - b for a, b in logs]  # of two classes: a logit
        mean = sum(margins) / len(margins)
        assert found[0] == pytest.approx(1 / (1 + math.exp(-mean)), abs=1e-9)
        assert sum(found) == pytest.approx(1)


def test_a_text_has_one_answer_whoever_asks_and_in_whatever_company(task):
    smoothed = load_model(f"smoothed:{INNER}", task)
    alone = scores(smoothed, [Example("other name", {"text": TEXTS[0]})])
    assert alone[0] == scores(smoothed)[0]


def test_seeds_and_amounts_are_other_models(task):
    written = ["", "#seed=1", "#copies=3", "#share=0.5", "#change=contraction"]
    prints = {load_model(f"smoothed:{INNER}{tail}", task).fingerprint() for tail in written}
    assert len(prints) == len(written)


def test_a_certain_answer_does_not_veto_the_others(task):
    class Sure:
        source, task, labels = "sure", "text-classification", ("a", "b")
        is_batch_invariant = True

        def predict(self, asked):
            return [Prediction(scores=(1.0, 0.0))] + [Prediction(scores=(0.0, 1.0))] * (
                len(asked) - 1
            )

    smoothing = Smoothing(parse_recipe("synonym_wordnet(checked=false)"), copies=3, share=0)
    found = SmoothedClassifier(Sure(), smoothing, source="s").predict(examples()[:1])
    assert 0 < found[0].scores[0] < 0.5


def test_labels_without_probabilities_cannot_be_averaged(task):
    class Labels:
        source, task, labels = "plain", "text-classification", ("a", "b")
        is_batch_invariant = True

        def predict(self, asked):
            return [Prediction("a") for _ in asked]

    smoothing = Smoothing(parse_recipe("synonym_wordnet"), copies=2, share=0)
    with pytest.raises(ModelError, match="nothing to average"):
        SmoothedClassifier(Labels(), smoothing, source="s").predict(examples())


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        ("copies=0", "copies is a whole number"),
        ("copies=2.5", "copies is a whole number"),
        ("share=2", "share lies"),
        ("share=much", "is no number"),
        ("change=antonym_swap", "does not keep the labels"),
        ("change=typos(", "typos"),
    ],
)
def test_options_that_do_not_read_are_refused(task, tail, said):
    with pytest.raises(ModelError, match=said):
        load_model(f"smoothed:{INNER}#{tail}", task)


def test_families_go_through(task):
    family = expand("smoothed:builtin:sentiment/seed-{seed}#copies=2", name="m")
    assert [dict(r.random) for r in family.replicates] == [{"seed": str(i)} for i in range(1, 6)]
    assert load_model(family.replicates[1].source, task).labels == ("negative", "positive")


def test_it_keeps_the_promises_of_an_adapter(task):
    check_adapter(load_model(f"smoothed:{INNER}#copies=2", task), examples())
