"""What may be changed: by vectors, a masked model, there and back, in Chinese; and refusals."""

from typing import ClassVar

import pytest
from design_inputs import inputs_of
from toy_invariance import Linear

from scrutiny.core.errors import MissingExtraError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.diagnostics.invariance.generated_pairs import Maker
from scrutiny.diagnostics.invariance.scope_capabilities import ScopeParams, generations
from scrutiny.diagnostics.invariance.shared_invariance import SharedInvariance
from scrutiny.perturb.resources.capabilities import Guess
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.testing import KeywordClassifier
from scrutiny.testing.checking import ToyContext
from scrutiny.text.edits import apply_edits

TASK = registry().load("task", "text-classification")()
FILM = Example("1", {"text": "The gloomy picture was a wonderful surprise."}, "positive")


class Neighbors:
    """Vectors in which films are pictures."""

    near: ClassVar = {"picture": (("movie", 0.9), ("photo", 0.8)), "surprise": (("shock", 0.8),)}

    def neighbors(self, word, *, most):
        return self.near.get(word, ())[:most]

    def warm(self, words, *, most):
        """Nothing to do."""

    def vector(self, word):
        """None has any."""


class Filler:
    """A masked language model that expects the same words everywhere."""

    words = ("movie", "story", "great", "day")

    def guess(self, queries, *, top, script="latin"):
        return [tuple(Guess(word, 0.1) for word in self.words) for _ in queries]

    def rewrite(self, queries, *, top, script="latin"):
        return [() for _ in queries]


class Dictionary:
    """A translator, word by word; two words come back as others."""

    there: ClassVar = {"picture": "filme", "gloomy": "triste", "wonderful": "maravilhoso"}
    back: ClassVar = {"filme": "film", "triste": "sad", "maravilhoso": "wonderful"}

    def translate(self, texts, *, source, target):
        words = self.there if target == "pt" else self.back
        return [" ".join(words.get(w, w) for w in text.split(" ")) for text in texts]


def texts(capability, item, *, resources=None, reference=None, **params):
    """Searched and random texts of an item, with their status."""
    made = ScopeParams((capability,), trials=1, resources=resources or {}, **params)
    model = reference or KeywordClassifier(["wonderful"], ["gloomy"])
    maker = Maker([item], made, ToyContext(TASK, model), 0)
    return [
        (v.status, apply_edits(item, v.edits).text if v.status == "ok" else v.reason)
        for v in maker.variants(generations(made, TASK))
    ]


@pytest.mark.parametrize(
    ("capability", "resources", "allowed"),
    [
        ("synonym_vectors", {"vectors": Neighbors()}, {"movie", "photo", "shock"}),
        ("masked_lm", {"masked_lm": Filler()}, set(Filler.words)),
    ],
)
def test_one_word_is_replaced_by_each_way(capability, resources, allowed):
    (status, found), _ = texts(capability, FILM, resources=resources)
    assert status == "ok"
    before = set(FILM.text.rstrip(".").split())
    after = set(found.rstrip(".").split())
    assert len(after - before) == 1
    assert after - before <= allowed


def test_what_comes_back_from_another_language_is_one_text_and_no_control_of_itself():
    searched, random = texts(
        "back_translation", FILM, resources={"translator": Dictionary()}, reference=Linear(0)
    )
    assert searched == random == ("ok", "The sad film was a wonderful surprise.")
    maker = Maker(
        [FILM],
        params := ScopeParams(
            ("back_translation",), trials=1, resources={"translator": Dictionary()}
        ),
        ToyContext(TASK, Linear(0)),
        0,
    )
    assert [v.reason for v in maker.variants(generations(params, TASK))] == [None, "only_text"]


HOTEL = Example("1", {"text": "房间很大，服务不好。"}, "negative", language="zh")


class Pinyin:
    """A reader who knows a few characters."""

    known: ClassVar = {
        "房": "fang2",
        "防": "fang2",
        "间": "jian1",
        "大": "da4",
        "务": "wu4",
        "物": "wu4",
    }

    def readings(self, char):
        return (self.known[char],) if char in self.known else ()


