"""Adverbs before main verbs, and nowhere else."""

import re

import pytest

from scrutiny.core.example import Example
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.words.added_and_dropped import InsertAdverb
from scrutiny.text.edits import apply_to_text
from scrutiny.text.lexicon import listed

CASES = [
    ("She has seen it.", "She has {} seen it.", "the participle, not its auxiliary"),
    ("He will go home.", "He will {} go home.", "the infinitive, not the modal"),
    ("They play football.", "They {} play football.", "a finite verb"),
    ("He doesn't like it.", "He doesn't {} like it.", "behind a contracted negation"),
    ("it does n't work .", "it does n't {} work .", "and behind one that is split"),
    ("She was seen there.", "She was {} seen there.", "a passive"),
    ("They have a house.", "They {} have a house.", "have with an object is a main verb"),
    ("THEY PLAY CHESS.", "THEY {} PLAY CHESS.", "in capitals"),
    ("He is tall.", "He is tall.", "a copula takes none"),
    ("I am here.", "I am here.", "nor here"),
    ("I guess not.", "I guess not.", "a guess says itself how sure one is"),
    ("They doubt that.", "They doubt that.", "and so does a doubt"),
    ("Watch it.", "Watch it.", "a capital at the head of a sentence stays there"),
    ("The running water is cold.", "The running water is cold.", "an attribute is no verb"),
    ("A very tall tree", "A very tall tree", "no verb at all"),
]


@pytest.mark.parametrize(("text", "pattern", "why"), CASES)
def test_a_text_turns_into_the_one_written_down(text, pattern, why):
    before, found, after = pattern.partition("{}")
    for seed in range(8):
        variant = perturb(Example("1", {"text": text}), "insert_adverb(most=1)", seed=seed)
        changed = apply_to_text(text, variant.edits)
        if not found:
            assert changed == text, why
            continue
        match = re.fullmatch(f"{re.escape(before)}(.+){re.escape(after)}", changed)
        assert match is not None, why
        assert match[1].lower() in listed("adverbs")
        assert match[1].isupper() == text.isupper()


def test_every_main_verb_is_a_site():
    document = document_of("She came, has seen it and will leave.")
    words = [document.words[s.token] for s in InsertAdverb().sites(document)]
    assert words == ["came", "seen", "leave"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("the film expertly weaves two stories .", "an adverb before it"),
        ("it works beautifully .", "an adverb behind it"),
        ("it is there to love .", "an infinitive"),
        ("i ca n't wait for it .", "an idiom"),
        ("old godzilla flicks .", "a noun that looks like a verb"),
        ("a film made by nobody .", "a participle without an auxiliary"),
        ("it never works .", "a word that is an adverb, too"),
        ("the film 's low rent and its charm .", "a noun that can be a verb"),
    ],
)
def test_where_an_adverb_would_sound_wrong_there_is_none(text, why):
    assert not InsertAdverb().sites(document_of(text)), why


@pytest.mark.parametrize(
    "text", ["if it works , we win .", "he does n't like it .", "what works ?", "no one knows it ."]
)
def test_what_is_not_asserted_gets_no_adverb_of_certainty(text):
    document = document_of(text)
    made = {
        edit.text
        for seed in range(20)
        for edit in perturb(Example("1", {"text": text}), "insert_adverb", seed=seed).edits
        if edit.start < document.tokens[4][0]
    }
    assert made <= {"actually ", "really "}


def test_an_adverb_that_stands_there_already_is_not_repeated():
    document = document_of("They really like it, and they play chess.")
    (site,) = InsertAdverb().sites(document)

    class Same:
        def random(self, size=None):
            import numpy as np

            first = listed("adverbs").index("really") / len(listed("adverbs")) + 1e-9
            return first if size is None else np.linspace(0, 1, size)

    texts = [e.text for (e,) in InsertAdverb().candidates(document, site, Same())]
    assert texts
    assert "really " not in texts


def inserted(text):
    seen = set()
    for seed in range(12):
        variant = perturb(Example("1", {"text": text}), "insert_adverb", seed=seed)
        seen.add(tuple(edit.text.strip() for edit in variant.edits))
    return seen


@pytest.mark.parametrize(
    "text",
    [
        "Hey, I miss you already and you know it :)",
        "i miss you already and you know it",
        "I miss u and you know it.",
        "Hope you had fun.",
        "Wish you had more fun.",
    ],
)
def test_messages_and_wishes_get_one_adverb_without_certainty(text):
    assert inserted(text) == {("actually",)}


def test_edited_texts_get_any_adverb_at_any_verb():
    seen = inserted("They play football and she plays chess, as the others do.")
    assert {len(adverbs) for adverbs in seen} == {1}
    assert len(seen) > 3
    places = [s.token for s in InsertAdverb().sites(document_of("They play and she plays chess."))]
    assert places == [1, 4]
    assert len(InsertAdverb().sites(document_of("They play and she plays chess :)"))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "what it lacks in wit it has in warmth .",
        "the reason we keep it is old .",
        "the tug of war that ensues is long .",
        "a letter to the man who wrote it .",
        "fuller would surely have called this a yarn .",
    ],
)
def test_clauses_that_depend_on_a_word_and_verbs_with_an_adverb_get_none(text):
    document = document_of(text)
    words = [document.text[s.start : s.end] for s in InsertAdverb().sites(document)]
    assert not {"lacks", "keep", "ensues", "wrote", "called"} & set(words)


def test_of_what_is_not_asserted_one_verb_gets_an_adverb():
    text = "We laugh if you saw it. We cry unless she knew it."
    document = document_of(text)
    words = [document.text[s.start : s.end] for s in InsertAdverb().sites(document)]
    assert words == ["laugh", "saw", "cry"]
