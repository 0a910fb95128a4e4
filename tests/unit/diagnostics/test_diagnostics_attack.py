"""The attack diagnostic on a model whose answers are sums of word weights."""

import json
from collections import Counter
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest
from toy_runs import estimate, resolve_only, run

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.edit import Edit
from scrutiny.core.errors import DataError, ModelError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.data.hashes import drawn
from scrutiny.diagnostics.attack.attack_records import MEASURES
from scrutiny.diagnostics.attack.attacks import Attacks
from scrutiny.diagnostics.attack.attempts import AttackParams
from scrutiny.diagnostics.attack.kept_texts import found_in, variant_name
from scrutiny.diagnostics.attack.random_change import AtRandom
from scrutiny.diagnostics.attack.validity import judge, rated_substitutions, read_ratings
from scrutiny.perturb.recipes.attack import given_to_attacks, parse_attack
from scrutiny.perturb.search.judging import Expense
from scrutiny.perturb.search.moves import Origin
from scrutiny.perturb.search.problem import Search, Victim
from scrutiny.perturb.search.running import search_all
from scrutiny.perturb.search.state import State
from scrutiny.store.stored_forms import packed
from scrutiny.testing import LinearClassifier, check_diagnostic
from scrutiny.testing.checking import ToyContext

WEIGHTS = {"good": 2, "fine": 1, "film": 1, "bad": -2, "movie": -1}
TEXTS = (
    ("A good and fine film", "positive"),
    ("A good and very good film of good people", "positive"),
    ("It is a bad and long movie", "negative"),
    ("A bad film that is good", "negative"),  # wrong as it is
)
NAMES = [measure.name for measure in MEASURES]


def examples(texts=TEXTS):
    return [Example(str(i), {"text": t}, gold=g) for i, (t, g) in enumerate(texts)]


def measured(texts=TEXTS, *, model=None, items=None, **params):
    """Rows by (item, role, attack), and the context."""
    task = registry().load("task", "text-classification")()
    context = ToyContext(task, model or LinearClassifier(WEIGHTS))
    batch = Batch(tuple(items or examples(texts)))
    params = {"recipes": ("deepwordbug", "pwws"), **params}
    rows = Attacks().measure(AttackParams(**params), Cell("s", None, "d"), batch, context)
    found = {}
    for row in rows:
        condition = json.loads(row.condition)
        key = row.item, row.role, condition.get("recipe", ""), condition.get("draw", 0)
        assert key not in found
        found[key] = row
    return found, context


def numbers(row):
    return dict(zip(NAMES, row.values, strict=True))


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(Attacks())


def test_an_item_has_a_row_as_it_is_and_two_for_each_attack():
    rows, _ = measured()
    assert len(rows) == 4 * (1 + 2 * 2)
    assert [r.status for k, r in rows.items() if k[1] == "baseline"] == ["ok"] * 4
    assert [numbers(r)["hit"] for k, r in rows.items() if k[1] == "baseline"] == [1, 1, 1, 0]
    assert all(len(r.values) == len(MEASURES) for r in rows.values() if r.status == "ok")


def test_what_the_model_gets_wrong_is_not_attacked():
    rows, context = measured()
    wrong = [row for key, row in rows.items() if key[0] == "3" and key[1] != "baseline"]
    assert {(row.status, row.reason) for row in wrong} == {("skipped", "already_wrong")}
    asked = {text for call in context.model.asked for (text,) in call}
    assert not any("that is good" in t and t != TEXTS[3][0] for t in asked)


def test_measures_of_a_success_and_of_a_failure():
    rows, _ = measured(recipes=("deepwordbug",))
    won = numbers(rows["0", "measured", "deepwordbug@1", 0])
    assert (won["hit"], won["attacked"], won["success"]) == (0, 1, 1)
    assert won["words"] == 5
    assert 1 <= won["changed_words"] <= 3
    assert won["asked_to_success"] <= won["asked"]
    assert won["score"] >= 0.5
    lost = numbers(rows["2", "measured", "deepwordbug@1", 0])
    # a tie is negative: no slip makes it positive
    assert (lost["hit"], lost["attacked"], lost["success"]) == (1, 1, 0)
    assert lost["asked_to_success"] == 0


