"""How changed texts are found: distance, amount, trials, controls, presets, tagging."""

import json

import pytest
from toy_invariance import WORDS, Linear, WordSwap, rows, swapping

from scrutiny.core.edit import Edit
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.invariance.answer_pairs import (
    BothLabels,
    pair_of,
    simulated_rerun,
)
from scrutiny.diagnostics.invariance.generated_pairs import Maker
from scrutiny.diagnostics.invariance.scope_capabilities import (
    ALL,
    KeepAnswer,
    ScopeParams,
    generations,
)
from scrutiny.diagnostics.invariance.shared_invariance import SharedInvariance
from scrutiny.models.answers.compared_answers import kept_parts
from scrutiny.perturb.search.judging import Base
from scrutiny.perturb.search.moves import Origin
from scrutiny.perturb.search.state import State
from scrutiny.testing import KeywordClassifier
from scrutiny.testing.checking import ToyContext
from scrutiny.text.edits import apply_edits

TASK = registry().load("task", "text-classification")()
TAGGING = registry().load("task", "token-tagging")()


def examples(like, count=20):
    return [Example(r["id"], {"text": r["text"]}, r["label"]) for r in rows(like, count)]


def made(params, reference, items):
    """Variants by name, each with its text; for every item."""
    maker = Maker(items, params, ToyContext(TASK, reference), 0)
    variants = list(maker.variants(generations(params, TASK)))
    by_item = {e.id: {} for e in items}
    for v in variants:
        by_item[v.item][v.name.removesuffix(" for reference")] = v
    return by_item


def text_of(item, variant):
    return apply_edits(item, variant.edits).text


# -- distance --------------------------------------------------------------------------------------


class Table(Model):
    """Probability of "positive" by the word that stands there."""

    task, source, labels = "text-classification", "table", ("negative", "positive")
    is_batch_invariant = True
    capabilities = frozenset({"predict"})

    def __init__(self, table):
        self.table = table

    def predict(self, items):
        found = [self.table[item.text.split()[0]] for item in items]
        return [Prediction(self.labels[p > 0.5], (1 - p, p)) for p in found]


@pytest.mark.parametrize("distance", ["l1", "kl", "js", "max_abs", "mse", "cosine"])
def test_the_stated_distance_decides_not_that_of_a_second_softmax(monkeypatch, distance):
    # the released search puts the changed output through softmax twice: from .80 it would then
    # choose .999 (true L1 .398) before .80 (true L1 0)
    swapping(monkeypatch, ("sure", "same"))
    reference = Table({"base": 0.80, "sure": 0.999, "same": 0.80})
    item = Example("1", {"text": "base"}, "positive")
    params = ScopeParams(("word",), trials=2, candidates=20, distance=distance)
    found = made(params, reference, [item])["1"]
    assert text_of(item, found["word/1/0/searched"]) == "same"
    assert text_of(item, found["word/1/1/searched"]) == "sure"  # the second trial is another text


def test_a_text_that_costs_the_label_is_none(monkeypatch):
    swapping(monkeypatch, ("low", "lower"))
    reference = Table({"base": 0.6, "low": 0.49, "lower": 0.1})
    item = Example("1", {"text": "base"})
    found = made(ScopeParams(("word",), trials=1), reference, [item])["1"]
    assert (found["word/1/0/searched"].status, found["word/1/0/searched"].reason) == (
        "skipped",
        "no_pair",
    )
    # the random text is asked about all the same: whether both mind it is what phi is of
    assert found["word/1/0/random"].status == "ok"
    free = ScopeParams(("word",), trials=1, keeps_label=False)
    assert text_of(item, made(free, reference, [item])["1"]["word/1/0/searched"]) == "low"


# -- amount, trials, controls ----------------------------------------------------------------------


@pytest.mark.parametrize("amount", [1, 2, 4])
@pytest.mark.parametrize("method", ["best_of", "saliency"])
def test_so_many_words_change_and_in_the_control_as_many(monkeypatch, amount, method):
    swapping(monkeypatch)
    like = Linear(0)
    items = examples(like, 6)
    params = ScopeParams(("word",), amounts=(amount,), trials=2, candidates=8, method=method)
    for item, found in zip(items, made(params, like, items).values(), strict=True):
        for variant in found.values():
            before, after = item.text.split(), text_of(item, variant).split()
            if variant.status == "ok":
                changed = sum(a != b for a, b in zip(before, after, strict=True))
                assert changed == amount == len(variant.edits)
        assert found[f"word/{amount}/0/searched"].status == "ok"