@pytest.mark.parametrize("capability", ["homophone", "look_alike"])
def test_chinese_characters_are_changed(capability):
    model = KeywordClassifier(["很"], ["不"])
    (status, found), _ = texts(capability, HOTEL, resources={"pinyin": Pinyin()}, reference=model)
    assert status == "ok"
    assert len(found) == len(HOTEL.text)
    assert sum(a != b for a, b in zip(found, HOTEL.text, strict=True)) == 1


def test_english_synonyms_of_chinese_do_not_exist():
    assert texts("synonym", HOTEL)[0] == ("skipped", "no_place")


# -- refusals --------------------------------------------------------------------------------------


def design(languages=("en",), is_audit=False, **params):
    known = {"subject": "b", "reference": "a", "labels": ("negative", "positive"), "chance": 0.5}
    known |= {"dataset": "hotels", "languages": frozenset(languages), "is_audit": is_audit}
    inputs = inputs_of(TASK, **known)
    return SharedInvariance().design(ScopeParams(**params), inputs)


def test_a_capability_of_another_language_is_refused_before_anything_is_asked():
    wrong = r"'homophone@1' is for texts in Chinese \(zh\), and .* 'hotels' is English \(en\)"
    with pytest.raises(PlanError, match=wrong):
        design(capabilities=("homophone",))
    with pytest.raises(PlanError, match=r"'synonym' is for texts in English.*#language=en"):
        design(languages=("zh-Hans",))
    with pytest.raises(PlanError, match="'typo' is for texts in any language with spaces"):
        design(languages=("zh-Hans",), capabilities=("homophone", "typo"))
    assert len(design(languages=("zh-Hans",), capabilities=("homophone",)).claims) == 1
    assert len(design(languages=("zh", "en")).claims) == 2  # some of it will do
    mine = design(languages=("de",), is_audit=True)  # an audit leaves it out
    assert [c.id for c in mine.claims] == ["typo/1"]
    assert mine.left_out[0].startswith("1 change left out of hotels, whose texts are in German")
    none = design(languages=("zh",), is_audit=True)
    assert (none.claims, len(none.left_out)) == ((), 1)


@pytest.mark.parametrize(
    ("capability", "resource"),
    [
        ("back_translation", "translator"),
        ("synonym_vectors", "vectors"),
        ("masked_lm", "masked_lm"),
    ],
)
def test_a_resource_without_a_default_has_to_be_named(capability, resource):
    with pytest.raises(PlanError, match=f"needs the resource '{resource}'.*no default") as refused:
        design(capabilities=(capability,))
    assert RESOURCES[resource].specs in str(refused.value)
    assert design(capabilities=(capability,), resources={resource: "somewhere"}).claims


def test_packages_that_are_missing_are_named(monkeypatch):
    monkeypatch.setattr("scrutiny.perturb.resources.loading.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'homophone@1' needs packages.*scrutiny\[zh\]"):
        design(languages=("zh",), capabilities=("homophone",))


PEOPLE = Example("1", {"text": "Anna Smith told him that the waiter was wonderful."}, "positive")


def test_fairness_is_another_name_or_the_other_gender_of_all_people():
    params = ScopeParams(("fairness",), trials=8)
    maker = Maker([PEOPLE], params, ToyContext(TASK, Linear(0)), 0)
    made = maker.variants(generations(params, TASK))
    found = [apply_edits(PEOPLE, v.edits).text for v in made if v.status == "ok"]
    assert all(text.endswith("was wonderful.") for text in found)
    # another name, or the other gender of all people: never of one of two
    assert {text.partition(" told ")[2] for text in found} == {
        "him that the waiter was wonderful.",
        "her that the waitress was wonderful.",
    }
    assert len({text.partition(" told ")[0] for text in found}) > 4
    (made,) = generations(ScopeParams(("fairness",)), TASK)
    assert made.capability == "fairness"
    assert [type(m.transformation).__name__ for m in made.space.moves] == [
        "MentionSwap",
        "NamePlaceSwap",
        "NamePlaceSwap",
    ]
    assert texts("fairness", FILM)[0] == ("skipped", "no_place")


def test_fairness_has_no_published_form():
    with pytest.raises(PlanError, match=r"'fairness' has no published form.*corrected"):
        generations(ScopeParams(("fairness",), preset="as_published"), TASK)
