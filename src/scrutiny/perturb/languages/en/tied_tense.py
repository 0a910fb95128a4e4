"""Sentences that English ties to their tense: they name a time, ask, promise, or lack words."""

from itertools import pairwise
from typing import Final

from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.en.clitics import clitic_of, plain
from scrutiny.perturb.languages.en.conjugation import (
    SUBJECTS,
    Tense,
    before_adverbs,
)
from scrutiny.perturb.languages.en.informal import SPELLINGS
from scrutiny.perturb.languages.en.unclear_verbs import is_unclear
from scrutiny.perturb.languages.en.verbs import (
    auxiliary_kind,
    could_be_verb,
    finite_kind,
    next_content,
)
from scrutiny.perturb.languages.tokens import beside
from scrutiny.text.inflect import lemma

# Words that tie a sentence to its tense: moods that the forms of the past express, too, and times.
_CONDITIONAL: Final = frozenset("if unless wish though lest ai let whether".split())
_TIMES: Final[dict[Tense, frozenset[str]]] = {
    "past": frozenset(
        """yesterday ago last earlier past monday tuesday wednesday thursday friday saturday sunday
        january february march april june july august september october november december
        born once since just finally already""".split()
    ),
    "present": frozenset(
        """now today tonight tomorrow next soon later currently nowadays presently since yet already
        still evening till monday tuesday wednesday thursday friday saturday sunday january february
        april june july august september october november december""".split()
    ),
}
_ASKING: Final = frozenset("what where who why how which whose whats".split())
# Modals whose other tense says another thing: "I will call" is a promise, "I would call" none.
_FIXED_MODALS: Final = frozenset("will wo 'll shall sha may must should ought".split())
# Verbs that do what they say ("I promise"), and verbs that tell what is, not what happens.
_PERFORMED: Final = frozenset(
    """hope wish promise suggest miss swear bet guess advise apologize recommend appreciate
    need""".split()
)
_STATES: Final = frozenset(
    """be have want need like love hate know think believe feel hope mean understand seem look
    wish""".split()
)
_NOMINAL: Final = frozenset("NN NNS NNP NNPS PRP PRP$ DT WDT WP EX CD VBG JJ".split())


def is_tied_to(document: Document, first: int, last: int, tense: Tense) -> bool:
    """Whether English ties a sentence to its tense: it names a time, or has a fixed verb.

    So do a question and what stands beside one ("How are you?"), a command, a promise ("I will
    call"), what is said to somebody ("You are late", "I hope so") or told by who did it ("I
    missed it"), a past without any subject ("Sorry, was in the bathroom"), and the writing of
    short messages, of which too few words are known ("I think u shld").
    """
    words = [plain(word) for word in document.words[first:last]]
    if _asks(document, first, last) or not SPELLINGS.isdisjoint(words):
        return True
    if _lacks_subject(document, first, last, tense) or words[0] == "when":
        return True
    if words[-1].startswith("..") and last < len(document.words):
        return True  # what looks like an end goes on
    if not (_CONDITIONAL | _TIMES[tense]).isdisjoint(words):
        return True
    if any(_is_date(before, word, tense) for before, word in pairwise(words)):
        return True
    return (
        _is_command(document, first, words)
        or any(_is_said(document, first + i, word, tense) for i, word in enumerate(words))
        or any(is_unclear(document, first + i, word) for i, word in enumerate(words))
    )


def _is_date(before: str, word: str, tense: Tense) -> bool:
    """Whether a number is a year that is past, or a time to come ("at 6", "in 5 min")."""
    if not word[:1].isdecimal():
        return False
    if tense == "past":
        return word.isdecimal() and len(word) == 4
    return before in ("in", "at", "on", "until", "by")


def is_without_verb(document: Document, first: int, last: int) -> bool:
    """Whether some tokens neither have a verb in any tense nor name a time ("Me too.")."""
    words = [plain(word) for word in document.words[first:last]]
    if not (_CONDITIONAL | _TIMES["past"] | _TIMES["present"]).isdisjoint(words):
        return False
    return not any(map(could_be_verb, words)) and not _asks(document, first, last)


def _is_said(document: Document, index: int, word: str, tense: Tense) -> bool:
    """Whether a verb belongs to a talk: a promise, and what "I" or "you" do or did."""
    if tense == "present" and (word in _FIXED_MODALS or word.endswith(("'ll", "won't"))):
        return auxiliary_kind(document, index) == "modal"
    if finite_kind(document, index) is None:
        return False
    clitic = clitic_of(word)
    at = before_adverbs(document, index)
    before = plain(document.words[at]) if at >= 0 else ""
    subject = word.removesuffix(clitic) if clitic else before
    base = lemma(word, "VERB")
    if tense == "past":
        return subject in ("i", "you", "we") and not _is_state(document, index)
    if base == "be" and word.startswith("am") and subject != "i":
        return True  # "Fine am simply sitting."
    return subject == "you" or (subject in ("i", "we") and base in _PERFORMED)


def _is_state(document: Document, index: int) -> bool:
    """Whether a verb, or the main verb behind "did", says what is and not what happens."""
    kind = auxiliary_kind(document, index)
    if kind == "do":
        index = next_content(document, index)
    elif kind is not None:
        return True
    return index < len(document.words) and lemma(plain(document.words[index]), "VERB") in _STATES


def _asks(document: Document, first: int, last: int) -> bool:
    """Whether a sentence is a question, also without its mark, or stands before or behind one."""
    behind = beside(document, last, 1, lambda i: document.words[i][0] not in ".!?")
    near = (*document.words[max(first - 1, 0) : last], *document.words[behind : behind + 1])
    if any(word.startswith("?") for word in near):
        return True
    verbs = [i for i in range(first, last) if finite_kind(document, i)]
    opens = plain(document.words[first]).partition("'")[0] in _ASKING
    return (opens and len(verbs) == 1) or any(_is_inverted(document, i, last) for i in verbs)


def _is_inverted(document: Document, index: int, last: int) -> bool:
    """Whether a pronoun stands behind an auxiliary ("where are you")."""
    if auxiliary_kind(document, index) is None or index + 1 >= last:
        return False
    return plain(document.words[index + 1]) in ("i", "you", "he", "she", "we", "they")


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
    return tense == "past" or (verb < last and document.tag(verb) != "VBZ")


def _is_command(document: Document, first: int, words: list[str]) -> bool:
    """Whether a sentence begins with a base form, or has one after "but" ("but don't")."""
    if words[0].isalpha() and document.tag(first) in ("VB", "VBP"):
        return True
    return any(
        (word in ("do", "don't") and before in ("and", "but", "so", ","))
        or (before == "please" and could_be_verb(word))
        or (word == "but" and before == "help")
        for before, word in pairwise(words)
    )
