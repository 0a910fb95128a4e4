"""Finite verbs in the other tense, and sentences that English ties to the tense they have.

Such sentences name a time, ask, promise, or lack words; they are left alone.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.changes import Candidates, Change, Sites
from scrutiny.perturb.languages.conjugation import (
    SUBJECTS,
    PastOrPresent,
    agreement_of,
    before_adverbs,
    in_tense,
    is_conjunct,
    is_unclear,
    tense_of,
)
from scrutiny.perturb.languages.conjugation import PastOrPresent as Time
from scrutiny.perturb.languages.sentence_tokens import (
    SPELLINGS,
    beside,
    clitic_of,
    full_form,
    is_informal,
    plain,
    sentence_of,
    sentence_tokens,
)
from scrutiny.perturb.languages.statements import is_command, is_question
from scrutiny.perturb.languages.verbs import (
    auxiliary_kind,
    could_be_verb,
    finite_kind,
    next_content,
)
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import word_set

_NEAR: Final = 24  # tokens on either side in which a joined verb is looked for
_ENDS: Final = frozenset(".!?;:")
_MOODS: Final = frozenset({"could", "would", "might"})  # past in form, often present in meaning


@dataclass(frozen=True, slots=True)
class Tense(Change):
    """Changes present to past and past to present, with agreement.

    Only finite verbs have a tense to turn: participles and infinitives stay, since they could not
    change by themselves and leave a sentence. Where the subject of a past form is not plain to
    see, nothing is changed.

    Parameters
    ----------
    unit
        ``text``: all finite verbs of a text, if they are in one tense and each of its sentences can
        be turned. A sentence keeps its tense where it names a time or a condition, asks, commands
        or promises ("I will call"), is said to somebody ("You are late"), or tells what the writer
        just did. Texts that are written as messages are (no capital or mark, unknown spellings,
        smileys, greetings) stay as they are. ``sentence``: each chosen sentence by itself, also in
        messages; tenses of a text may come to differ. ``word``: each chosen verb, with those that
        "and" or a comma joins to it; tenses of a sentence may come to differ.

    **Measures** whether the answer hangs on when something is said to happen.

    **Misleads when** time is part of the question, as in the entailment of a pair of sentences. And
    it says little of long texts and of messages, most of which it leaves alone: one in a hundred
    messages changes, and nearly half of the sentences of reviews.

    References
    ----------
    Wang et al. (2021). TextFlint: unified multilingual robustness evaluation toolkit for natural
    language processing.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("She went home.", "tense", seed=0).edits[0].text
    'goes'
    """

    id = "tense@1"
    title = "tense changed"
    resources = ("tagger",)
    effect = keeps_unless("relation", "text", "xpos")

    unit: Literal["text", "sentence", "word"] = "text"

    def sites(self, document: Document) -> Sites:
        """Finite verbs that have another tense; the first of each sentence, or of the text."""
        if self.unit == "word":
            return [
                Site(start, end, i)
                for i, (start, end) in enumerate(document.tokens)
                if _turned(document, i) is not None
            ]
        if self.unit == "text":
            return [_place(document, 0, len(document.tokens))] if _text(document) else []
        sentences = sentence_tokens(document)
        return [_place(document, *each) for each in sentences if _sentence(document, *each)]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The verb and those coordinated with it, or all of its sentence or text."""
        if self.unit == "word":
            edit = _turned(document, site.token)
            if edit is not None:
                yield (edit, *_joined(document, site.token))
        elif self.unit == "text":
            yield tuple(_text(document))
        else:
            yield tuple(_sentence(document, *sentence_of(document, site.token)))


def _place(document: Document, first: int, last: int) -> Site:
    """The first finite verb of some tokens."""
    at = next(i for i in range(first, last) if tense_of(document, i))
    return Site(*document.tokens[at], at)


def _other(tense: Time) -> Time:
    return "present" if tense == "past" else "past"


def _turned(document: Document, index: int) -> Edit | None:
    """Edit that changes the tense of one finite verb, if possible."""
    tense = tense_of(document, index)
    if tense is None:
        return None
    agreement = agreement_of(document, index) if tense == "past" else None
    return in_tense(document, index, _other(tense), agreement)


def _joined(document: Document, index: int) -> list[Edit]:
    """Edits of the verbs that share a verb's subject and tense ("came and left")."""
    chain: list[int] = []
    tense = tense_of(document, index)
    near = range(index - _NEAR, index + _NEAR)
    first, last = (  # up to the punctuation that ends the sentence or clause
        beside(document, index, step, lambda i: i in near and document.words[i] not in _ENDS)
        for step in (-1, 1)
    )
    for i in range(first + 1, last):
        if tense_of(document, i) != tense:
            continue
        if not is_conjunct(document, i):
            if index in chain:
                break
            chain = []
        chain.append(i)
    if index not in chain or tense is None:
        return []
    agreement = agreement_of(document, chain[0])
    others = [i for i in chain if i != index]
    edits = [in_tense(document, i, _other(tense), agreement) for i in others]
    return [edit for edit in edits if edit is not None]


