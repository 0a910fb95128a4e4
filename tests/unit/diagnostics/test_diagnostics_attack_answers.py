"""Attacks on spans, arcs, extracts, written texts and clusters, on models of known weakness."""

import re
from dataclasses import replace
from itertools import product

import pytest
from toy_runs import estimate, resolve_only, run

from scrutiny.core.answers.clusters import clusters_of
from scrutiny.core.answers.texts import Extract, Text
from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attack.attacks import Attacks
from scrutiny.diagnostics.attack.attempts import AttackParams
from scrutiny.diagnostics.attack.kept_texts import found_in
from scrutiny.diagnostics.attack.random_change import AtRandom
from scrutiny.diagnostics.attack.transfer import Transfer
from scrutiny.perturb.recipes.attack import (
    Given,
    changes_what_is_right,
    given_to_attacks,
    parse_attack,
    search_of,
)
from scrutiny.perturb.search.goals.answer_goals import PartLost
from scrutiny.perturb.search.judging import Expense
from scrutiny.perturb.search.problem import Settings, Victim
from scrutiny.perturb.search.running import search_all
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.tasks.tasks import every_task, load_task
from scrutiny.testing.toy_models import ToyModel

NAMES = ("Ida", "Bob", "Max", "Eva", "Tom", "Ann")


class Tagger(ToyModel):
    """Finds names where a cue stands in the text, or everywhere."""

    def __init__(self, *cues):
        super().__init__("token-tagging", ())
        self.cues = cues or ("",)

    def predict(self, examples):
        return [Prediction(tuple(self.spans(e.fields["text"]))) for e in examples]

    def spans(self, text):
        for found in re.finditer("|".join(NAMES), text):
            if any(cue in text for cue in self.cues):
                yield Span("text", *found.span(), "PER")


def tagged(n_cued=6):
    """Six sentences; in those with a cue, the cue is a word that can be misspelled."""
    for i, name in enumerate(NAMES):
        middle = "carefully" if i < n_cued else "and"
        yield {"tokens": ["Then", name, middle, "left"], "tags": ["O", "B-PER", "O", "O"]}


class Parser(ToyModel):
    """Hangs every word on the verb, and on the first word where it does not know the verb."""

    def __init__(self):
        super().__init__("dependency-arcs", ())

    def predict(self, examples):
        return [Prediction(self.tree(e.fields["text"])) for e in examples]

    def tree(self, text):
        borders = tuple(m.span() for m in re.finditer(r"\S+", text))
        words = [text[a:b] for a, b in borders]
        top = words.index("watches") if "watches" in words else 0
        heads = tuple(ROOT if i == top else top for i in range(len(words)))
        return Words("text", borders, heads, tuple("root" if h == ROOT else "dep" for h in heads))


def parsed():
    for name in NAMES:
        words = [name, "watches", "films"]
        yield {"words": words, "heads": [2, 0, 2], "relations": ["dep", "root", "dep"]}


class Reader(ToyModel):
    """Answers with the last word, if it knows what is asked; else with the first."""

    def __init__(self):
        super().__init__("question-answering", ())

    def predict(self, examples):
        found = []
        for example in examples:
            question, text = example.fields["question"], example.fields["context"]
            word = text.split()[-1 if "destination" in question else 0]
            found.append(Prediction(Extract(word, "context", text.index(word))))
        return found


def asked():
    for name in NAMES:
        answers = [{"text": "Rome", "answer_start": len(name) + 9}]
        yield {
            "question": "Which destination?",
            "context": f"{name} went to Rome",
            "answers": answers,
        }


class Translator(ToyModel):
    """Writes what it is given; a word that it does not know ends the sentence."""

    def __init__(self):
        super().__init__("translation", ())

    def predict(self, examples):
        return [Prediction(Text(self.written(e.fields["text"]))) for e in examples]

    def written(self, text):
        known = {*NAMES, "watches", "wonderful", "films"}
        words = text.split()
        end = next((i for i, word in enumerate(words) if word not in known), len(words))
        return " ".join(words[:end])


def translated():
    for name in NAMES:
        text = f"{name} watches wonderful films"
        yield {"text": text, "reference": text}


class Linker(ToyModel):
    """Links the pronoun to the name where it knows the verb."""

    def __init__(self):
        super().__init__("coreference", ())

    def predict(self, examples):
        found = []
        for example in examples:
            text = example.fields["text"]
            name, pronoun = (0, 3), (text.index("she"), text.index("she") + 3)
            linked = [[name, pronoun]] if "whispered" in text else [[name], [pronoun]]
            found.append(Prediction(clusters_of("text", linked)))
        return found


