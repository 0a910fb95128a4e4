"""Competence on minimal pairs and passages, with a model whose preferences are known."""

import pytest
from design_inputs import inputs_of
from preferring_language import Preferring

from scrutiny.core.diagnostic import Batch, Cell, NoParams
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.diagnostics.competence import Competence
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext

PAIRS, PASSAGES = load_task("minimal-pairs"), load_task("passages")
CELL = Cell("m", None, "x")


def minimal(name, good, bad):
    attributes = {"a_construction": "subject-verb", "u_template": "t"}
    return Example(name, {"good": good, "bad": bad}, attributes=attributes)


AGREEMENT = (
    minimal("right", "dogs bark", "dogs barks"),
    minimal("wrong", "dogs barks now", "dogs bark now"),
    minimal("tie", "cats sleep", "cats sleeps"),
    minimal("long", "cats " * 60, "dogs " * 60),
)
DOCUMENTS = tuple(
    Example(f"{document}{n}", {"text": f"{document} part {n}"}, attributes={"u_document": document})
    for document in ("a", "b")
    for n in range(2)
)


def rows(task, examples, model):
    context = ToyContext(task, model)
    return list(Competence().measure(NoParams(), CELL, Batch(examples), context))


def test_it_keeps_its_promises():
    model = Preferring(["bark"], follows=lambda a, b: 0.5)
    check_diagnostic(Competence(), examples=AGREEMENT, task=PAIRS, model=model)
    check_diagnostic(Competence(), examples=DOCUMENTS, task=PASSAGES, model=model)


@pytest.mark.parametrize("causal", [False, True])
def test_grammatical_sentences_are_hits_and_ties_are_not(causal):
    model = Preferring(["bark"], causal=causal)
    found = rows(PAIRS, AGREEMENT, model)
    if causal:  # bark stands last in the first pair: nothing comes after it
        assert found[0].values[:2] == (0, 1)
    else:
        assert found[0].values[:2] == (1, 0)
    assert [row.values[0] for row in found[1:3]] == [0, 0]
    assert found[2].values[1] == 1


def test_too_long_a_sentence_fails():
    found = rows(PAIRS, AGREEMENT, Preferring(["bark"]))[3]
    assert (found.status, found.reason) == ("failed", "too_long")


def test_next_passages_are_asked_beside_those_of_other_documents():
    model = Preferring(follows=lambda a, b: 0.9 if a[0] == b[0] else 0.1)
    found = [r for r in rows(PASSAGES, DOCUMENTS, model) if "next_sentence" in r.condition]
    assert [row.values or row.reason for row in found] == [
        (1.0,),
        "no_next_passage",
        (1.0,),
        "no_next_passage",
    ]


@pytest.mark.parametrize("answer", [0.1, 0.9])
def test_a_head_that_always_says_the_same_is_right_half_of_the_time(answer):
    found = rows(PASSAGES, DOCUMENTS, Preferring(follows=lambda a, b: answer))
    assert [r.values for r in found if "next_sentence" in r.condition and r.values] == [(0.5,)] * 2


def test_surprisal_is_nats_a_token():
    found = [r for r in rows(PASSAGES, DOCUMENTS, Preferring(["part"])) if r.status == "ok"]
    # one of three tokens is masked at a time: beside "part" two have 1 nat, itself has 2
    assert [row.values for row in found] == [(pytest.approx(4 / 3),)] * 4


def inputs(task, capabilities, **columns):
    return inputs_of(task, capabilities=frozenset(capabilities), columns=columns)


def test_the_estimate_that_other_claims_name():
    constructions = {"subject-verb": 3, "reflexive": 1}
    design = Competence().design(
        NoParams(),
        inputs(PAIRS, {"tokenizes", "token_logprobs"}, a_construction=constructions),
    )
    assert [spec.id for spec in design.estimates] == [
        "agreement",
        "agreement/subject-verb",
        "agreement/reflexive",
    ]
    assert design.estimates[0].metric == "accuracy@1"
    assert design.claims[0].components[0].limit == 0.5
    assert not design.claims[0].needs_control


def test_passages_have_what_the_model_can_answer():
    masked = {"tokenizes", "masked_logprobs"}
    found = Competence().design(NoParams(), inputs(PASSAGES, masked | {"next_sentence"}))
    assert [spec.id for spec in found.estimates] == ["surprisal", "next_sentence"]
    found = Competence().design(NoParams(), inputs(PASSAGES, masked))
    assert [spec.id for spec in found.estimates] == ["surprisal"]


def test_a_model_without_likelihoods_is_refused():
    with pytest.raises(PlanError, match="masked_logprobs or token_logprobs"):
        Competence().design(NoParams(), inputs(PAIRS, {"tokenizes"}))
