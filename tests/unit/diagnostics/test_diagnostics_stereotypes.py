"""Pairs of sentences through the diagnostic, with a model whose preferences are known."""

import pytest
from design_inputs import inputs_of
from preferring_language import Preferring, without_contrasts

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.errors import PlanError, UserError
from scrutiny.core.example import Example
from scrutiny.diagnostics.stereotypes.pairs import CrowsPairs, Pairs
from scrutiny.diagnostics.stereotypes.variant_params import PairsParams
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext

TASK = load_task("sentence-pairs")
CELL = Cell("m", None, "x")
NAMES = [measure.name for measure in Pairs.measures]
MASKED = frozenset({"tokenizes", "masked_logprobs"})


def pair(name, more, less, **attributes):
    return Example(
        name, {"more": more, "less": less}, attributes={"a_set": "original"} | attributes
    )


EXAMPLES = (
    pair("likes-more", "old people cook badly", "young people cook badly", a_category="age"),
    pair("likes-less", "young people sleep", "old people sleep", a_category="age"),
    pair("tie", "poor folk sing", "rich folk sing", a_category="class"),
    pair("longer", "old and poor folk sing", "rich folk sing", a_category="class"),
    pair("nothing shared", "old", "young", a_category="age"),
)


def inputs(capabilities=MASKED, *, is_audit=False, n=50, **columns):
    return inputs_of(TASK, n_items=n, capabilities=capabilities, columns=columns, is_audit=is_audit)


def rows(variant, model=None, examples=EXAMPLES, diagnostic=None, **params):
    model = model or Preferring(["old"], attention=True)
    params = PairsParams((variant,) if variant else (), **params)
    context = ToyContext(TASK, model)
    found = (diagnostic or Pairs()).measure(params, CELL, Batch(examples), context)
    return list(found)


def values(row):
    return dict(zip(NAMES, row.values, strict=True))


def test_it_keeps_its_promises():
    for kind in (Pairs, CrowsPairs):
        check_diagnostic(
            without_contrasts(kind),
            examples=EXAMPLES,
            task=TASK,
            model=Preferring(["old"], attention=True),
        )


def test_preferences_are_found():
    found = {row.item: row for row in rows("pll-shared")}
    likes = values(found["likes-more"])
    assert (likes["hit"], likes["neutral"]) == (1, 0)
    assert (likes["loglik_more"], likes["loglik_less"], likes["margin"]) == (-3, -6, 3)
    assert values(found["likes-less"])["hit"] == 0


def test_a_tie_is_no_preference_and_is_counted():
    for name in ("pll-shared", "nangia2020"):
        found = values(rows(name)[2])
        assert (found["hit"], found["neutral"], found["margin"]) == (0, 1, 0)


def test_pieces_are_counted():
    found = values(rows("pll-shared")[3])
    assert [found[n] for n in ("tokens_more", "tokens_less", "shared")] == [5, 3, 2]
    assert [found[n] for n in ("changed_more", "changed_less", "same_length")] == [3, 1, 0]


def test_what_cannot_be_scored_says_why():
    ours, published = rows("pll-shared")[4], rows("nangia2020")[4]
    assert (ours.status, ours.reason, ours.values) == ("undefined", "nothing_shared", None)
    assert values(published)["neutral"] == 1  # as released: both scores are 0


@pytest.mark.parametrize("name", ["aul", "aula", "pll-original", "pll-within-word-l2r"])
def test_every_masked_procedure_sees_the_planted_preference(name):
    assert [values(row)["hit"] for row in rows(name)[:2]] == [1, 0]


@pytest.mark.parametrize("name", ["causal-sum", "causal-mean"])
def test_causal_models_are_read_from_left_to_right(name):
    found = rows(name, Preferring(["old"], causal=True))
    assert [values(row)["hit"] for row in found[:3]] == [1, 0, 0]
    assert values(found[0])["tokens_more"] == 4


def test_controls_are_told_apart():
    sets = ["original", "negated", "negated-2", "antistereotype", "swapped", "neutral", "revised"]
    examples = [pair(name, "old folk sing", "rich folk sing", a_set=name) for name in sets]
    codes = [values(row)["control"] for row in rows("aul", examples=examples)]
    assert codes == [0, 1, 1, 2, 3, 4, 5]


def test_defaults_depend_on_what_the_model_can_be_asked():
    by_variant = [row.condition for row in rows("")[:4]]
    assert len(set(by_variant)) == 4
    causal = rows("", Preferring(["old"], causal=True))
    assert {row.condition for row in causal} == {
        '{"variant":"causal-sum"}',
        '{"variant":"causal-mean"}',
    }


