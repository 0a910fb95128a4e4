"""Finite verbs in the other tense."""

from dataclasses import dataclass
from typing import Final, Literal

from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.change import Candidates, Change, Edit, Rng, Sites
from scrutiny.perturb.languages.en.clitics import full_form
from scrutiny.perturb.languages.en.conjugation import Tense as Time
from scrutiny.perturb.languages.en.conjugation import (
    agreement_of,
    in_tense,
    is_conjunct,
    tense_of,
)
from scrutiny.perturb.languages.en.informal import is_informal
from scrutiny.perturb.languages.en.tied_tense import is_tied_to, is_without_verb
from scrutiny.perturb.languages.tokens import beside, sentence_of, sentence_tokens

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


def _around(document: Document, index: int) -> range:
    """Tokens near a verb, up to the punctuation that ends its sentence or clause."""
    near = range(index - _NEAR, index + _NEAR)
    first, last = (
        beside(document, index, step, lambda i: i in near and document.words[i] not in _ENDS)
        for step in (-1, 1)
    )
    return range(first + 1, last)


def _joined(document: Document, index: int) -> list[Edit]:
    """Edits of the verbs that share a verb's subject and tense ("came and left")."""
    chain: list[int] = []
    tense = tense_of(document, index)
    for i in _around(document, index):
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
