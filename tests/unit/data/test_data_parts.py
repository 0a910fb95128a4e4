"""Attributes of parts and their buckets: InterpretEval's figures, coverage, edges by hand."""

import json
from functools import cache

import pytest

from scrutiny.core.answers.clusters import clusters_of
from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.registry import registry
from scrutiny.data.attribute import Training
from scrutiny.data.parts.buckets import Buckets, Numbers, groups_of
from scrutiny.data.parts.part_attribute import Surroundings, TextPart, load_part_attribute
from scrutiny.data.parts.part_attributes import entity_coverage
from scrutiny.data.parts.part_counts import PartCounts, parts_of
from scrutiny.tasks.tags import spans_of, token_borders

RELEASED = "interpreteval"
ASKED = {
    "eCon": ("consistency_interpreteval", None),
    "tCon": ("word_consistency_interpreteval", None),
    "eFre": ("frequency_interpreteval", Buckets(RELEASED, (0,))),
    "tFre": ("word_frequency_interpreteval", Buckets(RELEASED, (0,))),
    "eLen": ("length", Buckets(RELEASED, (1, 2, 3))),
    "sLen": ("text_length", Buckets(RELEASED)),
    "eDen": ("density", Buckets(RELEASED)),
    "oDen": ("unseen_density", Buckets(RELEASED, (0,))),
    "tag": ("label", Buckets("discrete", count=6)),
}


