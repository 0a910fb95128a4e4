"""Tense of whole texts: what turns together, and writing that is left alone."""

import pytest

from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.languages.conjugation import is_unclear
from scrutiny.perturb.languages.sentence_tokens import is_informal
from scrutiny.perturb.words.tense import is_without_verb
from scrutiny.text.edits import apply_to_text

MESSAGES = (
    "I am at home",  # no mark at the end
    "i am at home.",
    "He says i am at home.",
    "He says i'm at home.",
    "I am at home :)",
    "I am home:-D",
    "I <3 this film.",
    "He waits... She comes.",
    "He waits . . She comes.",
    "What a film!!",
    "He was late.she came.",
    "HE IS AT HOME.",
    "Thats what he says.",
    "He is gonna go.",
    "It is gr8 here.",
    "He is late 4 dinner.",
    "She comes 2 town.",
    "Its the best film.",
    "Hey, he is at home.",
    "He is at hoome.",
    "Baaaabe, he is at home.",
    "He is b to me.",
    "u are funny .",
    "RT @ann : He is at home .",
    "@ ann he is at home .",
    "He is at home . #home",
    "He is at home: https://a.io/b.",
    "He is at home , thx to Ann .",
    "He is at hoome , says Ann .",
)
OTHERS = (
    "I am at home.",
    "It is the 2nd of 4 films.",
    "It has 2 or 4 acts, at 10pm.",
    "The film shows its age.",
    "He said: (no).",
    "it 's a film by noyce and makhmalbaf .",  # spaces between its tokens: names in lower case
    "an hour ... and a half , no more",
    "Mr. Noyce directs.",
    "It is # 1 of the list , at #36;10 .",
    "She asked \u201cwhy\u201d.",
    "",
)


@pytest.mark.parametrize("text", MESSAGES)
def test_messages_are_told_by_their_writing(text):
    assert is_informal(document_of(text))


@pytest.mark.parametrize("text", OTHERS)
def test_edited_and_tokenized_texts_are_no_messages(text):
    assert not is_informal(document_of(text))


def turned(text, unit):
    variant = perturb(text, f"tense(unit={unit})", seed=0)
    return apply_to_text(text, variant.edits), variant.reason


def test_all_sentences_of_a_text_turn_or_none():
    text = "The hall is cold. The band plays well. Not bad."
    assert turned(text, "text") == ("The hall was cold. The band played well. Not bad.", None)
    mixed = "The hall is cold. The band arrived late."
    assert turned(mixed, "text") == (mixed, "no_site")
    tied = "The hall is cold. The band plays on monday."
    assert turned(tied, "text") == (tied, "no_site")
    assert turned(tied, "sentence")[0] == "The hall was cold. The band plays on monday."


def test_sentences_alone_turn_in_messages_too():
    text = "The hall is cold :)"
    assert turned(text, "text") == (text, "no_site")
    assert turned(text, "sentence")[0] == "The hall was cold :)"


@pytest.mark.parametrize(
    ("text", "is_bare"),
    [
        ("Me too.", True),
        ("Not bad!", True),
        ("Wake up!", False),  # a command
        ("Rent paid.", False),  # may be said in some tense
        ("Me too tomorrow.", False),
        ("Me too?", False),
    ],
)
def test_fragments_without_verb_and_time_stand_in_any_tense(text, is_bare):
    document = document_of(text)
    assert is_without_verb(document, 0, len(document.words)) is is_bare


@pytest.mark.parametrize(
    ("text", "word", "may_be_either"),
    [
        ("The forces overnight accused each other.", "accused", True),
        ("The forces accused of theft were sad.", "accused", False),
        ("as chick flicks go , this is bad .", "flicks", True),
        ("This takes three long walks.", "walks", True),
        ("He walks home.", "walks", False),
        ("The league trots out its worst.", "trots", True),
    ],
)
def test_verbs_that_may_be_nouns_or_participles_are_unclear(text, word, may_be_either):
    document = document_of(text)
    assert is_unclear(document, document.words.index(word), word) is may_be_either
