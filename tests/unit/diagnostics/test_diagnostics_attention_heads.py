"""Heads as classifiers: counts by hand under each preset, nulls beside them, and the claims."""

import json

import numpy as np
import pytest
from design_inputs import inputs_of

from scrutiny.core.diagnostic import Batch, Cell, Failure
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.queries.attention import AttentionMap
from scrutiny.diagnostics.attention.encodings import SPAN_BASELINES
from scrutiny.diagnostics.attention.heads import Heads, HeadsParams
from scrutiny.reliability.panel import columns_of

SHAPE = {"layer": 1, "head": 2}
MEASURES = tuple(measure.sized(SHAPE) for measure in Heads.measures)


class Attender(Model):
    """Head 1 attends to the word "not", head 2 to the first word, past ``[CLS]``.

    "xx" is cut into two pieces; "\\x85" has none. Cased, as long as words are not lower-cased.
    """

    attention_shape = (1, 2)
    capabilities = frozenset({"attentions"})

    def __init__(self, *, special=0.0):
        self.special = special
        self.asked = []

    def attentions(self, sentences, *, weighting="raw"):
        for words in sentences:
            self.asked.append(words)
            if len(words) > 8:
                yield Failure("too_long")
                continue
            pieces = [None]
            for place, word in enumerate(words):
                pieces += [place] * {"\x85": 0, "xx": 2}.get(word, 1)
            size = len(pieces)
            weights = np.zeros((1, 2, size, size), dtype=np.float32)
            cue = next((k for k, p in enumerate(pieces) if p is not None and words[p] == "not"), 1)
            weights[0, 0, :, cue] = 1.0 - self.special
            weights[0, 1, :, min(1, size - 1)] = 1.0 - self.special
            weights[..., 0] += self.special
            yield AttentionMap(weights, tuple(pieces), tuple(range(size)))


class Ctx:
    def __init__(self, model=None):
        self.model = model or Attender()
        self.arrays = {}

    def array(self, name, value):
        self.arrays[name] = value

    def rng(self, purpose, name, item, draw=0):
        assert (purpose, name) == ("pseudo-cue", "attention.heads@1")
        return np.random.default_rng([len(item), draw])


def example(text, *, anchors=(), targets=(), name="x"):
    """Example of words between blanks; anchors and targets are indices of words."""
    borders, start = [], 0
    for word in text.split(" "):
        borders.append((start, start + len(word)))
        start += len(word) + 1
    spans = [Span("text", *borders[w], "anchor") for w in anchors]
    spans += [Span("text", *borders[w], "target") for w in targets]
    return Example(name, {"text": text}, spans=tuple(spans), tokens={"text": tuple(borders)})


PLAIN = example("I do not like rain", anchors=(2,), targets=(0, 1, 3, 4))


def rows(*examples, model=None, **params):
    batch, cell = Batch(tuple(examples)), Cell("m", None, "x")
    return list(Heads().measure(HeadsParams(**params), cell, batch, Ctx(model)))


def counts(row, name):
    return [row.values[k] for k in columns_of(MEASURES, name, {})]


def found(rows, preset="default", role="measured"):
    return next(r for r in rows if json.loads(r.condition)["preset"] == preset and r.role == role)


def test_counts_of_each_head_by_hand():
    row = found(rows(PLAIN))
    assert counts(row, "tp") == [4, 0]
    assert counts(row, "predicted") == [4, 0]
    assert counts(row, "gold") == [4]
    assert len(row.values) == 2 + 2 + 1 + 2 * len(SPAN_BASELINES)
    assert dict(zip(SPAN_BASELINES, counts(row, "baseline_tp"), strict=True))["all"] == 4


def test_a_cue_itself_is_predicted_only_where_it_may_attend_to_itself():
    made = rows(PLAIN)
    assert counts(found(made, "as_released"), "predicted") == [4, 0]
    assert counts(found(made, "as_published"), "predicted") == [5, 0]


def test_special_tokens_are_rivals_only_as_published():
    made = rows(PLAIN, model=Attender(special=0.6))
    assert counts(found(made, "as_released"), "tp") == [4, 0]
    assert counts(found(made, "as_published"), "tp") == [0, 0]