def test_no_text_comes_twice_nor_is_one_the_item(monkeypatch):
    swapping(monkeypatch, WORDS[:3])
    like = Linear(0)
    item = Example("1", {"text": f"{WORDS[0]} {WORDS[1]}"})
    params = ScopeParams(("word",), trials=6, candidates=40, keeps_label=False)
    found = made(params, like, [item])["1"]
    for role in ("searched", "random"):
        texts = [
            text_of(item, v)
            for name, v in found.items()
            if name.endswith(role) and v.status == "ok"
        ]
        assert len(texts) == len(set(texts)) == 4  # two words, each with two others
        assert item.text not in texts
    assert (found["word/1/5/searched"].status, found["word/1/5/searched"].reason) == (
        "skipped",
        "no_place",
    )
    assert found["word/1/5/random"].reason == "no_room"


@pytest.mark.parametrize(("words", "reason"), [(("low",), "only_text"), (("low", "same"), None)])
def test_a_random_text_that_can_be_no_other_is_no_control(monkeypatch, words, reason):
    swapping(monkeypatch, words)
    reference = Table({"base": 0.9, "low": 0.8, "same": 0.9})
    item = Example("1", {"text": "base"})
    found = made(ScopeParams(("word",), trials=1), reference, [item])["1"]
    assert found["word/1/0/searched"].status == found["word/1/0/random"].status == "ok"
    assert found["word/1/0/random"].reason == reason


def test_where_less_can_be_changed_there_is_no_place(monkeypatch):
    swapping(monkeypatch)
    item = Example("1", {"text": f"{WORDS[0]} {WORDS[1]}"})
    params = ScopeParams(("word",), amounts=(1, 4), trials=1)
    found = made(params, Linear(0), [item])["1"]
    assert found["word/4/0/searched"].reason == "no_place"
    assert found["word/4/0/random"].status == "undefined"
    assert found["word/1/0/searched"].status == "ok"


def test_searched_texts_move_the_reference_less_than_random_ones(monkeypatch):
    swapping(monkeypatch)
    like = Linear(0)
    items = examples(like)
    far = {"searched": [], "random": []}
    for item, found in zip(items, made(ScopeParams(("word",)), like, items).values(), strict=True):
        for name, variant in found.items():
            if variant.status == "ok":
                moved = like.probability(text_of(item, variant)) - like.probability(item.text)
                far[name.rpartition("/")[2]].append(abs(moved))
    assert len(far["searched"]) >= 40
    mean = {role: sum(found) / len(found) for role, found in far.items()}
    assert mean["searched"] < mean["random"] / 5


def test_controls_are_made_without_asking(monkeypatch):
    swapping(monkeypatch)
    like = Linear(0)
    items = examples(like, 3)
    made(ScopeParams(("word",), trials=2, candidates=5), like, items)
    assert len(like.asked) <= 3 * 2 * (1 + 5)


def test_texts_do_not_depend_on_the_batch(monkeypatch):
    swapping(monkeypatch)
    like = Linear(0)
    items = examples(like, 6)
    whole = made(ScopeParams(("word",)), like, items)
    assert made(ScopeParams(("word",)), like, items[2:4]) == {e.id: whole[e.id] for e in items[2:4]}


def test_replicates_of_a_reference_stand_in_one_file(monkeypatch):
    swapping(monkeypatch)
    names = set()
    for seed in (1, 2):
        context = ToyContext(TASK, reference=Linear(seed))
        context.reference.replicate = json.dumps({"seed": str(seed)})
        variants = SharedInvariance().prepare(
            ScopeParams(("word",)), examples(Linear(0), 2), context
        )
        names |= {(v.item, v.name) for v in variants}
    assert len(names) == 2 * 2 * 3 * 2


# -- presets and capabilities ----------------------------------------------------------------------

SENTENCE = "A gloomy picture of young people, and a truly wonderful performance."


@pytest.mark.parametrize("preset", ["corrected", "as_published"])
def test_synonyms_and_typos_of_a_sentence(preset):
    item = Example("1", {"text": SENTENCE}, "positive")
    reference = KeywordClassifier(["wonderful"], ["gloomy"])
    params = ScopeParams(preset=preset, trials=2)
    found = made(params, reference, [item])["1"]
    amount = {"corrected": 1, "as_published": ALL}[preset]
    synonym = found["synonym/1/0/searched"]
    assert len(synonym.edits) == 1
    assert not {"gloomy", "wonderful"} - set(text_of(item, synonym).split())
    typo = found[f"typo/{amount}/0/searched"]
    long_words = 7  # of four letters or more, function words left out
    assert len(typo.edits) == (1 if preset == "corrected" else long_words)
    assert sorted(text_of(item, typo)) == sorted(SENTENCE)
    assert "and a" in text_of(item, typo)


