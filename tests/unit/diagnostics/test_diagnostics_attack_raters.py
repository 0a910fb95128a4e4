"""Who says which texts are valid, and who judges that: models that rate, and files of ratings."""

import csv
import json

import pytest
from toy_runs import estimate, resolve_only, run

import scrutiny
from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.diagnostics.attack.attack_records import OTHER, UNCHANGED, known_by_rater
from scrutiny.diagnostics.attack.attacks import Attacks
from scrutiny.diagnostics.attack.attempts import AttackParams
from scrutiny.diagnostics.attack.kept_texts import found_in
from scrutiny.testing import LinearClassifier
from scrutiny.testing.checking import ToyContext

WEIGHTS = {"good": 2, "fine": 1, "film": 1, "bad": -2, "movie": -1}
ROWS = [
    {"text": f"A good and fine film of {word}", "label": "positive", "id": str(i)}
    for i, word in enumerate(("Rome", "love", "war", "sorts", "snow", "dust", "kings", "bread"))
]

RATER = """
labels = ("contradiction", "entailment")
is_batch_invariant = True

def shared(a, b):
    a, b = set(a.lower().split()), set(b.lower().split())
    return len(a & b) / len(a | b)

class Rater:
    labels = labels
    def predict_proba(self, pairs):
        return [[1 - p, p] for p in (float(RULE) for a, b in pairs)]
"""


def rater(tmp_path, rule, name="rater"):
    """Model string of a rater with a rule of two texts ``a`` and ``b``."""
    path = tmp_path / f"{name}.py"
    path.write_text(RATER.replace("RULE", rule))
    return f"python:{path}:Rater"


def attacked(tmp_path, rule, **params):
    source = rater(tmp_path, rule)
    model = LinearClassifier(WEIGHTS)
    given = {"recipes": ["deepwordbug"], "budget": 60, "control": False, **params}
    return run("attack", model, ROWS, tmp_path / "run", rater=source, **given)


# -- models that rate ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "unchanged", "other"),
    [
        ("True", 1.0, 1.0),  # always yes
        ("False", 0.0, 0.0),  # always no
        ("len(a) % 2", None, None),  # looks at one text alone
    ],
)
def test_a_rater_without_skill_is_shown_to_be_worthless(tmp_path, rule, unchanged, other):
    folder = attacked(tmp_path, rule)
    assert estimate(folder, "attack_success").value > 0.5
    if unchanged is not None:
        assert estimate(folder, "mean(valid)", role="control").value == unchanged
        assert estimate(folder, "mean(valid)", role="null").value == other
    assert estimate(folder, "rater_separation").value < 0.5
    for metric in ("valid_share", "valid_attack_success", "valid_success(50)", "valid_success(90)"):
        found = estimate(folder, metric)
        assert (found.value, found.status) == (None, "refused")


def test_a_rater_that_tells_texts_apart_is_believed(tmp_path):
    folder = attacked(tmp_path, "a == b or shared(a, b) > 0.75")
    assert estimate(folder, "mean(valid)", role="control").value == 1
    # the texts differ in one word of seven: six shared of eight
    assert estimate(folder, "mean(valid)", role="null").value == 0
    assert estimate(folder, "rater_separation").value == 1
    share = estimate(folder, "valid_share")
    assert share.status == "ok"
    assert share.value == 0  # every slip changes a word or more


def test_how_well_it_tells_them_apart_is_what_was_planted(tmp_path):
    folder = attacked(tmp_path, "0.9 if a == b else 0.3")
    assert estimate(folder, "rater_separation").value == pytest.approx(0.6)
    assert estimate(folder, "valid_share").value == pytest.approx(0.3)
    success = estimate(folder, "attack_success").value
    assert estimate(folder, "valid_attack_success").value == pytest.approx(0.3 * success)
    assert estimate(folder, "valid_success(50)").value == 0


def test_the_resource_nli_is_judged_as_well():
    class Judge:
        def entailment(self, pairs):
            return [float(one == other) for one, other in pairs]

    params = AttackParams(resources={"nli": Judge()})
    examples = [Example(row["id"], {"text": row["text"]}) for row in ROWS[:3]]
    known = known_by_rater(params, examples)
    assert {(one.unchanged, one.other) for one in known.values()} == {(1.0, 0.0)}


def test_of_a_pair_the_second_text_is_exchanged():
    asked = []

    class Judge:
        def entailment(self, pairs):
            asked.extend(pairs)
            return [0.0] * len(pairs)

    params = AttackParams(resources={"nli": Judge()})
    pairs = [Example(str(i), {"text": f"p{i}", "text_pair": f"h{i}"}) for i in range(3)]
    known_by_rater(params, pairs)
    exchanged = {pair for pair in asked if pair[0] != pair[1]}
    assert len(exchanged) == 6
    assert all(one[0] == other[0] == "h" for one, other in exchanged)


