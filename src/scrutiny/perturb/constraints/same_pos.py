"""A word may only be replaced by one of its part of speech."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.engine.word_changes import word_changes
from scrutiny.perturb.resources.loading import find_resource

_MERGED: Final = {"PROPN": "NOUN", "AUX": "VERB"}  # as in the tag set that the attacks used


@dataclass(frozen=True, slots=True)
class SamePos:
    """Refuse replacements of a word by one of another universal part of speech.

    Both words are tagged where they stand, each in its own sentence: of two equal words the one
    that is replaced counts. Proper nouns count as nouns and auxiliaries as verbs.

    Parameters
    ----------
    noun_verb
        Let nouns and verbs stand for each other, as TextFooler and BAE do.

    Notes
    -----
    The resource ``tagger`` reads both texts. Insertions and deletions pass; a word that becomes
    several is refused.

    **Misleads when**: the tagger is wrong about odd sentences, which is what a search makes.

    References
    ----------
    Jin, Jin, Zhou, Szolovits (2020). Is BERT really robust?

    Examples
    --------
    >>> SamePos(noun_verb=True).resources
    ('tagger',)
    """

    id: ClassVar[str] = "same_pos@1"
    reason: ClassVar[str] = "same_pos"
    resources: ClassVar[tuple[str, ...]] = ("tagger",)

    noun_verb: bool = False

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether every replaced word keeps its part of speech."""
        tagger = find_resource(document if context is None else context, "tagger")
        words, changes = word_changes(document, edits)
        for start, end, new_start, new_end in changes:
            if start == end or new_start == new_end:
                continue
            if end - start != new_end - new_start:
                return False
            for old, new in zip(range(start, end), range(new_start, new_end), strict=True):
                before = self._class(tagger.tag_at(document.words, old).upos)
                if before != self._class(tagger.tag_at(words, new).upos):
                    return False
        return True

    def _class(self, upos: str) -> str:
        merged = _MERGED.get(upos, upos)
        return "NOUN" if self.noun_verb and merged == "VERB" else merged