def linked():
    for name in NAMES:
        words = [name, "whispered", "and", "she", "left"]
        yield {"words": words, "clusters": [[[0, 0], [3, 3]]]}


#: Model, items, task and its metric.
PLANTED = {
    "spans": (Tagger("carefully"), tagged, "token-tagging", "entity_f1"),
    "arcs": (Parser(), parsed, "dependency-arcs", "las"),
    "extracts": (Reader(), asked, "question-answering", "answer_f1"),
    "written": (Translator(), translated, "translation", "chrf"),
    "clusters": (Linker(), linked, "coreference", "conll_f1"),
}
#: What each answer is told by.
TOLD = {
    "spans": "(PER)",
    "arcs": "dep of watches",
    "extracts": "Rome",
    "written": "wonderful films",
    "clusters": " = ",
}


@pytest.mark.parametrize("what", PLANTED)
def test_the_one_word_that_an_answer_hangs_on_is_found(what, tmp_path):
    model, items, task, metric = PLANTED[what]
    folder = run(
        "attack", model, list(items()), tmp_path / "run", task=task, recipes=["deepwordbug"]
    )
    assert estimate(folder, metric, role="baseline").value == pytest.approx(1)
    assert estimate(folder, "attack_success", draw=0).value == 1.0
    assert estimate(folder, metric, draw=0).value < 0.5  # the score under attack
    assert estimate(folder, "attack_success", role="control", draw=0).value <= 1.0
    assert estimate(folder, "beyond(attack_success)", draw=0).counts.n == len(NAMES)
    texts = [one for one in found_in(folder.path) if one.role == "measured"]
    assert len(texts) == len(NAMES)
    assert all(one.is_success and one.before != one.after for one in texts), texts
    assert all(TOLD[what] in (one.before or "") for one in texts), texts
    (claim,) = {c.claim.id.split("/")[-1]: c for c in folder.findings()}.values()
    is_whole = metric == "accuracy"
    does = "takes the right answer from" if is_whole else "brings"
    assert claim.claim.risk.costs.startswith(f"{does} {{}} % of texts")


def test_a_model_that_does_not_look_at_the_context_withstands(tmp_path):
    folder = run("attack", Tagger(), list(tagged()), tmp_path, recipes=["deepwordbug", "pwws"])
    for recipe in ("deepwordbug@1", "pwws@1"):
        assert estimate(folder, "attack_success", recipe=recipe, draw=0).value == 0
        assert estimate(folder, "entity_f1", recipe=recipe, draw=0).value == 1


class Doubting(Tagger):
    """Finds a name unless two cues are broken, and is less sure of it with each."""

    def __init__(self, *, tells=True):
        super().__init__()
        self.tells = tells

    def predict(self, examples):
        found = []
        for example in examples:
            text = example.fields["text"]
            left = sum(cue in text for cue in ("carefully", "yesterday"))
            spans = tuple(self.spans(text)) if left else ()
            found.append(Prediction(spans, (0.4 * left,) * len(spans) if self.tells else None))
        return found


def test_two_words_that_decide_together_are_found_where_the_model_says_how_sure_it_is(tmp_path):
    words = "saw green boats near home carefully sailing past tall rocks yesterday".split()
    rows = [{"tokens": [n, *words], "tags": ["B-PER"] + ["O"] * len(words)} for n in NAMES]
    options = {"recipes": ["deepwordbug"], "budget": 60}
    folder = run("attack", Doubting(), rows, tmp_path / "sure", **options)
    assert estimate(folder, "attack_success", draw=0).value == 1
    assert estimate(folder, "words_changed", draw=0).value == pytest.approx(2 / 12)
    beyond = estimate(folder, "beyond(attack_success)", draw=0)
    assert beyond.low > 0.1, beyond
    assert estimate(folder, "mean(asked)", draw=0).value < 1 + 10 + 3 * 4
    folder = run("attack", Doubting(tells=False), rows, tmp_path / "mute", **options)
    assert estimate(folder, "attack_success", draw=0).value == 0  # no single word does anything


