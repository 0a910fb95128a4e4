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
from scrutiny.perturb.languages.en.tied_tense import is_tied_to
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
        ``sentence``: all finite verbs of a chosen sentence, if they are in one tense, nothing in
        the sentence asks for it ("yesterday", "if"), and it is no question. ``word``: each chosen
        verb, with those that "and" or a comma joins to it; the tenses of a sentence may come to
        differ.

    **Measures** whether the answer hangs on when something is said to happen.

    **Misleads when** time is part of the question, as in the entailment of a pair of sentences,
    and in short messages, whose verbs are often mistaken: there a third of the changed texts, and
    of reviews 19 of 20, read as somebody would write them.

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

    unit: Literal["word", "sentence"] = "sentence"

    def sites(self, document: Document) -> Sites:
        """Finite verbs that have another tense, or the first one of each sentence."""
        if self.unit == "word":
            return [
                Site(start, end, i)
                for i, (start, end) in enumerate(document.tokens)
                if _turned(document, i) is not None
            ]
        found = []
        for first, last in sentence_tokens(document):
            edits = _sentence(document, first, last)
            if edits:
                start = next(i for i in range(first, last) if tense_of(document, i))
                found.append(Site(*document.tokens[start], start))
        return found

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The verb and those coordinated with it, or all of its sentence, in the other tense."""
        if self.unit == "word":
            edit = _turned(document, site.token)
            if edit is not None:
                yield (edit, *_joined(document, site.token))
            return
        yield tuple(_sentence(document, *sentence_of(document, site.token)))


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


def _sentence(document: Document, first: int, last: int) -> list[Edit]:
    """Edits that change the tense of all finite verbs of a sentence; none if one is unclear.

    "Could" and "would" are past in form only: beside verbs of the present they stay.
    """
    tenses = [(i, tense) for i in range(first, last) if (tense := tense_of(document, i))]
    plainly = {t for i, t in tenses if full_form(document.words, i) not in _MOODS}
    if len(plainly) != 1 or is_tied_to(document, first, last, (tense := plainly.pop())):
        return []
    edits: list[Edit] = []
    agreement = None
    for index, own in tenses:
        if own != tense:
            continue
        if tense == "past":
            # A verb without a subject of its own ("came and left") shares the one before.
            agreement = agreement_of(document, index) or agreement
        edit = in_tense(document, index, _other(tense), agreement)
        if edit is None:
            return []
        edits.append(edit)
    return edits
