"""Sentences in another order, once more, left out, and sentences in which nobody is named."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from scrutiny.core.edit import Copy, Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import (
    Document,
    Effect,
    Intensity,
    Site,
    keeps_unless,
    may_change_unless,
)
from scrutiny.perturb.engine.changes import (
    Candidates,
    Change,
    Sites,
    in_random_order,
    with_unknown,
)
from scrutiny.perturb.passages.sentences_in_order import (
    PassageSentence,
    free_sentences,
    plain_sentence,
    sentences_of,
)

#: One sentence for every hundred words of the text, one in five.
SOME_SENTENCES: Final = Intensity(share=0.01, least=1, most=None)
_ALTERNATIVES = 4


class ChangesSentences(Change):
    """Transformation whose places are whole sentences."""

    __slots__ = ()

    intensity: ClassVar[Intensity] = SOME_SENTENCES
    where = "anywhere"
    is_default = False  # texts that nobody wrote


@dataclass(frozen=True, slots=True)
class SentenceOrder(ChangesSentences):
    """Sentences in another order: two change places, or one goes to the edge of the text.

    Mentions, entities and extracts move with their words.

    Parameters
    ----------
    to
        ``another``: to the place of another sentence, which comes here. ``edge``: to the beginning
        of the text, or to its end if it stands at the beginning.
    any_sentence
        Also sentences that lean on others ("But she …"), and those on which others do.

    **Measures** whether the answer hangs on where in the text something is said.

    **Misleads when** what is told has an order: without `any_sentence` as well, a story may no
    longer be one.

    References
    ----------
    Gui et al. (2021). TextFlint: RndShuffle, ModifyPos.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("Ida left town. Bo slept well.", "sentence_order", seed=0).edits[0].text
    'Bo slept well.'
    """

    id = "sentence_order@1"
    effect: ClassVar[Mapping[str, Effect]] = {
        **may_change_unless("clusters", "spans", "extract", "words"),
        "response": "may change",
    }

    to: Literal["another", "edge"] = "another"
    any_sentence: bool = False

    def sites(self, document: Document) -> Sites:
        """Sentences that can stand elsewhere, if the text has another place for them."""
        found = free_sentences(document, self.any_sentence)
        has_room = len(found) > 1 if self.to == "another" else len(sentences_of(document)) > 1
        return [one.site for one in found] if has_room else []

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The sentence at its other place; of others to change places with, a random one first."""
        found = free_sentences(document, self.any_sentence)
        own = next(one for one in found if one.start == site.start)
        if self.to == "edge":
            yield _to_edge(document, own)
            return
        for other in in_random_order([one for one in found if one is not own], rng):
            yield _put(document, own, other), _put(document, other, own)


def _put(document: Document, place: PassageSentence, other: PassageSentence) -> Edit:
    """Another sentence in the place of one."""
    text = document.text[other.start : other.end]
    copies = (Copy(0, other.start, other.end),)
    return Edit(document.field, place.start, place.end, text, copies=copies)


def _to_edge(document: Document, own: PassageSentence) -> tuple[Edit, Edit]:
    """Edits that take a sentence to the beginning of the text, or from there to its end."""
    text, field = document.text, document.field
    said = text[own.start : own.end]
    every = sentences_of(document)
    first, last = every[0], every[-1]
    if own is first:
        gap = text[own.end : own.next]
        there = Edit(
            field, last.end, last.end, gap + said, copies=(Copy(len(gap), own.start, own.end),)
        )
        return Edit(field, own.start, own.next, "", copies=()), there
    before = every[every.index(own) - 1]
    gap = text[before.end : own.start]
    there = Edit(field, first.start, first.start, said + gap, copies=(Copy(0, own.start, own.end),))
    return there, Edit(field, before.end, own.end, "", copies=())


@dataclass(frozen=True, slots=True)
class AddSentence(ChangesSentences):
    """A sentence more: one that names nobody and no place, or one of the text once more.

    What is repeated has its mentions and entities once more: the same people are meant.

    Parameters
    ----------
    what
        ``plain``: one of a list ("The wind died down."), behind a random sentence. ``again``: the
        sentence itself, behind it.
    far
        Whether what is repeated comes behind another sentence.

    **Measures** whether the model reads past what has nothing to do with the matter, or is said
    twice.

    **Misleads when** a repeated sentence means something else where it stands now: "she", far from
    whom she is.

    References
    ----------
    Gui et al. (2021). TextFlint: RndInsert, RndRepeat.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("Ida left town.", "add_sentence(what=again)", seed=0).edits[0].text
    ' Ida left town.'
    """

    id = "add_sentence@1"
    effect = keeps_unless("relation", "text", "response")

    what: Literal["plain", "again"] = "plain"
    far: bool = False

    def sites(self, document: Document) -> Sites:
        """Whole sentences: those that something comes behind, or that are said again."""
        return [one.site for one in sentences_of(document) if one.is_whole]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The sentence behind this one, or behind a random one."""
        whole = [one for one in sentences_of(document) if one.is_whole]
        own = next(one for one in whole if one.start == site.start)
        if self.what == "plain":
            for _ in range(_ALTERNATIVES):
                said = plain_sentence(document, float(rng.random()))
                yield (with_unknown(document, _behind(document, own, said)),)
            return
        places = in_random_order([one for one in whole if one is not own], rng)
        for place in places if self.far else (own,):
            edit = _behind(document, place, document.text[own.start : own.end])
            at = len(edit.text) - (own.end - own.start)
            yield (edit._replace(copies=(Copy(at, own.start, own.end),)),)


def _behind(document: Document, place: PassageSentence, said: str) -> Edit:
    """Something said behind a sentence."""
    return Edit(document.field, place.end, place.end, f" {said}")


@dataclass(frozen=True, slots=True)
class DropSentence(ChangesSentences):
    """A sentence left out, or with one that names nobody and no place where it stood.

    Its mentions and entities go. The first sentence of a text stays.

    Parameters
    ----------
    replaced
        Whether another sentence ("The wind died down.") comes instead.
    any_sentence
        Also sentences that lean on others, and those on which others do: who "she" is may then be
        gone.

    **Measures** whether who is meant is still found where less is said.

    **Misleads when** what was left out said who is meant. Without `any_sentence`, no pronoun behind
    it, and no first mention of somebody, hangs on it.

    References
    ----------
    Gui et al. (2021). TextFlint: RndDelete, RndReplace.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> text = "Ida left town. Bo slept well. Ida came back."
    >>> [edit[1:4] for edit in perturb(text, "drop_sentence", seed=0).edits]
    [(29, 44, '')]
    """

    id = "drop_sentence@1"
    effect = may_change_unless("clusters", "spans")

    replaced: bool = False
    any_sentence: bool = False

    def sites(self, document: Document) -> Sites:
        """Sentences that nothing else needs, but for the first one."""
        first = sentences_of(document)[:1]
        found = free_sentences(document, self.any_sentence)
        return [one.site for one in found if one not in first]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The sentence gone with the space before it, or another one in its place."""
        if self.replaced:
            for _ in range(_ALTERNATIVES):
                said = plain_sentence(document, float(rng.random()))
                yield (Edit(document.field, site.start, site.end, said, copies=()),)
            return
        before = document.text[: site.start].rstrip()
        yield (Edit(document.field, len(before), site.end, "", copies=()),)