@pytest.mark.parametrize("budget", [2, 5, 9, 14])
def test_no_more_texts_are_asked_than_the_budget(budget):
    for name in ("deepwordbug", "pwws"):
        rows, context = measured(TEXTS[:2], recipes=(name,), budget=budget, control=False)
        by_item = Counter()
        for text in {text for call in context.model.asked for (text,) in call}:
            by_item["0" if len(text.split()) == 5 else "1"] += 1
        attacked = [numbers(rows[str(i), "measured", f"{name}@1", 0]) for i in range(2)]
        assert max(one["asked"] for one in attacked) <= budget
        # the model saw what the rows say, and the item itself once more under no name
        assert [by_item["0"], by_item["1"]] == [one["asked"] for one in attacked]


def test_a_larger_budget_finds_what_a_smaller_one_found():
    small, _ = measured(TEXTS[:2], recipes=("deepwordbug",), budget=12)
    large, _ = measured(TEXTS[:2], recipes=("deepwordbug",), budget=500)
    for item in "01":
        few, many = (r[item, "measured", "deepwordbug@1", 0] for r in (small, large))
        if numbers(few)["success"]:
            assert numbers(few)["asked_to_success"] == numbers(many)["asked_to_success"] <= 12
        else:
            assert not 0 < numbers(many)["asked_to_success"] <= 12


def test_random_change_spends_no_more_and_changes_no_more():
    rows, _ = measured(recipes=("deepwordbug", "pwws", "pruthi"))
    for (item, role, name, draw), row in rows.items():
        if role == "control" and row.status == "ok":
            own, attack = numbers(row), numbers(rows[item, "measured", name, draw])
            assert own["asked"] <= attack["asked"]
            assert own["changed_words"] <= max(1, attack["changed_words"])


def test_random_change_asks_about_as_many_texts_if_there_are_as_many():
    text = "wonderful pictures everywhere without limits"
    model = LinearClassifier({}, bias=5)
    search = parse_attack("pruthi").search(given_to_attacks([]))
    at_random = Search(search.space, search.goal, AtRandom({"1": Expense(20, 1)}))
    item = Example("1", {"text": text}, gold="positive")
    (found,) = search_all([item], at_random, victim=Victim(model.predict, model.labels))
    asked = [t for call in model.asked for (t,) in call]
    assert len(asked) == len(set(asked)) == found.n_asked == 20
    assert all(
        sum(a != b for a, b in zip(t.split(), text.split(), strict=True)) <= 1 for t in asked
    )


def test_random_change_does_as_much_as_a_useless_search():
    """Every candidate fools it: the search adds nothing, and the excess says so."""
    model = LinearClassifier({"good": 1, "plan": 1})
    rows, _ = measured([("good", "positive"), ("plan", "positive")], model=model)
    for name in ("deepwordbug@1",):
        for item in "01":
            assert numbers(rows[item, "control", name, 0])["success"] == 1
            assert numbers(rows[item, "measured", name, 0])["success"] == 1


def test_without_control_there_are_no_control_rows():
    rows, _ = measured(control=False)
    assert {key[1] for key in rows} == {"baseline", "measured"}


def test_draws_are_conditions_of_their_own():
    rows, _ = measured(recipes=("deepwordbug",), draws=2)
    texts = [rows["1", "measured", "deepwordbug@1", draw] for draw in (0, 1)]
    assert all(row.status == "ok" for row in texts)