def test_one_word_that_decides_is_found_with_fewer_texts_than_at_random():
    words = [f"w{chr(97 + i)}rd{chr(97 + i)}s" for i in range(16)]
    items = [
        Example(str(i), {"text": f"Ida {' '.join(words)}"}, (Span("text", 0, 3, "PER"),))
        for i in range(16)
    ]
    texts = {}
    for method in (None, AtRandom({str(i): Expense(500, 1) for i in range(16)})):
        asked = []
        for number, seed in product(range(16), range(3)):
            search = search_of(parse_attack("deepwordbug"), Given(), PartLost(), of_labels=False)
            search = replace(search, method=method or search.method)
            victim = Victim(Tagger(f" {words[number]}").predict)
            settings = Settings(seed=seed)
            (found,) = search_all([items[number]], search, victim=victim, settings=settings)
            assert found.is_success
            asked.append(found.asked_to_success())
        texts[method is None] = sum(asked) / len(asked)
    assert texts[True] == pytest.approx(1 + 17 / 2, abs=1)  # each word once, in random order
    assert texts[False] > 1.2 * texts[True]


def test_words_of_tags_are_changed_where_a_plan_says_so(tmp_path):
    """Tags of all words leave no word around them."""

    class Words(Tagger):
        def spans(self, text):
            for found in re.finditer("[a-z]+", text):
                yield Span("text", *found.span(), "X" if found.group() in "the carefully" else "Y")

    rows = [{"tokens": [n.lower(), "carefully"], "tags": ["S-Y", "S-X"]} for n in NAMES]
    options = {"recipes": ["deepwordbug"], "goal": "part_lost"}
    folder = run("attack", Words(), rows, tmp_path / "around", **options)
    assert estimate(folder, "tried", draw=0).value == 0
    folder = run("attack", Words(), rows, tmp_path / "within", words="within", **options)
    assert estimate(folder, "tried", draw=0).value == 1
    assert estimate(folder, "attack_success", draw=0).value == 1
    with pytest.raises(PlanError, match="words"):
        AttackParams(words="outside")


def test_an_aspect_is_never_edited_and_the_words_that_judge_it_are(tmp_path):
    class Reviewer(ToyModel):
        def __init__(self):
            super().__init__("aspect-sentiment", ("negative", "positive"))

        def predict(self, examples):
            texts = [e.fields["text"] for e in examples]
            likes = [("delicious" in t) + ("waiters" in t) for t in texts]
            return [Prediction(scores=(1 - n / 2.5, n / 2.5)) for n in likes]

    rows = [
        {
            "text": f"Their delicious waiters greeted {name}",
            "aspect": "waiters",
            "opinions": [[6, 15]],
            "label": "positive",
        }
        for name in NAMES
    ]
    folder = run(
        "attack", Reviewer(), rows, tmp_path, task="aspect-sentiment", recipes=["deepwordbug"]
    )
    assert estimate(folder, "attack_success", draw=0).value == 1
    texts = list(found_in(folder.path))
    assert all(one.texts[1] == "waiters" and "waiters" in one.texts[0] for one in texts)


def test_names_are_not_edited_and_half_of_the_items_fall(tmp_path):
    """Half of the sentences hang on a word that may be misspelled, half on a function word."""
    folder = run(
        "attack", Tagger("carefully", " and "), list(tagged(3)), tmp_path, recipes=["deepwordbug"]
    )
    assert estimate(folder, "entity_f1", role="baseline").value == 1
    found = estimate(folder, "attack_success", draw=0)
    assert found.value == 0.5, found
    for one in found_in(folder.path):
        assert any(name in one.texts[0] for name in NAMES)


@pytest.mark.parametrize("goal", ["part_lost", "score_falls(below=0.9)"])
def test_one_of_two_entities(goal, tmp_path):
    """A score of 1 falls to 2/3 where one of two is lost, which is not below half."""

    class Pairs(Tagger):
        def spans(self, text):
            first, *rest = super().spans(text)
            yield first
            if "carefully" in text:
                yield from rest

    rows = [
        {"tokens": [name, "met", "Eva", "carefully"], "tags": ["B-PER", "O", "B-PER", "O"]}
        for name in ("Ida", "Bob", "Max")
    ]
    whole = run("attack", Pairs(), rows, tmp_path / "whole", recipes=["deepwordbug"])
    assert estimate(whole, "attack_success", draw=0).value == 0
    part = run("attack", Pairs(), rows, tmp_path / "part", recipes=["deepwordbug"], goal=goal)
    assert estimate(part, "attack_success", draw=0).value == 1
    assert estimate(part, "entity_f1", draw=0).value == pytest.approx(2 / 3)


