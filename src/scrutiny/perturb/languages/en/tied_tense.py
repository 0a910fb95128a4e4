"""Sentences that English ties to their tense: they name a time, ask, or leave words out."""

from itertools import pairwise
from typing import Final

from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.en.clitics import CLITICS, clitic_of, is_before_not, plain
from scrutiny.perturb.languages.en.conjugation import SUBJECTS, Tense, is_conjunct, tense_of
from scrutiny.perturb.languages.en.verbs import (
    auxiliary_kind,
    could_be_verb,
    finite_kind,
    is_dependent,
)
from scrutiny.perturb.languages.tokens import beside
from scrutiny.text.inflect import lemma
from scrutiny.text.wordnet import exists

# Words that tie a sentence to its tense: moods that the forms of the past express, too, and times.
_CONDITIONAL: Final = frozenset("if unless wish though lest ai let whether".split())
_TIMES: Final[dict[Tense, frozenset[str]]] = {
    "past": frozenset(
        """yesterday ago last earlier past monday tuesday wednesday thursday friday saturday sunday
        january february march april june july august september october november december
        born once since""".split()
    ),
    "present": frozenset(
        """now today tonight tomorrow next soon currently nowadays presently since yet already
        still""".split()
    ),
}
# Words of short messages for others ("u r", "shld"), which no tagger knows.
_SHORT: Final = frozenset("u r ur ü ure im ive dont cant wan shld wld cld tht wat lor".split())
_NOMINAL: Final = frozenset("NN NNS NNP NNPS PRP PRP$ DT WDT WP EX CD VBG JJ".split())
_NEAR: Final = 12


def is_tied_to(document: Document, first: int, last: int, tense: Tense) -> bool:
    """Whether English ties a sentence to its tense: it names a time, or has a fixed verb.

    So do a question and what stands beside one ("How are you?"), a past without any subject
    ("Sorry, was in the bathroom"), and the writing of short messages, of which too few words are
    known ("I think u shld").
    """
    words = [plain(word) for word in document.words[first:last]]
    if _asks(document, first, last) or not _SHORT.isdisjoint(words):
        return True
    if _lacks_subject(document, first, last, tense) or words[0] == "when":
        return True
    if words[-1].startswith("..") and last < len(document.words):
        return True  # what looks like an end goes on
    if not (_CONDITIONAL | _TIMES[tense]).isdisjoint(words):
        return True
    if tense == "past" and any(word.isdecimal() and len(word) == 4 for word in words):
        return True  # a year
    return _is_command(document, first, words) or any(
        _is_unclear(document, first + i, word) for i, word in enumerate(words)
    )


def _asks(document: Document, first: int, last: int) -> bool:
    """Whether a sentence is a question, or stands before or behind one."""
    behind = beside(document, last, 1, lambda i: document.words[i][0] not in ".!?")
    near = (*document.words[max(first - 1, 0) : last], *document.words[behind : behind + 1])
    return any(word.startswith("?") for word in near)


def _lacks_subject(document: Document, first: int, last: int, tense: Tense) -> bool:
    """Whether no noun or pronoun stands before the first finite verb, where one has to.

    Reviews leave it out in the present ("dazzles with its cast"), and questions put it behind.
    """
    verbs = (i for i in range(first, last) if finite_kind(document, i) is not None)
    verb = next(verbs, last)
    if verb < last and clitic_of(document.words[verb]) is not None:
        return False  # "it's"
    if any(document.tag(i) in _NOMINAL or plain(document.words[i]) in SUBJECTS
           for i in range(first, verb)):  # fmt: skip
        return False
    return tense == "past" or (verb < last and finite_kind(document, verb) != "verb")


def _is_command(document: Document, first: int, words: list[str]) -> bool:
    """Whether a sentence begins with a base form, or has one after "but" ("but don't")."""
    if words[0].isalpha() and document.tag(first) == "VB":
        return True
    return any(
        (word in ("do", "don't") and before in ("and", "but", "so", ","))
        or (word == "but" and before == "help")
        for before, word in pairwise(words)
    )


def _is_unclear(document: Document, index: int, word: str) -> bool:
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
    tag = document.tag(index)
    if finite_kind(document, index) is not None:
        return tag in ("VB", "VBP") and _may_share(document, index)
    if tag in ("NN", "NNS"):
        return could_be_verb(word) and _must_be_verb(document, index, word)
    if clitic in CLITICS:
        return False
    return tag in ("VBZ", "VBP", "VB") and not is_dependent(document, index)


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