def test_only_so_many_items_are_drawn_and_the_others_are_in_no_denominator():
    many = [(f"good film number {i}", "positive") for i in range(12)]
    rows, context = measured(many, items=None, recipes=("deepwordbug",), control=False)
    assert all(r.status == "ok" for r in rows.values())
    task_items = examples(many)
    chosen = {e.id for e in drawn(task_items, 5)}
    assert len(chosen) == 5
    fewer = AttackParams(recipes=("deepwordbug",), items=5, control=False)
    batch = Batch(tuple(task_items))
    again = list(Attacks().measure(fewer, Cell("s", None, "d"), batch, context))
    status = {(row.item, row.role): (row.status, row.reason) for row in again}
    for example in task_items:
        expected = ("ok", None) if example.id in chosen else ("skipped", "not_drawn")
        assert status[example.id, "baseline"] == status[example.id, "measured"] == expected


def test_items_without_gold_or_in_another_language():
    items = [
        Example("0", {"text": "a good film"}),
        Example("1", {"text": "ein guter Film"}, gold="positive", language="de"),
    ]
    rows, _ = measured(items=items, recipes=("pwws",), model=LinearClassifier({"guter": 1}))
    assert rows["0", "baseline", "", 0].status == "skipped"
    assert rows["0", "measured", "pwws@1", 0].reason == "no_gold"
    assert rows["1", "measured", "pwws@1", 0].reason == "language"
    assert rows["1", "control", "pwws@1", 0].reason == "language"


class FailsOn(LinearClassifier):
    """A model that fails on texts with a word."""

    def __init__(self, word, weights):
        super().__init__(weights)
        self.word = word

    def predict(self, examples):
        if any(self.word in e.text for e in examples):
            raise RuntimeError(f"no {self.word} here")
        return super().predict(examples)


def test_a_model_that_fails_on_the_item_leaves_failed_records():
    rows, _ = measured(model=FailsOn("people", WEIGHTS))
    own = [row for key, row in rows.items() if key[0] == "1"]
    assert {(row.status, row.reason) for row in own} == {("failed", "model_error")}
    assert all(row.status == "ok" for key, row in rows.items() if key[0] == "0")


def test_a_search_that_was_not_answered_is_no_withstood_attack():
    """The text that fools the model may be among those that it did not answer."""
    one = [("a film", "positive")]
    rows, _ = measured(one, model=FailsOn("movie", {"film": 2, "movie": -2}), recipes=("pwws",))
    row = rows["0", "measured", "pwws@1", 0]
    assert (row.status, row.reason) == ("ok", None)
    assert numbers(row)["success"] == 1  # another synonym does it as well
    weights = {"film": 2, "movie": -2}
    lost, _ = measured(one, model=FailsOn("movie", {**weights, "a": 1}), recipes=("pwws",))
    row = lost["0", "measured", "pwws@1", 0]
    assert (row.status, row.reason) == ("failed", "unanswered")
    assert lost["0", "control", "pwws@1", 0].status == "failed"


def test_a_model_with_stored_answers_only_cannot_be_attacked():
    model = LinearClassifier(WEIGHTS)
    model.has_stored_answers_only = True
    rows, _ = measured(model=model)
    assert {(r.status, r.reason) for r in rows.values()} == {("skipped", "stored_answers")}


def test_gradients_are_asked_in_the_models_own_labels():
    model = LinearClassifier({"good": 3, "nice": 2, "bad": -3}, labels=("LABEL_0", "LABEL_1"))
    task = registry().load("task", "text-classification")()

    class Mapped(ToyContext):
        def predict(self, examples, *, variants=None):
            names = dict(zip(model.labels, ("negative", "positive"), strict=True))
            return [a._replace(answer=names[a.answer]) for a in super().predict(examples)]

    context = Mapped(task, model)
    context.labels = ("negative", "positive")
    params = AttackParams(recipes=("hotflip(least_cosine=-1.0)",))
    batch = Batch((Example("0", {"text": "a good plan"}, gold="positive"),))
    rows = list(Attacks().measure(params, Cell("s", None, "d"), batch, context))
    assert numbers(rows[1])["success"] == 1
    assert rows[2].role == "control"
    assert numbers(rows[2])["asked"] >= 2  # random words of the victim's own vocabulary