def test_a_model_without_skill_has_nothing_to_lose(tmp_path):
    folder = run("attack", Tagger("!"), list(tagged()), tmp_path, recipes=["deepwordbug"])
    found = estimate(folder, "attack_success", draw=0)
    assert (found.value, found.status) == (None, "undefined")
    assert estimate(folder, "entity_f1", role="baseline").value == 0
    assert not [*found_in(folder.path)]


def test_items_without_entities_are_in_no_denominator(tmp_path):
    rows = [*tagged(), {"tokens": ["Nobody", "carefully", "left"], "tags": ["O", "O", "O"]}]
    folder = run("attack", Tagger("carefully"), rows, tmp_path, recipes=["deepwordbug"])
    found = estimate(folder, "attack_success", draw=0)
    assert found.value == 1
    assert found.denominator == len(NAMES)


def test_one_item(tmp_path):
    rows = list(tagged())[:1]
    folder = run("attack", Tagger("carefully"), rows, tmp_path, recipes=["deepwordbug"])
    found = estimate(folder, "attack_success", draw=0)
    assert found.value == 1
    assert found.low is None or found.low < 0.5


@pytest.mark.parametrize(
    ("recipe", "why"),
    [
        ("input_reduction", "the model's own label"),
        ("hotflip", "gradient of a label's loss"),
        ("a2t", "gradient of a label's loss"),
    ],
)
def test_attacks_of_labels_alone_say_why(recipe, why):
    with pytest.raises(PlanError, match=why) as caught:
        resolve_only(Tagger(), list(tagged()), diagnostic="attack", params={"recipes": [recipe]})
    assert "spans of words" in str(caught.value)
    assert "deepwordbug" in str(caught.value)


def test_every_scored_task_can_be_attacked_and_an_audit_takes_what_keeps_the_answers():
    for task in every_task():
        if task.scored_by is None:
            continue
        names = Attacks().audit_params(task).recipes
        assert "deepwordbug" in names
        given = given_to_attacks((), task)
        if not task.gives_labels:
            for name in names:
                assert not changes_what_is_right(parse_attack(name), given, task)
        measures = [m.name for m in Attacks().measured(task)]
        assert len(measures) == len(set(measures))
    assert Attacks().audit_params(load_task("translation")).recipes == ("deepwordbug",)
    assert Attacks().audit_params(load_task("token-tagging")).recipes == ("deepwordbug",)
    assert Attacks().audit_params(load_task("dependency-arcs")).recipes == ("deepwordbug", "pwws")


def test_notes_say_what_success_is_and_which_changes_may_be_right():
    made = resolve_only(
        Translator(),
        list(translated()),
        diagnostic="attack",
        task="translation",
        params={"recipes": ["pwws"]},
    )
    (notes,) = [d.notes for m in made.measurements.values() for d in m.designs.values()]
    said = " ".join(notes)
    assert "below half of their chrF" in said
    assert "another answer may be right" in said


def test_texts_that_destroy_the_answers_of_one_tagger_are_asked_of_another(tmp_path):
    from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling

    plan = Plan(
        data=(DataPlan("x", "object:x"),),
        models=tuple(ModelPlan(name, "python:object:Toy") for name in ("m", "n", "r")),
        measure=(
            MeasurePlan(
                "t",
                "attack.transfer",
                ("m", "n"),
                ("x",),
                {"recipes": ["deepwordbug"]},
                reference="r",
            ),
        ),
        resampling=Resampling(draws=200),
    )
    models = {"m": Tagger("carefully"), "n": Tagger(), "r": Tagger("carefully")}
    made = resolve(plan, data={"x": list(tagged())}, models=models)
    folder = run_plan(made, tmp_path / "run", models=models)
    rates = {
        e.key.subject: e.value
        for e in folder.estimates()
        if (e.key.metric, e.key.role) == ("transfer_rate@1", "measured")
    }
    assert rates == {"m": 1.0, "n": 0.0}
    assert {m.name for m in Transfer().measured(load_task("token-tagging"))} == {
        "tp", "fp", "fn", "attacked", "success",
    }  # fmt: skip


def test_claims_say_what_is_done():
    made = resolve_only(
        Translator(),
        list(translated()),
        diagnostic="attack",
        task="translation",
        params={"recipes": ["deepwordbug"], "goal": "part_lost"},
    )
    (claim,) = made.claims
    assert claim.says.startswith("deepwordbug costs items a right part of the answer")
    assert claim.risk.costs == "costs {} % of texts a right part of the answer"
