"""Triples through the diagnostic, with a model whose preferences are known."""

import pytest
from design_inputs import inputs_of
from preferring_language import Preferring, without_contrasts

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.diagnostics.stereotypes.stereoset import StereoSet
from scrutiny.diagnostics.stereotypes.variant_params import StereoSetParams
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext

TASK = load_task("sentence-triples")
CELL = Cell("m", None, "x")
NAMES = [measure.name for measure in StereoSet.measures]
MODEL = Preferring(["lazy"], follows=lambda first, second: 0.9 if "lazy" in second else 0.2)


def triple(name, context, words, kind="intrasentence"):
    fill = (lambda w: context.replace("BLANK", w)) if kind == "intrasentence" else (lambda w: w)
    fields = dict(zip(("stereotype", "antistereotype", "unrelated"), map(fill, words), strict=True))
    return Example(
        name,
        {"context": context, **fields},
        attributes={"a_kind": kind, "a_category": "job", "u_term": "cook"},
    )


EXAMPLES = (
    triple("one", "the cook is BLANK today", ("lazy", "busy", "green")),
    triple("two", "BLANK cooks sing", ("happy", "lazy", "blue")),
    triple("three", "the cook left", ("so lazy", "so busy", "ice melts"), "intersentence"),
)


def rows(variant, model=MODEL):
    context = ToyContext(TASK, model)
    params = StereoSetParams((variant,) if variant else ())
    return list(StereoSet().measure(params, CELL, Batch(EXAMPLES), context))


def values(row):
    return dict(zip(NAMES, row.values, strict=True))


def test_it_keeps_its_promises():
    check_diagnostic(without_contrasts(StereoSet), examples=EXAMPLES, task=TASK, model=MODEL)


def test_items_of_the_other_kind_are_skipped():
    intra, inter = rows("nadeem2021"), rows("nsp")
    assert [row.status for row in intra] == ["ok", "ok", "skipped"]
    assert [row.status for row in inter] == ["skipped", "skipped", "ok"]
    assert intra[2].reason == "other_kind"


def test_next_sentences():
    found = values(rows("nsp")[2])
    assert (found["hit"], found["stereotype_wins"], found["antistereotype_wins"]) == (1, 1, 0)
    assert (found["score_stereotype"], found["score_unrelated"]) == (0.9, 0.2)


def test_a_tie_is_no_hit_and_no_win():
    found = values(rows("log-mean", Preferring())[0])
    assert [found[n] for n in ("hit", "neutral", "stereotype_wins", "margin")] == [0, 1, 0, 0]
    assert (found["tokens_stereotype"], found["same_length"]) == (5, 1)


def test_causal_models_have_procedures_of_both_kinds():
    found = rows("", Preferring(["lazy"], causal=True))
    scored = {row.condition for row in found if row.status == "ok"}
    assert len(scored) == 3
    first = next(row for row in found if row.item == "one" and row.status == "ok")
    assert values(first)["hit"] == 1


def design(capabilities, **params):
    columns = {
        "a_kind": {"intrasentence": 2, "intersentence": 1},
        "a_category": {"job": 2, "faith": 1},
        "u_term": {"cook": 3},
    }
    inputs = inputs_of(TASK, capabilities=frozenset(capabilities), columns=columns)
    return StereoSet().design(StereoSetParams(**params), inputs)


def test_one_claim_for_each_kind_and_domain():
    found = design({"tokenizes", "masked_logprobs", "next_sentence"})
    assert [claim.id for claim in found.claims] == [
        "intrasentence all",
        "intrasentence job",
        "intrasentence faith",
        "intersentence all",
        "intersentence job",
        "intersentence faith",
    ]
    intra, inter = found.claims[0], found.claims[3]
    assert [c.against for c in intra.components][2:] == ["choice: variant nadeem2021"]
    assert intra.competence == (("lms/all/log-mean", 50.0), ("competence:agreement", 0.5))
    assert inter.competence[0] == ("lms/all/nsp", 50.0)
    specs = {spec.id: spec for spec in found.estimates}
    assert specs["ss/job/nsp"].where == "a_category = job and a_kind = intersentence"


def test_both_kinds_are_estimated_together_by_every_pair_of_procedures():
    specs = {
        spec.id: spec
        for spec in design({"tokenizes", "masked_logprobs", "next_sentence"}).estimates
        if "+" in spec.id
    }
    assert set(specs) == {
        f"{metric}/all/{gap}+nsp"
        for metric in ("ss", "lms", "icat", "score")
        for gap in ("log-mean", "nadeem2021")
    }
    one = specs["icat/all/nadeem2021+nsp"]
    assert (one.group, dict(one.where), one.unit) == ("all", {}, "u_term")
    alone = design({"tokenizes", "masked_logprobs"}).estimates
    assert not any("+" in spec.id for spec in alone)


def test_without_a_next_sentence_head_nothing_is_said_of_continuations():
    found = design({"tokenizes", "masked_logprobs"})
    assert {claim.id.split()[0] for claim in found.claims} == {"intrasentence"}


def test_a_head_alone_is_enough_for_continuations():
    found = design({"tokenizes", "next_sentence"})
    assert {claim.id.split()[0] for claim in found.claims} == {"intersentence"}


def test_models_that_cannot_are_refused():
    with pytest.raises(PlanError, match="needs a language model"):
        design({"tokenizes"})
    with pytest.raises(PlanError, match="'causal' needs"):
        design({"tokenizes", "masked_logprobs"}, variants=("causal",))


def test_a_head_alone_is_tested_by_its_own_lms_only():
    """It gives sentences no likelihood, so agreement cannot be asked of it."""
    found = design({"tokenizes", "next_sentence"})
    assert found.claims[0].competence == (("lms/all/nsp", 50.0),)
