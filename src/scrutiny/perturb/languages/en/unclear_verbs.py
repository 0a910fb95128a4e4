"""Words that may be finite verbs although their tag does not say so, and the reverse."""

from typing import Final

from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.en.clitics import CLITICS, clitic_of, is_before_not, plain
from scrutiny.perturb.languages.en.conjugation import before_adverbs, is_conjunct, tense_of
from scrutiny.perturb.languages.en.verbs import (
    auxiliary_kind,
    could_be_verb,
    finite_kind,
    is_dependent,
)
from scrutiny.perturb.languages.tokens import beside
from scrutiny.text.inflect import lemma
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.wordnet import exists

_MODIFIERS: Final = frozenset("CD JJ JJR JJS PRP$ POS".split())
_OBJECT: Final = frozenset("DT PRP PRP$ CD NNP RB RP".split())
_JOINING: Final = frozenset("and but or never always also often then".split())
_NEAR: Final = 12


def is_unclear(document: Document, index: int, word: str) -> bool:
    """Whether a word may be a finite verb that no rule can change.

    Such are clitics whose verb is not known ("it's been", "I'd", "plot 's"), verbs in an unusual
    place ("their ambitions far exceed"), and those that may share the auxiliary of another one
    ("will gasp and laugh").
    """
    clitic = clitic_of(word) or word
    if clitic == "'d":
        return True
    if clitic == "'s":
        is_known = tense_of(document, index) is not None
        return not is_known and (clitic != word or document.tag(index) != "POS")
    if not word.isalpha() or clitic_of(word) or is_before_not(document.words, index):
        return False
    if finite_kind(document, index) is None:
        return clitic not in CLITICS and _may_be_finite(document, index, word)
    tag = document.tag(index)
    is_shared = tag in ("VB", "VBP") and _may_share(document, index)
    return is_shared or _may_be_noun(document, index, word)


def _may_be_finite(document: Document, index: int, word: str) -> bool:
    """Whether a word that no rule takes for a finite verb may be one."""
    tag = document.tag(index)
    if tag in ("NN", "NNS", "VBN"):
        return could_be_verb(word) and (
            _has_object(document, index, tag)
            or (tag != "VBN" and _must_be_verb(document, index, word))
        )
    if tag == "IN":  # no preposition, but a word that the tagger does not know
        return word.endswith("s") and not is_stop_word(word) and could_be_verb(word)
    return tag in ("VBZ", "VBP", "VB") and not is_dependent(document, index)


def _may_be_noun(document: Document, index: int, word: str) -> bool:
    """Whether a word that is tagged as a verb of the present may be a noun.

    Such stand behind a number or an adjective ("two more sleeps"), do not agree with a noun before
    them ("half day leave"), or have the sentence's verb behind them ("chick flicks go").
    """
    tag = document.tag(index)
    at = before_adverbs(document, index)
    if tag not in ("VBZ", "VBP", "VB") or at < 0 or not exists(lemma(word, "NOUN"), "n"):
        return False
    if auxiliary_kind(document, index) is not None:
        return False
    before = document.tag(at)
    if before in _MODIFIERS or (tag == "VBZ" and before in ("NNS", "NNPS")):
        return True
    if before == "IN" and plain(document.words[at]) != "that":
        return True  # "in turns"
    if tag != "VBZ" and before in ("NN", "NNP", "VBG", "VBN"):
        return True
    behind = beside(document, index, 1, lambda i: not document.words[i][0].isalnum())
    return behind < len(document.words) and finite_kind(document, behind) is not None


def _has_object(document: Document, index: int, tag: str) -> bool:
    """Whether a word has a subject before and an object behind, so that it may be a finite verb.

    So "the forces accused each other" with a tag of a participle, and "the team trots out", "and
    winds up", "but never mixes", "dazzles the eye , challenges the brain".
    """
    if tag == "NN" or not 0 < index < len(document.words) - 1:
        return False
    before, behind = document.tag(index - 1), document.tag(index + 1)
    if tag == "NNS" and _is_joined(document, index):
        return True
    if tag == "NNS":
        if before == "RB" or (before == "CC" and behind in ("RP", "RB", "IN")):
            return plain(document.words[index - 1]) in _JOINING
        return (before in ("NN", "NNP") and behind in _OBJECT) or (
            before == "," and behind in ("DT", "PRP", "PRP$")
        )
    return (
        before in ("NN", "NNS", "NNP", "NNPS", "RB", "JJ")
        and behind in _OBJECT
        and not any(auxiliary_kind(document, i) for i in range(max(0, index - 4), index))
    )


def _is_joined(document: Document, index: int) -> bool:
    """Whether a verb of the third person is joined to a plural: "tries , and fails"."""
    behind = beside(document, index, 1, lambda i: plain(document.words[i]) in (",", "and", "but"))
    if behind == index + 1 or behind >= len(document.words):
        return False
    return document.tag(behind) == "VBZ" and finite_kind(document, behind) == "verb"


def _must_be_verb(document: Document, index: int, word: str) -> bool:
    """Whether a noun-tagged word must be a verb: at the start, after "we", no known noun."""
    if index == 0:
        return document.tag(index) == "NNS"
    before = plain(document.words[index - 1])
    return before in ("i", "you", "we", "they") or not exists(lemma(word, "NOUN"), "n")


def _may_share(document: Document, index: int) -> bool:
    """Whether a coordinated verb may be an infinitive, because one precedes it closely."""
    if not is_conjunct(document, index):
        return False
    return any(
        plain(document.words[i]) == "to" or auxiliary_kind(document, i) in ("modal", "do")
        for i in range(max(0, index - _NEAR), index)
    )