def test_a_target_that_is_listed_twice_counts_twice_as_released():
    twice = example("I do not like rain", anchors=(2,), targets=(3, 3))
    assert counts(found(rows(twice)), "gold") == [1]
    assert counts(found(rows(twice), "as_released"), "gold") == [2]
    assert counts(found(rows(twice), "as_released"), "tp") == [1, 0]


def test_frames_of_one_sentence_share_its_map():
    model = Attender()
    made = rows(
        PLAIN, example(PLAIN.text, anchors=(0,), targets=(1,), name="y"), model=model,
        presets=("default",),
    )  # fmt: skip
    assert len(model.asked) == 1
    assert [row.item for row in made] == ["x", "x", "y", "y"]
    assert counts(made[2], "predicted") == [0, 4]


def test_a_frame_without_scope_has_predictions_that_are_all_wrong():
    row = found(rows(example("do not !", anchors=(1,))))
    assert counts(row, "gold") == [0]
    assert counts(row, "tp") == [0, 0]
    assert counts(row, "predicted") == [2, 0]


def test_words_without_pieces_leave_the_word_or_the_sentence_out():
    odd = example("I \x85 not like rain", anchors=(2,), targets=(0, 1, 3))
    made = rows(odd)
    assert counts(found(made), "tp") == [2, 0]
    assert counts(found(made), "gold") == [3]
    dropped = found(made, "as_released")
    assert (dropped.status, dropped.reason) == ("undefined", "word_without_pieces")


def test_a_sentence_that_does_not_fit_is_a_failure():
    assert {row.status for row in rows(example("a b c d e f g h not", anchors=(8,)))} == {"failed"}


def test_the_pseudo_cue_has_the_cues_place_in_every_count():
    row = found(rows(PLAIN), role="control")
    assert counts(row, "predicted")[0] == 0  # nobody attends to it, unless it is the first word
    assert counts(row, "gold") == [4]
    offsets = dict(zip(SPAN_BASELINES, counts(row, "baseline_predicted"), strict=True))
    assert offsets["all"] == 5
    assert sum(offsets[f"offset {o:+d}"] for o in (-1, 1)) in (1, 2)


def test_without_room_there_is_no_pseudo_cue():
    row = found(rows(example("not", anchors=(0,))), role="control")
    assert (row.status, row.reason) == ("undefined", "no_pseudo_cue")


def test_casing_is_asked_for_once_where_the_model_does_not_care():
    class Uncased(Attender):
        capabilities = frozenset({"attentions", "tokenizes"})

        def encode(self, texts, *, pairs=None, special=True):
            return [type("E", (), {"ids": tuple(map(ord, t.lower()))}) for t in texts]

    model = Uncased()
    rows(PLAIN, model=model)
    assert model.asked == [tuple(PLAIN.text.lower().split())]
    cased = Attender()
    rows(PLAIN, model=cased)
    assert len(cased.asked) == 2


def test_options_of_ones_own_are_a_condition():
    made = rows(PLAIN, presets=("default",), options={"into": "max", "special": "keep"})
    assert found(made, "own").status == "ok"


@pytest.mark.parametrize(
    ("params", "error", "says"),
    [
        ({"presets": ("released",)}, UnknownNameError, "as_released"),
        ({"presets": ()}, PlanError, "presets is empty"),
        ({"encoding": "attend-to"}, UnknownNameError, "attends-to"),
        ({"options": {"in_to": "sum"}}, UnknownNameError, "into"),
        ({"options": {"into": "first"}}, PlanError, "sum, mean, max"),
        ({"baselines": ("offset",)}, UnknownNameError, "offsets"),
        ({"unscored": ("cues",)}, UnknownNameError, "anchors"),
    ],
)
def test_bad_parameters_say_what_is_allowed(params, error, says):
    with pytest.raises(error, match=says):
        HeadsParams(**params)


def design(**more):
    inputs = inputs_of(n_layers=1, n_heads=2, **more)
    return Heads().design(HeadsParams(), inputs)


