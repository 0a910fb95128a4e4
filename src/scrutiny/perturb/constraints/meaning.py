"""Constraints that keep the meaning: a word's part of speech and vector, a text's similarity.

A word is compared with the one that it replaces, a text or a window of it with the original, by an
encoder or an entailment model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import acos, pi
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from scrutiny.core.arrays import Singles
from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Constraint, Document, ScreensMany
from scrutiny.perturb.engine.edited_words import windows, word_changes
from scrutiny.perturb.resources.capabilities import Vectors
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.edits import apply_to_text
from scrutiny.text.tokens import is_lexical

if TYPE_CHECKING:
    from scrutiny.perturb.resources.capabilities import Encoder, EntailmentJudge


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


_USUAL_COSINE: Final = 0.5


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
            least = _USUAL_COSINE
        lengths = float(np.linalg.norm(old) * np.linalg.norm(new))
        return lengths > 0 and float(old @ new) / lengths >= least - 1e-6


def _vector(vectors: Vectors, word: str) -> Singles | None:
    """Vector of a word as written, or else in lower case."""
    found = vectors.vector(word)
    return vectors.vector(word.lower()) if found is None else found


@dataclass(frozen=True, slots=True)
class EmbeddingSimilarity(ScreensMany):
    """Refuse edits after which the cosine to the original is below a threshold.

    Parameters
    ----------
    least
        Smallest cosine that may remain.

    Notes
    -----
    The resource ``encoder`` must be given.

    **Misleads when**: antonyms are in play; encoders put "good" and "bad" near one another.

    References
    ----------
    Reimers and Gurevych (2019), Sentence-BERT.

    Examples
    --------
    >>> EmbeddingSimilarity(least=0.9).resources
    ('encoder',)
    """

    id = "embedding_similarity@1"
    resources = ("encoder",)

    least: float = 0.8

    def screen(self, document: Document, candidates: Sequence[Sequence[Edit]]) -> list[bool]:
        """Whether the cosine of each text is high enough; all texts are encoded together."""
        encoder = find_resource(document.resources, "encoder")
        texts = [document.text, *(apply_to_text(document.text, edits) for edits in candidates)]
        rows = np.asarray(encoder.encode(texts), dtype=np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        products, norms = rows[1:] @ rows[0], lengths[1:] * lengths[0]
        least = (self.least - 1e-9) * norms
        return [bool(n > 0 and p >= t) for p, n, t in zip(products, norms, least, strict=True)]


_USUAL: Final = 0.8
_SLACK: Final = 1e-6  # what rounding does in batches of another size


@dataclass(frozen=True, slots=True)
class SentenceSimilarity(ScreensMany):
    """Refuse edits after which the vector of a text is too far from the original's.

    Each threshold is named by its measure, because the same number means another thing: a cosine of
    0.8 is an angular similarity of 0.795, and an angular one of 0.8 a cosine of 0.809. With no
    threshold at all, the cosine has to be 0.8.

    Parameters
    ----------
    least_cosine
        Smallest cosine of the two vectors.
    least_angular
        Smallest angular similarity, 1 minus the angle in parts of 180 degrees.
    most_euclidean
        Largest Euclidean distance; the distance itself, not its square.
    window
        So many words around each edit are compared; nothing compares whole texts.
    skip_short
        Let texts of fewer words than the window pass unseen, as TextFooler and BAE do.

    Notes
    -----
    The resource ``encoder`` must be given; published thresholds are those of another encoder than
    yours. What is compared with, the original or the text before a step, is for the search to say.

    **Misleads when**: antonyms are in play; encoders put "good" and "bad" near one another. With
    ``skip_short`` half of a corpus of headlines is not looked at.

    References
    ----------
    Cer et al. (2018), Universal Sentence Encoder. Jin, Jin, Zhou, Szolovits (2020), Is BERT really
    robust? Reimers and Gurevych (2019), Sentence-BERT.

    Examples
    --------
    >>> SentenceSimilarity(least_angular=0.840845, window=15, skip_short=True).thresholds
    {'angular': 0.840845}
    """

    id = "sentence_similarity@1"
    resources = ("encoder",)

    least_cosine: float | None = None
    least_angular: float | None = None
    most_euclidean: float | None = None
    window: int | None = None
    skip_short: bool = False

    @property
    def thresholds(self) -> dict[str, float]:
        """Thresholds by the name of their measure."""
        stated = {
            "cosine": self.least_cosine,
            "angular": self.least_angular,
            "euclidean": self.most_euclidean,
        }
        return {name: t for name, t in stated.items() if t is not None} or {"cosine": _USUAL}

    def screen(self, document: Document, candidates: Sequence[Sequence[Edit]]) -> list[bool]:
        """Whether each text is similar enough; all texts are encoded together."""
        least = self.window if self.skip_short and self.window is not None else 0
        if sum(map(is_lexical, document.words)) < least:
            return [True] * len(candidates)
        pairs = [windows(document, edits, self.window) for edits in candidates]
        texts = list(dict.fromkeys(text for held in pairs for pair in held for text in pair))
        if not texts:
            return [True] * len(candidates)
        encoder: Encoder = find_resource(document.resources, "encoder")
        vectors = dict(zip(texts, encoder.encode(texts), strict=True))
        return [all(self._is_near(vectors[a], vectors[b]) for a, b in held) for held in pairs]

    def _is_near(self, one: Singles, other: Singles) -> bool:
        a, b = one.astype(np.float64), other.astype(np.float64)
        lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
        if lengths == 0:
            return False
        cosine = min(1.0, max(-1.0, float(a @ b) / lengths))
        similarity = {
            "cosine": cosine,
            "angular": 1.0 - acos(cosine) / pi,
            "euclidean": -float(np.linalg.norm(a - b)),
        }
        return all(
            similarity[name] >= (-limit if name == "euclidean" else limit) - _SLACK
            for name, limit in self.thresholds.items()
        )


@dataclass(frozen=True, slots=True)
class Entailment(ScreensMany):
    """Refuse edits after which the original no longer entails the text.

    Parameters
    ----------
    least
        Smallest probability of entailment.
    both_ways
        Whether the original has to follow from the changed text, too.

    Notes
    -----
    The resource ``nli`` must be given.

    **Misleads when**: the judge is the model under test, or shares its training data: then the
    texts that fool the one fool the other.

    References
    ----------
    Bowman et al. (2015), A large annotated corpus for learning natural language inference.

    Examples
    --------
    >>> Entailment(both_ways=True).resources
    ('nli',)
    """

    id = "entailment@1"
    resources = ("nli",)

    least: float = 0.5
    both_ways: bool = False

    def screen(self, document: Document, candidates: Sequence[Sequence[Edit]]) -> list[bool]:
        """Whether each changed text is entailed; all texts are judged together."""
        judge: EntailmentJudge = find_resource(document.resources, "nli")
        text = document.text
        after = [apply_to_text(text, edits) for edits in candidates]
        found = self._follow(judge, [(text, new) for new in after])
        if not self.both_ways:
            return found
        back = self._follow(judge, [(new, text) for new in after])
        return [a and b for a, b in zip(found, back, strict=True)]

    def _follow(self, judge: "EntailmentJudge", pairs: Sequence[tuple[str, str]]) -> list[bool]:
        return [share >= self.least - 1e-6 for share in (judge.entailment(pairs) if pairs else ())]