def test_an_attack_that_lacks_something_is_refused_with_what_to_write():
    with pytest.raises(PlanError, match="masked_lm = "):
        measured(recipes=("bae",))


@pytest.mark.parametrize(
    "wrong",
    [
        {"recipes": ()},
        {"budget": 1},
        {"items": 0},
        {"draws": 0},
        {"tolerance": 1.0},
        {"ratings": "x.csv", "rater": "hf:x"},
        {"rater": "hf:x", "resources": {"nli": "hf:y"}},
    ],
)
def test_parameters_that_make_no_sense(wrong):
    with pytest.raises(PlanError):
        AttackParams(**wrong)


# -- texts kept ------------------------------------------------------------------------------------


def test_texts_found_are_kept_as_they_were(tmp_path):
    _, context = measured()
    (tmp_path / "arrays").mkdir()
    np.save(tmp_path / "arrays" / "attacks.npy", context.arrays["attacks"])
    kept = list(found_in(tmp_path))
    assert (packed([asdict(one) for one in kept]) == context.arrays["attacks"]).all()
    texts = {(one.item, one.recipe, one.role): one for one in kept}
    one = texts["0", "deepwordbug@1", "measured"]
    assert one.is_success
    assert (one.before, one.after) == ("positive", "negative")
    ((field, start, end, new), *_) = one.edits
    original = TEXTS[0][0]
    assert one.texts[0].startswith(original[:start] + new)
    assert field == "text"
    assert end <= len(original)
    assert one.variant.startswith("deepwordbug@1~")


def test_the_same_text_has_the_same_name_anywhere():
    assert variant_name("pwws@1", ["a", "b"]) == variant_name("pwws@1", ("a", "b"))
    assert variant_name("pwws@1", ["a", "b"]) != variant_name("pwws@1", ["ab"])


# -- validity --------------------------------------------------------------------------------------


def state(text, *edits):
    from scrutiny.core.edit import Edit

    origin = Origin(Example("7", {"text": text}))
    return State.of(origin, [Edit("text", *edit) for edit in edits])


CHANGED = state("a good and fine film", (2, 6, "great"), (16, 20, "movie"))


def rated(tmp_path, text, name="ratings.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    read_ratings.cache_clear()
    return read_ratings(str(path)).rate("pwws@1", [CHANGED])[0]


def test_ratings_of_substitutions_are_multiplied(tmp_path):
    assert rated_substitutions(CHANGED) == [("good", "great"), ("film", "movie")]
    both = "before,after,valid\ngood,great,1\ngood,great,0\nFilm,movie,0.6\n"
    assert rated(tmp_path, both) == pytest.approx(0.3)
    assert rated(tmp_path, "before,after,valid\ngood,great,yes\n", "half.csv") is None


def test_a_rating_of_the_whole_text_goes_first(tmp_path):
    lines = [
        {"text": CHANGED.texts[0], "valid": 0.25},
        {"before": "good", "after": "great", "valid": 1},
        {"before": "film", "after": "movie", "valid": 1},
    ]
    text = "\n".join(map(json.dumps, lines))
    assert rated(tmp_path, text, "a.jsonl") == 0.25
    of_another = text.replace('{"text"', '{"item": "8", "text"', 1)
    assert rated(tmp_path, of_another, "b.jsonl") == 1.0
    named = {"item": "7", "variant": variant_name("pwws@1", CHANGED.texts), "valid": "no"}
    assert rated(tmp_path, json.dumps(named), "c.jsonl") == 0.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("before,after,valid\ngood,great,4\n", "from 0 to 1, or yes or no"),
        ("before,after,valid\ngood,great,\n", "from 0 to 1"),
        ("valid\n1\n", "needs text"),
    ],
)
def test_ratings_that_do_not_read_say_where(tmp_path, text, said):
    with pytest.raises(DataError, match=said) as error:
        rated(tmp_path, text)
    assert "ratings.csv:2" in str(error.value)


