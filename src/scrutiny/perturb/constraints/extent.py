"""Constraints on the extent of change: which words may change, and how much of a text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.transformation import Constraint, Document, ScreensMany
from scrutiny.perturb.engine.edited_words import word_changes
from scrutiny.text.edits import apply_to_text
from scrutiny.text.lexicon import STOP_WORDS
from scrutiny.text.tokens import is_lexical, token_texts

_ARTICLES = frozenset({"a", "an"})


@dataclass(frozen=True, slots=True)
class StopWords(Constraint):
    """Refuse edits of function words: they carry grammar and rarely meaning.

    Parameters
    ----------
    words
        Lower-case words that may not change; nothing takes the package's list.

    Notes
    -----
    Insertions between words pass, and so does an article that only follows its neighbor's new
    sound ("a bad" to "an awful").

    Examples
    --------
    >>> StopWords().id
    'stop_words@1'
    """

    id = "stop_words@1"
    reason = "stop_word"

    words: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.words, str):  # the letters of "french" are no stop words
            raise PlanError(f"words is a set of lower-case words, not {self.words!r}.")

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether no edit touches a stop word."""
        stop = STOP_WORDS if self.words is None else self.words
        for (start, end), word in zip(document.tokens, document.words, strict=True):
            if word.lower().replace("’", "'") not in stop:
                continue
            for edit in edits:  # the agreement of an article is no change of it
                follows = {word.lower(), edit.text.lower()} <= _ARTICLES
                is_article = follows and (edit.start, edit.end) == (start, end)
                if _touches(edit, start, end) and not is_article:
                    return False
        return True


@dataclass(frozen=True, slots=True)
class MinWordLength(Constraint):
    """Refuse edits of words with few characters.

    Parameters
    ----------
    least
        Smallest number of code points of a word that may change.

    Notes
    -----
    Insertions between words pass.

    Examples
    --------
    >>> MinWordLength(least=6).least
    6
    """

    id = "min_word_length@1"

    least: int = 4

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether all changed words are long enough."""
        changed = word_changes(document, edits).changes
        return all(
            len(word) >= self.least for c in changed for word in document.words[c.start : c.end]
        )


@dataclass(frozen=True, slots=True)
class ProtectedPhrases(Constraint):
    """Refuse edits of given phrases, in any letter case, if they occur as whole words.

    Parameters
    ----------
    phrases
        Words, or several with spaces between them. Stretches of single texts are protected by the
        example itself (``protected``).

    Raises
    ------
    PlanError
        If it is a bare string, whose letters are no phrases, or one of them is blank.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> keep, document = ProtectedPhrases(("new york",)), document_of("In New  York now")
    >>> keep.allows(document, [Edit("text", 8, 12, "Delhi")])
    False
    """

    id = "protected_phrases@1"

    phrases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.phrases, str) or not all(p.strip() for p in self.phrases):
            raise PlanError(
                f"phrases is a sequence of words or phrases, none of them blank, not "
                f"{self.phrases!r}."
            )

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether no edit touches one of the phrases."""
        if not self.phrases:
            return True
        found = [match.span() for match in _pattern(self.phrases).finditer(document.text)]
        return not any(_touches(edit, *span) for edit in edits for span in found)


@lru_cache(maxsize=64)
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted(phrases, key=lambda p: (-len(p), p))  # of two that begin alike the longer
    written = (r"\s+".join(map(re.escape, phrase.split())) for phrase in ordered)
    return re.compile(rf"(?<!\w)(?:{'|'.join(written)})(?!\w)", re.IGNORECASE)


def _touches(edit: Edit, start: int, end: int) -> bool:
    if edit.start == edit.end:
        return start < edit.start < end
    return edit.start < end and edit.end > start


@dataclass(frozen=True, slots=True)
class MaxChange(Constraint):
    """Refuse edits that change more than a share of the words or of the characters.

    Parameters
    ----------
    share
        Largest share of the original that may be replaced, deleted or added.
    unit
        What is counted: words as the tokenizer splits them, or code points.

    Examples
    --------
    >>> MaxChange(share=0.1, unit="characters").share
    0.1
    """

    id = "max_change@1"

    share: float = 0.25
    unit: Literal["words", "characters"] = "words"

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether the smallest number of changes is within the share."""
        if self.unit == "characters":
            changed = sum(max(e.end - e.start, len(e.text)) for e in edits)
            return changed <= self.share * len(document.text)
        from rapidfuzz.distance import Levenshtein

        after = token_texts(apply_to_text(document.text, edits))
        before = list(document.words)
        return bool(Levenshtein.distance(before, after) <= self.share * len(before))


@dataclass(frozen=True, slots=True)
class ChangedWords(Constraint):
    """Refuse edits that change too many words; punctuation does not count.

    Unlike ``max_change`` it counts words with a letter or digit only, and has a floor for short
    texts.

    Parameters
    ----------
    share
        Largest share of the original's words; nothing leaves it to ``most``.
    floor
        So many words may change in any case, however short the text is.
    most
        Largest number of words; nothing leaves it to the share.

    Notes
    -----
    Where a run of words is replaced by another, the longer of the two counts. The edits must be
    all those since the original: asked about single steps, it limits nothing.

    Examples
    --------
    >>> ChangedWords(share=0.1, floor=4).floor
    4
    """

    id = "changed_words@1"

    share: float | None = 0.2
    floor: int = 0
    most: int | None = None

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether the number of changed words is within the limits."""
        words, changes = word_changes(document, edits)
        changed = 0
        for start, end, *new in changes:
            pair = document.words[start:end], words[slice(*new)]
            changed += max(sum(map(is_lexical, side)) for side in pair)
        if self.most is not None and changed > self.most:
            return False
        if self.share is None:
            return True
        total = sum(map(is_lexical, document.words))
        return changed <= max(self.floor, self.share * total + 1e-9)


@dataclass(frozen=True, slots=True)
class EditDistance(ScreensMany):
    """Refuse edits beyond a Levenshtein distance in code points.

    Parameters
    ----------
    most
        Largest distance; nothing leaves it to the share.
    share
        Largest distance in parts of the original's length; nothing leaves it to ``most``.

    References
    ----------
    Levenshtein (1966), Binary codes capable of correcting deletions, insertions and reversals.

    Examples
    --------
    >>> EditDistance(most=2, share=None).most
    2
    """

    id = "edit_distance@1"

    most: int | None = None
    share: float | None = 0.3

    def screen(self, document: Document, candidates: Sequence[Sequence[Edit]]) -> list[bool]:
        """Whether each of several texts stays within the distance."""
        from rapidfuzz.distance import Levenshtein

        text = document.text
        limits = [] if self.most is None else [float(self.most)]
        if self.share is not None:
            limits.append(self.share * len(text))
        if not limits:
            return [True] * len(candidates)
        limit = int(min(limits))
        near = []
        for edits in candidates:
            # at most the longer of deleted and inserted text of each edit, summed
            distance = sum([max(end - start, len(new)) for _, start, end, new, *_ in edits])
            if distance > limit:
                after = apply_to_text(text, edits)
                distance = Levenshtein.distance(text, after, score_cutoff=limit)
            near.append(distance <= limit)
        return near
