"""Words and pieces of a tokenizer: which begins a word, words cut one by one, likeliest stretch.

Annotations come in words. A word is cut as the tokenizer cuts a word of running text: byte-level
vocabularies (GPT-2, RoBERTa, SmolLM2) write the space into the piece behind it, so every word but
the first stands with a space in front, as in the words joined by single spaces. Word pieces and
SentencePiece need nothing of the kind. Which of the two it is, is tried on a few words.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.answers.texts import Extract
from scrutiny.core.boundary.printable import is_storable
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.attention import Words
from scrutiny.core.queries.language import TokenIds


def first_pieces(
    words: Sequence[tuple[int, int]], offsets: Sequence[tuple[int, int]]
) -> list[int | None]:
    """First piece of a tokenizer that overlaps with each word of a text, by index, or `None`.

    Pieces are those of a model's tokenizer; special ones have empty offsets. A piece may
    begin with the space in front of its word.

    Examples
    --------
    >>> first_pieces([(0, 4), (5, 7)], [(0, 0), (0, 2), (2, 4), (4, 7), (0, 0)])
    [1, 3]
    """
    firsts: list[int | None] = []
    place = 0
    for start, end in words:
        while place < len(offsets) and (
            offsets[place][1] <= start or offsets[place][0] == offsets[place][1]
        ):
            place += 1
        fits = place < len(offsets) and offsets[place][0] < end
        firsts.append(place if fits else None)
    return firsts


def without_space(text: str, offsets: tuple[int, int]) -> tuple[int, int]:
    """Borders of a piece of a text without the space before it, unless it is only spaces.

    Examples
    --------
    >>> without_space("a film", (1, 6)), without_space("a  b", (1, 3))
    ((2, 6), (1, 3))
    """
    start, end = offsets
    shown = text[start:end]
    blank = len(shown) - len(shown.lstrip())
    return start + (blank if blank < len(shown) else 0), end


def own_places(
    tokenized: Any, texts: Sequence[str]
) -> tuple[list[int], list[tuple[int, int, int]]]:
    """Tokens of an encoding that stand in its texts, and the place of each: text, start, end."""
    kept = [i for i, text in enumerate(tokenized.sequence_ids) if text is not None]
    pairs = [(tokenized.sequence_ids[i], tokenized.offsets[i]) for i in kept]
    return kept, [(text, *without_space(texts[text], offsets)) for text, offsets in pairs]


_PROBES: Final = ("a", "of", "the")


class SentencePieces(NamedTuple):
    """Token ids of one sentence, including special ones, and the word of each token."""

    ids: TokenIds
    words: tuple[int | None, ...]


class WordCutter:
    """Tokenizes words one by one, and adds the special tokens of a text.

    Parameters
    ----------
    tokenizer
        A fast tokenizer of transformers.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        one = tokenizer(_PROBES[0], truncation=False, padding=False).encodings[0]
        inner = [i for i, special in enumerate(one.special_tokens_mask) if not special]
        self._head, self._tail = one.ids[: inner[0]], one.ids[inner[-1] + 1 :]
        self._space = " " if self._needs_space() else ""

    def cut(self, sentences: Sequence[Words]) -> list[SentencePieces | Failure]:
        """Tokens of each sentence; a blank word has none.

        A word with a lone surrogate is no text: its sentence is a failure (``model_error``).
        """
        distinct = dict.fromkeys(chain.from_iterable(map(self._forms, sentences)))
        # Ids of each text; those that cannot be tokenized are left out.
        known: dict[str, TokenIds] = {}
        to_cut = []
        for text in distinct:
            if not text.strip():
                known[text] = ()
            elif is_storable(text):
                to_cut.append(text)
        known.update(zip(to_cut, map(tuple, self._encode(to_cut)), strict=True))
        return [self._pieces(sentence, known) for sentence in sentences]

    def _forms(self, sentence: Words) -> Iterable[str]:
        """Words in the form in which they are tokenized."""
        if not self._space:
            return sentence
        return (*sentence[:1], *(self._space + word for word in sentence[1:]))

    def _pieces(self, sentence: Words, known: dict[str, TokenIds]) -> SentencePieces | Failure:
        """One sentence put together."""
        ids: list[int] = [*self._head]
        words: list[int | None] = [None] * len(self._head)
        for i, form in enumerate(self._forms(sentence)):
            found = known.get(form)
            if found is None:
                return Failure("model_error", f"the word {form!r} has half a character in it")
            ids += found
            words += [i] * len(found)
        return SentencePieces((*ids, *self._tail), (*words, *[None] * len(self._tail)))

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids without special tokens."""
        if not texts:
            return []
        found = self._tokenizer(
            list(texts),
            add_special_tokens=False,
            truncation=False,
            padding=False,
            verbose=False,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        return list(found["input_ids"])

    def _needs_space(self) -> bool:
        """Whether a word inside a text is tokenized like the word after a space."""
        for word in _PROBES:
            both, plain, spaced = self._encode([f"{word} {word}", word, f" {word}"])
            if both == plain + plain:
                return False
            if both == plain + spaced:
                return True
        return False


#: Longest answer in tokens, as in the published scripts for SQuAD.
LONGEST: Final = 30


class AnswerStretch(NamedTuple):
    """Stretch of a text in code points, end excluded, and its score."""

    score: float
    start: int
    end: int


def likeliest(
    starts: NDArray[np.floating], ends: NDArray[np.floating], places: Sequence[tuple[int, int]]
) -> AnswerStretch | None:
    """Stretch of at most `LONGEST` tokens whose two scores sum to the most; None in an empty text.

    Parameters
    ----------
    starts, ends
        Score of each token ``(token,)``.
    places
        Borders of each token in the text, empty for those that are not of it.

    Examples
    --------
    >>> scores = np.array([9.0, 2, 1, 0]), np.array([9.0, 0, 1, 2])
    >>> likeliest(*scores, [(0, 0), (0, 3), (4, 6), (7, 9)])
    AnswerStretch(score=4.0, start=0, end=9)
    """
    own = [i for i, (start, end) in enumerate(places) if start < end]
    if not own:
        return None
    n = len(own)
    sums = starts[own][:, None] + ends[own][None, :]  # (start, end)
    fits = np.triu(np.tril(np.ones((n, n), dtype=bool), LONGEST - 1))
    first, last = divmod(int(np.where(fits, sums, -np.inf).argmax()), n)
    return AnswerStretch(float(sums[first, last]), places[own[first]][0], places[own[last]][1])


def places_in_second(tokenized: Any) -> list[list[tuple[int, int]]]:
    """Borders of the tokens of each second text; empty ones for all other tokens."""
    return [
        [
            place if of == 1 else (0, 0)
            for place, of in zip(places, tokenized.sequence_ids(i), strict=True)
        ]
        for i, places in enumerate(tokenized["offset_mapping"])
    ]


def extract_of(example: Example, found: AnswerStretch | None) -> Extract:
    """Words of a stretch of an example's last field; no words for none."""
    if found is None:
        return Extract("")
    field = [*example.fields][-1]
    return Extract(example.fields[field][found.start : found.end], field, found.start)