def test_one_item_has_no_other_item_to_be_told_from(tmp_path):
    rows = measured(tmp_path, [Example("0", {"text": "A good film"}, gold="positive")])
    assert rows["0", "other item"] == ("undefined", "unrated")
    assert rows["0", "unchanged"] == ("ok", None)


def test_items_that_were_not_drawn_are_not_rated(tmp_path):
    items = [Example(row["id"], {"text": row["text"]}, gold="positive") for row in ROWS]
    rows = measured(tmp_path, items, items=3)
    for name in ("unchanged", "other item"):
        said = [rows[example.id, name] for example in items]
        assert sorted(said, key=str) == [("ok", None)] * 3 + [("skipped", "not_drawn")] * 5


def measured(tmp_path, examples, **params):
    """Status and reason by (item, control of the rater)."""
    task = registry().load("task", "text-classification")()
    given = AttackParams(recipes=("deepwordbug",), rater=rater(tmp_path, "a == b"), **params)
    context = ToyContext(task, LinearClassifier(WEIGHTS))
    rows = Attacks().measure(given, Cell("s", None, "d"), Batch(tuple(examples)), context)
    found = [(row, json.loads(row.condition).get("rater")) for row in rows]
    return {(row.item, name): (row.status, row.reason) for row, name in found if name}


def test_without_a_rater_nothing_is_added():
    made = resolve_only(LinearClassifier(WEIGHTS), ROWS, diagnostic="attack")
    ((_, plain),) = made.measurements["d"].designs.items()
    assert not any("rater" in condition for condition in plain.conditions)
    assert not any("rater" in spec.id or spec.presupposes for spec in plain.estimates)
    rated = resolve_only(
        LinearClassifier(WEIGHTS), ROWS, diagnostic="attack", params={"rater": "python:x:X"}
    )
    ((_, design),) = rated.measurements["d"].designs.items()
    assert design.conditions[:2] == (UNCHANGED, OTHER)
    assert design.conditions[2:] == plain.conditions
    assert "A model rates" in " ".join(design.notes)
    people = resolve_only(
        LinearClassifier(WEIGHTS), ROWS, diagnostic="attack", params={"ratings": "x.csv"}
    )
    ((_, design),) = people.measurements["d"].designs.items()
    assert design.conditions == plain.conditions
    assert "are not checked" in " ".join(design.notes)


# -- files of ratings, end to end ------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Texts that an attack found in reviews, of a classifier that ships with the package."""
    folder = tmp_path_factory.mktemp("recorded") / "run"
    scrutiny.run("attack", out=folder, **ATTACK)
    texts = [one for one in found_in(folder) if one.is_success and one.role == "measured"]
    assert len(texts) >= 6
    return texts


ATTACK = {
    "model": "builtin:sentiment/seed-1",
    "data": "builtin:reviews",
    "recipes": ["pwws"],
    "budget": 60,
    "items": 24,
    "control": False,
}


def written(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, fieldnames=list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return str(path)


def test_ratings_of_recorded_texts_become_validity(recorded, tmp_path):
    """Three raters of each text; the k-th text is called valid by k modulo 4 of them."""
    rows = [
        {"item": one.item, "text": one.texts[0], "valid": int(k % 4 > rater)}
        for k, one in enumerate(recorded)
        for rater in range(3)
    ]
    ratings = written(tmp_path / "ratings.csv", rows)
    found = scrutiny.run("attack", out=tmp_path / "rated", ratings=ratings, **ATTACK)
    each = [(k % 4) / 3 for k in range(len(recorded))]
    mean = sum(each) / len(each)
    assert found.estimate("valid_share").value == pytest.approx(mean)
    success = found.estimate("attack_success").value
    assert found.estimate("valid_attack_success").value == pytest.approx(success * mean)
    curve = [found.estimate(f"valid_success({share})").value for share in (50, 70, 90)]
    expected = [sum(p >= share for p in each) / len(each) * success for share in (0.5, 0.7, 0.9)]
    assert curve == pytest.approx(expected)
    assert success > curve[0] > curve[1] == curve[2] > 0
    kept = [one for one in found_in(tmp_path / "rated") if one.is_success]
    assert [one.valid for one in kept] == pytest.approx(each)


def test_ratings_of_substitutions_of_recorded_texts_are_multiplied(recorded, tmp_path):
    """Every substitution is valid with one half; a text of two is valid with a quarter."""
    pairs = {
        (one.originals[0][start:end].lower(), new.lower())
        for one in recorded
        for _, start, end, new in one.edits
    }
    rows = [{"before": before, "after": after, "valid": 0.5} for before, after in sorted(pairs)]
    ratings = written(tmp_path / "ratings.csv", rows)
    scrutiny.run("attack", out=tmp_path / "rated", ratings=ratings, **ATTACK)
    kept = [one for one in found_in(tmp_path / "rated") if one.is_success]
    assert {len(one.edits) for one in kept} > {1}
    assert [one.valid for one in kept] == pytest.approx([0.5 ** len(one.edits) for one in kept])
