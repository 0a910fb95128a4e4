"""Constraints on a replaced word: its part of speech, the similarity of its vector."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from scrutiny.core.arrays import Singles
from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Constraint, Document
from scrutiny.perturb.engine.word_changes import word_changes
from scrutiny.perturb.resources.capabilities import Vectors
from scrutiny.perturb.resources.loading import find_resource

_MERGED: Final = {"PROPN": "NOUN", "AUX": "VERB"}  # as in the tag set that the attacks used


@dataclass(frozen=True, slots=True)
class SamePos(Constraint):
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

    id = "same_pos@1"
    resources = ("tagger",)

    noun_verb: bool = False

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether every replaced word keeps its part of speech."""
        tagger = find_resource(document.resources, "tagger")
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


_USUAL: Final = 0.5


@dataclass(frozen=True, slots=True)
class WordSimilarity(Constraint):
    """Refuse replacements of a word by one whose vector is far from its own.

    Parameters
    ----------
    least_cosine
        Smallest cosine. With no threshold at all it is 0.5.
    most_euclidean
        Largest Euclidean distance. It is the distance itself: where a paper or a library states a
        squared one, give its root.
    unknown
        Whether a word without a vector is let through or refused.

    Notes
    -----
    The resource ``vectors`` must be given. Words are looked up as they stand, then in lower case.
    Insertions and deletions pass; a word that becomes several is treated as unknown.

    **Misleads when**: vectors put opposites near one another, as all but counter-fitted ones do.

    References
    ----------
    Alzantot et al. (2018). Generating natural language adversarial examples. Jin, Jin, Zhou,
    Szolovits (2020). Is BERT really robust? Mrkšić et al. (2016). Counter-fitting word vectors.

    Examples
    --------
    >>> WordSimilarity(least_cosine=0.8).resources
    ('vectors',)
    """

    id = "word_similarity@1"
    resources = ("vectors",)

    least_cosine: float | None = None
    most_euclidean: float | None = None
    unknown: Literal["allow", "refuse"] = "allow"

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether every replacement is similar enough to the original word."""
        vectors: Vectors = find_resource(document.resources, "vectors")
        words, changes = word_changes(document, edits)
        for start, end, new_start, new_end in changes:
            if start == end or new_start == new_end:
                continue
            if end - start != new_end - new_start:
                if self.unknown == "refuse":
                    return False
                continue
            before, after = document.words[start:end], words[new_start:new_end]
            for old, new in zip(before, after, strict=True):
                if not self._is_near(_vector(vectors, old), _vector(vectors, new)):
                    return False
        return True

    def _is_near(self, old: Singles | None, new: Singles | None) -> bool:
        if old is None or new is None:
            return self.unknown == "allow"
        distance = float(np.linalg.norm(old - new))
        if self.most_euclidean is not None and distance > self.most_euclidean + 1e-6:
            return False
        least = self.least_cosine
        if least is None:
            if self.most_euclidean is not None:
                return True
            least = _USUAL
        lengths = float(np.linalg.norm(old) * np.linalg.norm(new))
        return lengths > 0 and float(old @ new) / lengths >= least - 1e-6


def _vector(vectors: Vectors, word: str) -> Singles | None:
    """Vector of a word as written, or else in lower case."""
    found = vectors.vector(word)
    return vectors.vector(word.lower()) if found is None else found