def test_ratings_that_are_not_there():
    with pytest.raises(DataError, match="cannot be read"):
        read_ratings("nowhere.csv")


NLI = """
labels = ("contradiction", "entailment")
is_batch_invariant = True

class Rater:
    labels = labels
    def predict_proba(self, pairs):
        return [[1 - p, p] for p in (0.9 if "good" in a else 0.4 for a, b in pairs)]
"""


def test_a_rater_is_asked_in_both_directions_and_the_smaller_counts(tmp_path):
    path = tmp_path / "rater.py"
    path.write_text(NLI)
    (said,) = judge(AttackParams(rater=f"python:{path}:Rater"), "pwws@1", [CHANGED])
    assert said.valid == pytest.approx(0.4)
    path.write_text(NLI.replace('"entailment"', '"yes"'))
    other = tmp_path / "other.py"
    other.write_text(path.read_text())
    with pytest.raises(ModelError, match="entailment"):
        judge(AttackParams(rater=f"python:{other}:Rater"), "pwws@1", [CHANGED])


class Judge:
    def entailment(self, pairs):
        return [0.8 if "good" in a else 0.3 for a, b in pairs]


class Encoder:
    def encode(self, texts):
        return np.array([[1.0, float("movie" in text)] for text in texts])


class Scorer:
    def perplexity(self, texts):
        return [20.0 if "movie" in text else 10.0 for text in texts]


def test_resources_judge_validity_similarity_and_perplexity():
    held = {"nli": Judge(), "encoder": Encoder(), "perplexity": Scorer()}
    (said,) = judge(AttackParams(resources=held), "pwws@1", [CHANGED])
    assert said.valid == pytest.approx(0.3)
    assert said.similarity == pytest.approx(0.5**0.5)
    assert said.log_perplexity_ratio == pytest.approx(np.log(2))
    (unsaid,) = judge(AttackParams(), "pwws@1", [CHANGED])
    assert unsaid == (None, None, None, None)


class Proofreader:
    """Calls doubled words mistakes."""

    def lints(self, text):
        words = text.split()
        return [("Repetition", a) for a, b in pairwise(words) if a == b]


def test_only_new_mistakes_count_and_long_texts_are_judged_near_their_changes():
    text = " ".join(["so"] * 2 + ["a", "z"] * 2000)
    start = State.start(Origin(Example("1", {"text": text})))
    changed = start.step([Edit("text", len(text) - 1, len(text), "a movie a a")])

    class Reads(Encoder):
        def encode(self, texts):
            assert max(map(len, texts)) < 600
            return super().encode(texts)

    held = {"grammar": Proofreader(), "encoder": Reads()}
    (said,) = judge(AttackParams(resources=held), "pwws@1", [changed])
    assert (said.mistakes, said.similarity) == (2.0, pytest.approx(0.5**0.5))
    (said,) = judge(AttackParams(resources={"grammar": Proofreader()}), "pwws@1", [start])
    assert said.mistakes == 0.0


# -- through a run ---------------------------------------------------------------------------------

ROWS = [
    {"text": text, "label": label, "id": str(i)}
    for i, (text, label) in enumerate(
        [
            *((f"A good and fine film of {w}", "positive") for w in ("Rome", "love", "sorts")),
            *((f"A bad {w}", "negative") for w in ("plan", "story", "day")),
            ("A film and a bad end", "positive"),
        ]
    )
]