def test_the_published_typos_are_the_best_of_fifteen():
    asked = []

    class Counting(KeywordClassifier):
        def predict(self, items):
            asked.extend(items)
            return super().predict(items)

    item = Example("1", {"text": SENTENCE})
    params = ScopeParams(("typo",), preset="as_published", trials=1)
    made(params, Counting(["wonderful"], ["gloomy"]), [item])
    assert len({e.text for e in asked}) == 16


def test_a_scramble_that_always_costs_the_answer_has_a_place_and_no_text():
    item = Example("1", {"text": "A gloomy picture"})

    class Spelling(KeywordClassifier):
        """Every scramble is positive."""

        def predict(self, items):
            known = [e.text == item.text for e in items]
            return [Prediction(self.labels[not k], (0.9, 0.1) if k else (0.1, 0.9)) for k in known]

    found = made(ScopeParams(("typo",), preset="as_published", trials=1), Spelling(), [item])["1"]
    assert found["typo/all/0/searched"].reason == "no_pair"
    assert len(found["typo/all/0/random"].edits) == 2


def test_any_recipe_is_a_capability():
    item = Example("1", {"text": "It is not good, but they do not care in 1999."})
    params = ScopeParams(("contraction", "number_swap", "word_case(case=title)"), trials=1)
    found = made(params, KeywordClassifier(), [item])["1"]
    status = {name: v.status for name, v in found.items() if name.endswith("searched")}
    assert set(status.values()) == {"ok"}, status
    labels = [g.condition["capability"] for g in generations(params, TASK)]
    assert labels == ["contraction@1", "number_swap@1", "word_case@1(case=title)"]


def test_constraints_veto():
    item = Example("1", {"text": SENTENCE})
    params = ScopeParams(("typo",), trials=3, constraints=("edit_distance",))
    (generation,) = generations(params, TASK)
    assert [c.id for c in generation.space.constraints] == ["edit_distance@1"]
    found = made(params, KeywordClassifier(), [item])["1"]
    assert found["typo/1/0/searched"].status == "ok"


# -- tags ------------------------------------------------------------------------------------------

BASE = Example("1", {"text": "Ann saw Bob"})
TAGS = Prediction((Span("text", 0, 3, "PER"), Span("text", 8, 11, "PER")))


def after(*edits):
    return State.start(Origin(BASE)).step(edits)


def test_tags_are_kept_where_they_moved_with_their_words():
    longer = after(Edit("text", 4, 7, "met"))
    goal, base = KeepAnswer(), Base(BASE, TAGS)
    assert goal.judge(base, TAGS, longer) == (1.0, True)
    moved = after(Edit("text", 4, 7, "noticed"))
    there = Prediction((Span("text", 0, 3, "PER"), Span("text", 12, 15, "PER")))
    assert goal.judge(base, there, moved) == (1.0, True)
    assert goal.judge(base, TAGS, moved)[1] is False
    assert KeepAnswer(least=2).judge(base, TAGS, longer) == (0.0, False)
    assert goal.judge(base, TAGS, State.start(Origin(BASE)))[1] is False
    torn = after(Edit("text", 2, 5, "x"))  # nobody knows what became of Ann
    assert goal.judge(base, TAGS, torn) == (-1.0, False)


def test_kept_tags_of_a_pair():
    edits = (Edit("text", 4, 7, "noticed"),)
    there = Prediction((Span("text", 0, 3, "PER"), Span("text", 12, 15, "PER")))
    assert kept_parts(TAGS, there, example=BASE, edits=edits) == (4, 4)
    assert kept_parts(TAGS, TAGS, example=BASE, edits=edits) == (2, 4)
    assert (
        kept_parts(TAGS, there, example=BASE, edits=(Edit("text", 2, 5, "x"),)) is None
    )  # breaks a name
    assert there.agrees(there._replace(answer=there.answer[::-1]))
    broken = pair_of(
        (TAGS, TAGS),
        (TAGS, TAGS),
        example=BASE,
        edits=[Edit("text", 2, 5, "x")],
        labels=BothLabels((), ()),
        words=1,
    )
    assert broken.made == 0


class Capitals(Model):
    """Tags every capitalized word of more than so many letters."""

    task, source, labels = "token-tagging", "capitals", ("PER",)
    is_batch_invariant = True
    capabilities = frozenset({"predict"})

    def __init__(self, least):
        self.least = least

    def predict(self, items):
        return [Prediction(tuple(self._spans(item.text))) for item in items]

    def _spans(self, text):
        at = 0
        for word in text.split():
            start = text.index(word, at)
            at = start + len(word)
            if word[0].isupper() and len(word) >= self.least:
                yield Span("text", start, at, "PER")