def _one_tense(document: Document, first: int, last: int) -> Time | None:
    """The tense of all finite verbs of some tokens; nothing where they have two or none.

    "Could" and "would" are past in form only: beside verbs of the present they do not count.
    """
    tenses = {
        tense_of(document, i)
        for i in range(first, last)
        if full_form(document.words, i) not in _MOODS
    }
    tenses.discard(None)
    return tenses.pop() if len(tenses) == 1 else None


def _sentence(document: Document, first: int, last: int) -> list[Edit]:
    """Edits that change the tense of all finite verbs of a sentence; none if one is unclear."""
    tense = _one_tense(document, first, last)
    if tense is None or is_tied_to(document, first, last, tense):
        return []
    edits: list[Edit] = []
    agreement = None
    for index in range(first, last):
        if tense_of(document, index) != tense:
            continue
        if tense == "past":
            # A verb without a subject of its own ("came and left") shares the one before.
            agreement = agreement_of(document, index) or agreement
        edit = in_tense(document, index, _other(tense), agreement)
        if edit is None:
            return []
        edits.append(edit)
    return edits


def _text(document: Document) -> list[Edit]:
    """Edits that change the tense of a whole text; none if a sentence would keep its own."""
    if _one_tense(document, 0, len(document.tokens)) is None or is_informal(document):
        return []
    edits: list[Edit] = []
    for first, last in sentence_tokens(document):
        turned = _sentence(document, first, last)
        if not turned and not is_without_verb(document, first, last):
            return []
        edits += turned
    return edits


# Words that tie a sentence to its tense: moods that the forms of the past express, too, and times.
_CONDITIONAL: Final = frozenset("if unless wish though lest ai let whether".split())
_TIMES: Final[dict[PastOrPresent, frozenset[str]]] = {
    "past": word_set("past_times"),
    "present": word_set("present_times"),
}
# Modals whose other tense says another thing: "I will call" is a promise, "I would call" none.
_FIXED_MODALS: Final = frozenset("will wo 'll shall sha may must should ought".split())
# Verbs that do what they say ("I promise"), and verbs that tell what is, not what happens.
_PERFORMED: Final = word_set("performed_verbs")
_STATES: Final = word_set("state_verbs")
_NOMINAL: Final = frozenset("NN NNS NNP NNPS PRP PRP$ DT WDT WP EX CD VBG JJ".split())


def is_tied_to(document: Document, first: int, last: int, tense: PastOrPresent) -> bool:
    """Whether English ties a sentence to its tense: it names a time, or has a fixed verb.

    So do a question and what stands beside one ("How are you?"), a command, a promise ("I will
    call"), what is said to somebody ("You are late", "I hope so") or told by who did it ("I
    missed it"), a past without any subject ("Sorry, was in the bathroom"), and the writing of
    short messages, of which too few words are known ("I think u shld").
    """
    words = [plain(word) for word in document.words[first:last]]
    if is_question(document, first, last) or not SPELLINGS.isdisjoint(words):
        return True
    if _lacks_subject(document, first, last, tense) or words[0] == "when":
        return True
    if words[-1].startswith("..") and last < len(document.words):
        return True  # what looks like an end goes on
    if not (_CONDITIONAL | _TIMES[tense]).isdisjoint(words):
        return True
    numbers = [(before, word) for before, word in pairwise(words) if word[:1].isdecimal()]
    if tense == "past":
        is_dated = any(word.isdecimal() and len(word) == 4 for _, word in numbers)
    else:  # "at 6", "in 5 min"
        is_dated = any(before in ("in", "at", "on", "until", "by") for before, _ in numbers)
    if is_dated:
        return True
    return (
        is_command(document, first, words)
        or any(_is_said(document, first + i, word, tense) for i, word in enumerate(words))
        or any(is_unclear(document, first + i, word) for i, word in enumerate(words))
    )


def is_without_verb(document: Document, first: int, last: int) -> bool:
    """Whether some tokens neither have a verb in any tense nor name a time ("Me too.")."""
    words = [plain(word) for word in document.words[first:last]]
    if not (_CONDITIONAL | _TIMES["past"] | _TIMES["present"]).isdisjoint(words):
        return False
    return not any(map(could_be_verb, words)) and not is_question(document, first, last)


def _is_said(document: Document, index: int, word: str, tense: PastOrPresent) -> bool:
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
        kind = auxiliary_kind(document, index)
        at = next_content(document, index) if kind == "do" else index  # the main verb behind "did"
        words = document.words[at : at + 1]
        is_state = kind not in (None, "do") or any(
            lemma(plain(w), "VERB") in _STATES for w in words
        )
        return subject in ("i", "you", "we") and not is_state  # what happened, not what was
    if base == "be" and word.startswith("am") and subject != "i":
        return True  # "Fine am simply sitting."
    return subject == "you" or (subject in ("i", "we") and base in _PERFORMED)


def _lacks_subject(document: Document, first: int, last: int, tense: PastOrPresent) -> bool:
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