def sentences(path):
    """Rows of a file of sentences: a word, its tag, and the tag of a model."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        if block.strip():
            yield [line.split("\t" if "\t" in line else " ") for line in block.strip().split("\n")]


def tagged(rows, column=1):
    words = [row[0] for row in rows]
    borders = token_borders(words)
    gold = spans_of([row[column] for row in rows], borders)
    return Example("", {"text": " ".join(words)}, gold, tokens={"text": borders})


@pytest.fixture
def wnut(shared_data):
    return loaded(shared_data("interpreteval_wnut16"))


@cache
def loaded(folder):
    """Training set, items and answers of two models, and the words that the authors call known."""
    train = Training([tagged(rows) for rows in sentences(folder / "train.txt")])
    models = {}
    for name in ("Flair", "ELMo"):
        (path,) = folder.glob(f"wnut16_C{name.lower()}*")
        rows = list(sentences(path))
        items, said = [[tagged(r, column) for r in rows] for column in (1, 2)]
        models[name] = items, [one.gold for one in said]
    known = json.loads((folder / "precomputed.json").read_text())["oDen"]
    return folder, train, models, frozenset(known)


@cache
def surroundings(folder, model, *, known):
    _, train, models, words = loaded(folder)
    return Surroundings(PartCounts(models[model][0]), train, words if known else frozenset())


def scores(wnut, model, name, buckets, *, known=True):
    folder, _, models, _ = wnut
    items, said = models[model]
    beside = surroundings(folder, model, known=known)
    attribute = load_part_attribute(name, buckets)
    groups = attribute.groups_of(items, beside)
    sums = dict.fromkeys(groups.names, (0, 0, 0))
    for item, answer in zip(items, said, strict=True):
        for group, counts in attribute.counted(item.gold, answer, item, beside, groups).items():
            sums[group] = tuple(a + b for a, b in zip(sums[group], counts, strict=True))
    return {group: 2 * a / max(1, 2 * a + b + c) for group, (a, b, c) in sums.items()}, sums


@pytest.mark.parametrize("model", ["Flair", "ELMo"])
def test_all_bucket_scores_of_interpreteval_are_reproduced(wnut, model):
    text = (wnut[0] / "expected_5Lresults.txt").read_text()
    printed = text.partition(f"\n{model}\n")[2].partition("\n\n")[0]
    for line in printed.split("\n"):
        short, values = line.split("\t")
        wanted = [float(value.split(":")[1]) for value in values.split()]
        found, _ = scores(wnut, model, *ASKED[short])
        found.pop("others", None)
        if short == "tag":
            found = dict(sorted(found.items()))
        assert list(found.values()) == pytest.approx(wanted, abs=5e-7), short


def test_corrected_buckets_and_training_words_change_what_they_should(wnut):
    """Only the lowest buckets of two attributes; and a density that hangs on what is known."""
    names, how = ("text_length", "density"), Buckets(f"{RELEASED}_open")
    corrected = {name: scores(wnut, "Flair", name, how)[0] for name in names}
    assert [round(next(iter(s.values())), 6) for s in corrected.values()] == [0.477612, 0.490421]
    for name, found in corrected.items():
        released = scores(wnut, "Flair", name, Buckets(RELEASED))[0]
        assert [*found.values()][1:] == [*released.values()][1:]
    found, sums = scores(wnut, "Flair", *ASKED["oDen"], known=False)
    assert [*found.values()] == pytest.approx([0.56, 0.49217, 0.453665, 0.430118], abs=5e-7)
    assert sum(next(iter(sums.values()))[::2]) == 14


def test_coverage_of_wnut_is_that_of_the_paper(wnut):
    _, train, models, _ = wnut
    items, _ = models["Flair"]
    assert round(entity_coverage(train.examples, items), 4) == 0.1305
    sums = scores(wnut, "Flair", "coverage", None)[1]
    assert [a + c for a, _, c in sums.values()] == [383, 70, 35, 29, 2956]
    assert round(1 - 2956 / 3473, 4) == 0.1489  # of mentions that training has at all
    value, groups = value_in(train.examples, items), load_part_attribute("coverage").groups
    of_names = {
        e.fields[one.field][one.start : one.end].lower(): value("coverage", e, one)
        for e in items
        for one in e.gold
    }
    assert [[*of_names.values()].count(group) for group in groups] == [103, 7, 9, 16, 2096]


def test_coverage_of_the_worked_example(shared_data):
    path = shared_data("survey_worked_examples") / "worked_examples.json"
    told = json.loads(path.read_text())["ecr"]
    made = {}
    for name in ("train", "test"):
        made[name] = [
            Example("", {"text": word}, (Span("text", 0, len(word), label),))
            for word, label, count in told[name]
            for _ in range(count)
        ]
    assert entity_coverage(made["train"], made["test"]) == told["expected_ecr"]
    value = value_in(made["train"], made["test"])
    shown = {"=1": "1", "(0,0.5]": "over 0 to 0.5", "=0,seen": "0, seen otherwise"}
    for item in made["test"]:
        wanted = told["category"][item.text]
        assert value("coverage", item, item.gold[0]) == shown.get(wanted, "0, unseen")


def test_label_consistency_of_the_worked_example(shared_data):
    path = shared_data("survey_worked_examples") / "worked_examples.json"
    told = json.loads(path.read_text())["label_consistency_econ"]
    seen = told["train_occurrences_of_span"]
    training = [
        Example("", {"text": "york"}, () if label == "O" else (Span("text", 0, 4, label),))
        for label, count in seen.items()
        for _ in range(count)
    ]
    labels = ("LOC", "ORG", "PER")
    items = [Example("", {"text": "york"}, (Span("text", 0, 4, label),)) for label in labels]
    value = value_in(training, items)
    for name in ("consistency_spans", "consistency_tokens", "word_consistency"):
        found = [value(name, item, item.gold[0]) for item in items]
        assert found == pytest.approx([told[f"econ_test_gold_{label}"] for label in labels])


def value_in(training, items):
    beside = Surroundings(PartCounts(items), Training(training))
    return lambda name, item, part: load_part_attribute(name).function(TextPart(item, part, beside))


def words(text, *spans, tokens=None):
    gold = tuple(Span("text", text.index(t), text.index(t) + len(t), label) for t, label in spans)
    return Example("1", {"text": text}, gold)


TRAIN = [
    words("New York Times sells", ("New York Times", "ORG")),
    words("in New York now", ("New York", "LOC")),
    words("a new York ham"),
]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("consistency_spans", 1 / 3),  # a part with these borders in one place of three
        ("consistency_tokens", 2 / 6),  # two of six words, one place within an organization
        ("consistency_interpreteval", 0.333),
        ("word_consistency", 1 / 3),
        ("frequency", 1),
        ("unseen", "seen"),
        ("capitals", "first"),
        ("length", 2),
        ("characters", 8),
        ("text_length", 4),
        ("density", 0.5),
        ("unseen_density", 0.5),  # In, flies
        ("position", 0.25),
        ("label", "LOC"),
        ("negated", False),  # of the item
        ("unseen_words", 0.25),
    ],
)
def test_attributes_by_hand(name, value):
    item = words("In New York flies", ("New York", "LOC"))
    assert value_in(TRAIN, [item])(name, item, item.gold[0]) == pytest.approx(value)


def test_places_of_characters_and_lengths_of_arcs():
    item = Example(
        "1", {"text": "abab a"}, (Span("text", 0, 2), Span("text", 2, 4), Span("text", 5, 6))
    )
    value = value_in([item], [item])
    assert value("character_consistency", item, Span("text", 0, 2)) == pytest.approx(
        (2 / 3 + 1) / 2
    )
    assert value("character_frequency", item, Span("text", 0, 1)) == 1
    arcs = Words("text", ((0, 1), (2, 3), (4, 5)), (2, 2, ROOT), ("det", "nmod:x", "root"))
    text = Example("1", {"text": "a b c"}, arcs)
    lengths = [value("distance", text, part) for part in sorted(parts_of(arcs))]
    assert lengths == [1, 0, None]
    assert parts_of(arcs) == parts_of(arcs._replace(relations=("det", "nmod", "root")))
    assert parts_of(clusters_of("text", [[(0, 1), (4, 5)]])) == {
        Span("text", 0, 1),
        Span("text", 4, 5),
    }


def test_edges_by_hand():
    values = [1, 1, 1, 2, 3, 3, 5, 9]
    whole, share = Numbers(is_whole=True, least=1), Numbers(least=0, most=1)
    made = groups_of(Buckets("mass", count=3), values, whole)
    assert (made.names, made.ends) == (("1", "2 to 3", "4 or more"), (1, 3))
    assert groups_of(Buckets("fixed", (0, 0.5)), [], share).names == (
        "0",
        "over 0 to 0.5",
        "over 0.5",
    )
    assert groups_of(Buckets("values", (1,), 3), values, whole).names == (
        "1",
        "2 to 3",
        "4 or more",
    )
    assert groups_of(Buckets("mass"), [2, 2], whole).names == ("all",)
    assert groups_of(Buckets("discrete", count=1), ["b", "a", "b"], share).names == ("b", "others")
    few = groups_of(Buckets("discrete"), ["b", "others"], share)
    assert few.names == ("b", "others", "others (2)")  # a word of that name keeps it
    assert [few.place(v, is_gold=False) for v in ("b", "others", "c")] == [*few.names]
    with pytest.raises(PlanError, match="gold parts have 0 below 2"):
        groups_of(Buckets("values", (2,)), range(6), whole)
    assert [made.place(v) for v in (0, 1, 2, 100, None)] == ["1", "1", "2 to 3", "4 or more", None]
    released = groups_of(Buckets(RELEASED, count=3), values, whole)
    assert (released.place(1), released.place(1, is_gold=False)) == ("1", None)
    assert released.place(10, is_gold=False) is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"how": "deciles"}, "allowed are fixed"),
        ({"how": "fixed"}, "need their upper ends"),
        ({"how": "fixed", "edges": (2, 1)}, "go up"),
        ({"count": 0}, "1 to 50"),
        ({"how": "mass", "edges": (1,)}, "finds its own edges"),
        ({"how": "discrete", "edges": (1,)}, "finds its own edges"),
        ({"how": "values", "edges": (1, 2, 3, 4)}, "count = 5 is the least"),
    ],
)
def test_buckets_that_cannot_be_are_refused(wrong, said):
    with pytest.raises(PlanError, match=said):
        Buckets(**wrong)
    with pytest.raises(PlanError, match="needs an attribute of numbers"):
        groups_of(Buckets("fixed", (1,)), ["a"], Numbers())


def test_a_column_of_the_items_is_an_attribute_of_their_parts():
    items = [Example("1", {"text": "a"}, "x", attributes={"a_year": k}) for k in (1, 2, 2, 3)]
    beside = Surroundings(PartCounts(items))
    numbers = load_part_attribute("a_year").groups_of(items, beside)
    words = load_part_attribute("a_year", Buckets("discrete", count=1)).groups_of(items, beside)
    assert (numbers.names, words.names) == (("up to 1", "over 1 to 2", "over 2"), ("2", "others"))
    with pytest.raises(PlanError, match=r"no item has a column 'month'\. There are a_year"):
        load_part_attribute("a_month").groups_of(items, beside)
    worded = [Example("1", {"text": "a"}, "x", attributes={"a_topic": "film"})]
    with pytest.raises(PlanError, match="needs an attribute of numbers"):
        load_part_attribute("a_topic", Buckets("fixed", (1, 2))).groups_of(worded, beside)


def test_every_attribute_of_parts_has_a_sentence():
    for name in registry().names("part_attribute"):
        assert load_part_attribute(name).at_length().endswith(".")