def test_taggers_are_compared_by_their_tags():
    items = [
        Example("1", {"text": "Anna greeted Robert yesterday"}, (Span("text", 0, 4, "PER"),)),
        Example("2", {"text": "nobody answered yesterday"}, ()),
    ]
    from scrutiny.core.diagnostic import Batch, Cell

    diagnostic, params = SharedInvariance(), ScopeParams(("typo",), trials=1)
    context = ToyContext(TAGGING, Capitals(6), reference=Capitals(2))
    by_item = {e.id: [] for e in items}
    for v in diagnostic.prepare(params, items, context):
        by_item[v.item].append(v)
    batch = Batch(tuple(items), {k: tuple(v) for k, v in by_item.items()})
    cell = Cell("b", None, "x", reference="a")
    found = list(diagnostic.measure(params, cell, batch, context))
    names = [m.name for m in diagnostic.measured(TAGGING)]
    first = {(r.role, r.condition): r for r in found if r.item == "1"}
    base = dict(zip(names, first["baseline", '{"of":"base"}'].values, strict=True))
    assert (base["agree_base"], base["pred_b"]) == (0.0, 1.0)
    target = dict(zip(names, first["baseline", '{"of":"target"}'].values, strict=True))
    assert (target["tp"], target["fp"], target["fn"]) == (0.0, 1.0, 1.0)
    searched = first["measured", '{"amount":1,"capability":"typo"}']
    pair = dict(zip(names, searched.values, strict=True))
    assert (pair["made"], pair["inv1"], pair["inv2"]) == (1.0, 1.0, 1.0)
    assert not [key for key in first if "probabilities" in key[1]]


# -- numbers ---------------------------------------------------------------------------------------


def test_distance_of_changes_by_hand():
    labels = BothLabels(("a", "b"), ("b", "a"))
    one = Prediction("a", (0.9, 0.1)), Prediction("a", (0.6, 0.4))
    other = Prediction("a", (0.2, 0.8)), Prediction("b", (0.7, 0.3))
    # changes of "a": .3 and .5; of "b": -.3 and -.5
    assert labels.changes(one, other) == pytest.approx(0.4)
    pair = pair_of(one, other, example=BASE, edits=(), labels=labels, words=2)
    assert pair == (1.0, 1.0, 0.0, pytest.approx(0.4), 0.0, 2.0)
    assert labels.number(other[1]) == 1.0
    assert BothLabels(("a", "b"), ("a", "c")).changes(one, one) is None
    assert not BothLabels(("a", "other"), ("a", "b")).has_other
    assert BothLabels(("a", "b"), ("a", "c")).number(Prediction("c")) == 2.0
    assert labels.changes(one, (other[0], Prediction("b"))) is None


def test_bounds_where_answers_leave_labels_to_other():
    labels = BothLabels(("a", "b", "other"), ("other", "a", "b"))
    assert labels.has_other
    reference = Prediction("a", (0.6, 0.3, 0.1)), Prediction("a", (0.5, 0.0, 0.5))
    target = Prediction("a", (0.1, 0.6, 0.3)), Prediction("a", (0.2, 0.5, 0.3))
    # "b" after the change may be part of the reference's "other", so it joins "other" everywhere:
    # a: .1 against .1; the rest: -.1 against -.1
    assert labels.changes(reference, target) == pytest.approx(0.0)
    assert labels.at_most(reference, target) == pytest.approx(0.4 + 0.5 + 0.4 + 0.5)
    known = BothLabels(labels.reference, labels.target, is_complete=True)
    assert known.changes(reference, target) == pytest.approx(0.0 + 0.3 + 0.3)
    # where all labels have a probability, nothing is joined
    full = reference[0], Prediction("a", (0.5, 0.1, 0.4))
    assert labels.changes(full, target) == pytest.approx(0.0 + 0.2 + 0.2)
    # an answer without "other" leaves nothing out: its 0 is one
    exact = Prediction("a", (1.0, 0.0, 0.0)), Prediction("a", (0.9, 0.1, 0.0))
    assert labels.changes(exact, (exact[0]._replace(scores=(0.0, 1.0, 0.0)),) * 2) == pytest.approx(
        0.2
    )


def test_another_run_of_a_sampled_model():
    import numpy as np

    rng = np.random.default_rng(0)
    flat = Prediction("a", (0.5, 0.5))
    exact = simulated_rerun((flat, flat), ("a", "b"), n_samples=None, rng=rng)
    assert exact == (flat, flat)
    drawn = simulated_rerun((flat, flat), ("a", "b"), n_samples=20, rng=rng)
    assert all(sum(p.scores) == pytest.approx(1) for p in drawn)
    assert drawn[0].scores != drawn[1].scores
    assert (
        simulated_rerun((Prediction("a"),) * 2, ("a", "b"), n_samples=5, rng=rng)[0].scores is None
    )


def test_the_toy_swaps_words():
    assert len(list(WordSwap().sites(Origin(BASE).document("text")))) == 3