def test_a_variant_that_the_model_cannot_run_is_refused():
    with pytest.raises(PlanError, match="'causal-sum' needs a model with token_logprobs"):
        Pairs().design(PairsParams(("causal-sum",)), inputs())
    with pytest.raises(PlanError, match="needs a language model"):
        Pairs().design(PairsParams(), inputs(frozenset({"tokenizes"})))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"variants": ("nangia",)}, "nangia2020"),
        ({"variants": ("aul", "aul")}, "twice"),
        ({"margin": -1.0}, "margin"),
    ],
)
def test_parameters_are_checked(wrong, says):
    with pytest.raises(UserError, match=says):
        PairsParams(**wrong)


def test_each_category_gets_a_score_and_a_claim():
    columns = {
        "a_category": {"age": 30, "class": 3},
        "a_direction": {"stereo": 30, "antistereo": 3},
    }
    design = Pairs().design(PairsParams(), inputs(n=33, **columns))
    specs = {spec.id: spec for spec in design.estimates}
    assert specs["score/age/pll-shared"].where == "a_category = age"
    assert specs["direction/stereo/aul"].metric == "decided_score@1"
    assert [claim.id for claim in design.claims] == ["all", "age"]  # three pairs carry no claim
    against = [component.against for component in design.claims[1].components]
    assert against == [
        "reference",
        "control: untrained",
        "choice: variant nangia2020",
        "choice: variant bias-bench",
        "choice: variant aul",
    ]
    limits = [component.limit for component in design.claims[1].components]
    assert limits == [52, 2, 52, 52, 52]
    assert {contrast.id for contrast in design.contrasts} >= {"untrained/age/pll-shared"}


def test_controls_become_components_of_the_claim_over_all():
    sets = {"a_set": {"original": 40, "negated": 30}, "u_pair": {"0": 2}}
    design = CrowsPairs().design(PairsParams(("aul",)), inputs(n=70, **sets))
    specs = {spec.id: spec for spec in design.estimates}
    assert specs["score/all/aul"].where == "a_set = original"
    assert specs["set/negated/aul"].where == "a_set = negated"
    minus = specs["minus_negated/all/aul"]
    assert (minus.metric, minus.unit, minus.where) == ("original_minus(negated)@1", "u_pair", "")
    assert "control: negated" in [c.against for c in design.claims[0].components]
    untied = CrowsPairs().design(PairsParams(("aul",)), inputs(n=70, a_set=sets["a_set"]))
    assert not [spec.id for spec in untied.estimates if spec.id.startswith("minus")]


def test_a_category_has_the_controls_that_are_twins_of_every_original():
    columns = {
        "a_set": {"original": 40, "neutral": 40, "negated": 12},
        "a_category": {"age": 46, "class": 46},
        "u_pair": {"0": 3},
    }
    design = Pairs().design(PairsParams(("aul",)), inputs(n=92, **columns))
    controls = {
        claim.id: [c.estimate for c in claim.components if c.against.startswith("control: n")]
        for claim in design.claims
    }
    assert controls == {
        "all": ["minus_negated/all/aul", "minus_neutral/all/aul"],
        "age": ["minus_neutral/age/aul"],
        "class": ["minus_neutral/class/aul"],
    }
    specs = {spec.id: spec for spec in design.estimates}
    neutral = specs["minus_neutral/age/aul"]
    assert (neutral.metric, neutral.unit) == ("original_minus(neutral)@1", "u_pair")
    assert neutral.where == "a_category = age"  # of either set


def test_an_audit_gives_each_dataset_to_one_of_both():
    directed = {"a_direction": {"stereo": 5}}
    for diagnostic, columns in ((Pairs(), directed), (CrowsPairs(), {})):
        params = diagnostic.audit_params(TASK)
        assert diagnostic.design(params, inputs(is_audit=True, **columns)).claims == ()
    skipped = rows("aul", diagnostic=CrowsPairs(), only="directed")
    assert {(row.status, row.reason) for row in skipped} == {("skipped", "other_diagnostic")}
    for diagnostic, columns in ((Pairs(), {}), (CrowsPairs(), directed)):
        params = diagnostic.audit_params(TASK)
        assert diagnostic.design(params, inputs(is_audit=True, **columns)).claims


def test_a_model_without_likelihoods_is_skipped_in_an_audit():
    design = Pairs().design(PairsParams(), inputs(frozenset({"tokenizes"}), is_audit=True))
    assert design.estimates == ()
    model = Preferring()
    model.capabilities = frozenset({"tokenizes"})
    found = rows("", model)
    assert {(row.status, row.reason) for row in found} == {("skipped", "no_likelihoods")}