def test_estimates_have_the_denominators_that_they_say(tmp_path):
    folder = run("attack", LinearClassifier(WEIGHTS), ROWS, tmp_path / "r", budget=60)
    success = estimate(folder, "attack_success", recipe="deepwordbug@1")
    assert success.value == pytest.approx(3 / 6)  # ties are negative, so bad films stay bad
    assert estimate(folder, "accuracy_under_attack", recipe="deepwordbug@1").value == 3 / 7
    assert estimate(folder, "accuracy", role="baseline").value == pytest.approx(6 / 7)
    valid = estimate(folder, "valid_share", recipe="deepwordbug@1")
    assert (valid.value, valid.status) == (None, "undefined")
    random = estimate(folder, "attack_success", role="control", recipe="pwws@1")
    excess = estimate(folder, "beyond(attack_success)", recipe="pwws@1")
    own = estimate(folder, "attack_success", recipe="pwws@1")
    assert excess.value == pytest.approx(own.value - random.value)
    asked = estimate(folder, "mean(asked)", recipe="deepwordbug@1")
    assert 1 < asked.value <= 60
    within = estimate(folder, "success_within(30)", recipe="deepwordbug@1")
    assert within.value <= success.value


def test_the_claim_says_that_nobody_rated_and_is_held_against_random_change():
    made = resolve_only(LinearClassifier(WEIGHTS), ROWS, diagnostic="attack")
    claims = {claim.id.rpartition("/")[2]: claim for claim in made.claims}
    claim = next(c for name, c in claims.items() if name.startswith("deepwordbug"))
    assert claim.says.endswith("(meaning preservation not checked)")
    assert [c.against for c in claim.components] == ["reference", "control: random change"]
    assert claim.competence
    rated = resolve_only(
        LinearClassifier(WEIGHTS), ROWS, diagnostic="attack", params={"ratings": "x.csv"}
    )
    assert not any("not checked" in claim.says for claim in rated.claims)


def test_input_reduction_makes_no_claim():
    made = resolve_only(
        LinearClassifier(WEIGHTS),
        ROWS,
        diagnostic="attack",
        params={"recipes": ["input_reduction", "pruthi"]},
    )
    assert len(made.claims) == 1


def test_notes_say_what_is_not_the_papers():
    made = resolve_only(
        LinearClassifier(WEIGHTS), ROWS, diagnostic="attack", params={"recipes": ["textfooler"]}
    )
    ((_, design),) = made.measurements["d"].designs.items()
    said = " ".join(design.notes)
    assert "textfooler differs from its paper" in said
    assert "WordNet synonyms" in said
    assert "not checked which adversarial texts" in said


def test_texts_can_be_read_from_the_folder_of_a_run(tmp_path):
    folder = run("attack", LinearClassifier(WEIGHTS), ROWS, tmp_path / "r", budget=60)
    kept = list(found_in(folder.path))
    assert {one.recipe for one in kept} == {"deepwordbug@1", "pwws@1"}
    assert {one.dataset for one in kept} == {"x"}
    outputs = folder.outputs().to_pylist()
    after = {(o["item"], o["variant"]): o["answer"] for o in outputs}
    for one in kept:
        if one.role == "measured":
            assert after[one.item, one.recipe] == one.after


def test_an_attack_without_candidates_is_not_tested(tmp_path):
    """No word here has a synonym, so nothing but the items was asked about."""
    rows = [
        {
            "id": f"i{n}",
            "text": f"{('qwx', 'zzk')[n % 2]} bbrt {'klmp ' * (n // 2)}",
            "label": label,
        }
        for n, label in enumerate(["positive", "negative"] * 30)
    ]
    model = LinearClassifier({"qwx": 2, "zzk": -2})
    english = {"source": "object:x#language=en"}
    folder = run("attack", model, rows, tmp_path, recipes=["pwws", "deepwordbug"], **english)
    found = {f.claim.id.rpartition("/")[2]: f for f in folder.findings()}
    none, some = found["pwws@1"], found["deepwordbug@1"]
    assert (none.verdict, none.reason) == ("not tested", "had candidates for 0 of 60 texts")
    assert estimate(folder, "mean(asked)", recipe="pwws@1").value == 1
    assert some.verdict != "not tested"
    assert some.touched == (60, 60)