def test_a_pretrained_family_has_the_claims_that_need_no_tuning():
    claims = {claim.id: claim for claim in design(beside=("sfu",)).claims}
    assert set(claims) == {"C1", "C3/sfu"}
    guards = [component.against for component in claims["C1"].components]
    assert guards[:3] == ["baselines", "control: pseudo-cues", "control: untrained"]
    assert all("as_published" not in guard for guard in guards)


def test_a_tuned_family_is_held_against_its_base_and_the_control_task():
    made = design(beside=("sfu",), base="pretrained", controls=frozenset({"null", "control"}))
    gates = {claim.id: claim.gates for claim in made.claims}
    skilled = ("task_skill",)
    assert gates == {"C1": (), "C3/sfu": (), "C4": skilled, "C5": skilled, "C6/sfu": skilled}
    known = {spec.id for spec in made.estimates} | {c.id for c in made.contrasts}
    assert all(c.estimate in known for claim in made.claims for c in claim.components)
    gain = next(s for s in made.estimates if s.metric == "gain_tau_other_half(f1)@1")
    assert gain.sides["base"].of == "base"
    assert gain.strata == "a_half"


def test_fixed_offsets_are_a_claim_of_their_own_beside_the_stricter_one():
    params = HeadsParams(baselines=("every", "offsets"))
    made = Heads().design(params, inputs_of(n_layers=1, n_heads=2))
    one = next(claim for claim in made.claims if claim.id == "C1/offsets")
    assert [c.estimate for c in one.components] == [
        f"{preset}/selected_head_over_offset(f1)" for preset in ("default", "as_released")
    ]
    assert {claim.id: claim.family for claim in made.claims} == {
        "C1": "attention",
        "C1/offsets": "attention.as_published",
    }
    assert set(made.families) == {"attention", "attention.as_published"}


@pytest.mark.parametrize(("baselines", "claims"), [("every", "C1"), ("offsets", "C1/offsets")])
def test_baselines_are_a_choice(baselines, claims):
    inputs = inputs_of(n_layers=1, n_heads=2)
    made = Heads().design(HeadsParams(baselines=(baselines,)), inputs)
    assert [claim.id for claim in made.claims] == [claims]
    known = {spec.id for spec in made.estimates} | {c.id for c in made.contrasts}
    assert {c.estimate for claim in made.claims for c in claim.components} <= known
    has_offsets = any("over_offset" in spec.id for spec in made.estimates)
    assert has_offsets == (baselines == "offsets")


def test_words_of_the_anchor_can_be_left_out_of_every_count():
    own = example("I do not like rain", anchors=(2,), targets=(0, 1, 2, 3))
    row = found(rows(own, unscored=("anchors",)), "as_published")
    assert counts(row, "tp") == [3, 0]
    assert counts(row, "predicted") == [4, 0]  # five with the cue, which attends to itself
    assert counts(row, "gold") == [3]
    baselines = dict(zip(SPAN_BASELINES, counts(row, "baseline_predicted"), strict=True))
    assert (baselines["all"], baselines["offset -1"]) == (4, 1)
    pseudo = found(rows(own, unscored=("anchors",)), "as_published", role="control")
    assert counts(pseudo, "gold") == [3]  # the same words are scored


def test_examples_without_targets_can_be_left_out():
    empty = example("do not !", anchors=(1,), name="empty")
    made = rows(PLAIN, empty, unscored=("empty",))
    assert {(r.status, r.reason) for r in made if r.item == "empty"} == {("skipped", "no_target")}
    assert {r.status for r in made if r.item == "x"} == {"ok"}
    assert Heads().design(HeadsParams(unscored=("empty",)), inputs_of()).notes[-2] == (
        "Not scored: examples without a target."
    )


def test_every_head_is_one_specification_for_each_metric_and_preset():
    along = [s for s in design().estimates if s.along == ("layer", "head")]
    of_scores = {
        (f"head({kind})@1", preset)
        for kind in ("precision", "recall", "f1")
        for preset in ("default", "as_released", "as_published")
    }
    tested = {("f1_over_baseline@1", "default")}
    assert {(s.metric, s.condition["preset"]) for s in along} == of_scores | tested
