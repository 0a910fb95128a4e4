"""Words that a tokenizer's vocabulary can spell, and how they are composed."""

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from scrutiny.text.letters import Script

_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_MARKS: Final = ("Ġ", "▁")


def whole_words(tokenizer: Any) -> list[str | None]:
    """Word that each token of a resource's vocabulary spells by itself, or `None` for parts.

    WordPiece marks parts by ``##``; byte-level and SentencePiece vocabularies mark the beginning
    of a word by ``Ġ`` or ``▁``, and whatever lacks it is a part.
    """
    pieces = pieces_of(tokenizer, "latin")
    return [
        text if start and (len(text) > 1 or text in "aIi") else None
        for text, start in zip(pieces.texts, pieces.is_start.tolist(), strict=True)
    ]


class Spelling(NamedTuple):
    """A spelling of a word: the tokens and the sum of their log-probabilities."""

    ids: tuple[int, ...]
    log_probability: float


class WordPieces(NamedTuple):
    """The tokens of a vocabulary that can be part of a word.

    Parameters
    ----------
    texts
        What each piece adds to a word; empty for those that are no part of one.
    is_start, is_rest
        Shape ``(piece,)``: whether it begins a word, and whether it goes on with one.
    """

    texts: Sequence[str]
    is_start: npt.NDArray[np.bool_]
    is_rest: npt.NDArray[np.bool_]

    def best_spellings(
        self, log_probabilities: npt.NDArray[np.floating[Any]], *, top: int
    ) -> list[Spelling]:
        """Likeliest words that the vocabulary spells in so many tokens, without trying them all.

        Since log-probabilities add up, the best combinations of n pieces begin with some of the
        best of n - 1: keeping ``top`` of them at each place is exact, and takes ``top`` squared
        steps for each piece instead of ``top`` to their number.

        Parameters
        ----------
        log_probabilities
            Shape ``(place, piece)``; each place proposes its ``top`` likeliest pieces: the first
            those that begin a word, the others those that go on with one.
        top
            How many are proposed at each place, and how many combinations come back. Equal ones
            stand in the order of their ids.

        Examples
        --------
        >>> pieces = WordPieces(["a", "b", "c"], np.array([1, 1, 0]) > 0, np.array([0, 1, 1]) > 0)
        >>> scores = np.log([[0.6, 0.3, 0.1], [0.2, 0.3, 0.5]])
        >>> ["".join(pieces.texts[i] for i in s.ids) for s in pieces.best_spellings(scores, top=2)]
        ['ac', 'ab']
        """
        found = [Spelling((), 0.0)]
        for place, row in enumerate(log_probabilities):
            usable = np.flatnonzero(self.is_rest if place else self.is_start)
            order = np.argsort(-row[usable], kind="stable")[:top]
            options = [(int(i), float(row[i])) for i in usable[order]]
            longer = [
                Spelling((*s.ids, piece), s.log_probability + score)
                for s in found
                for piece, score in options
            ]
            found = sorted(longer, key=lambda s: (-s.log_probability, s.ids))[:top]
        return found


def pieces_of(tokenizer: Any, script: Script) -> WordPieces:
    """Tokens of a resource's vocabulary that spell words of a script, in the order of ids."""
    written: list[str] = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    special = set(tokenizer.all_special_tokens)
    marks = [mark for mark in _MARKS if any((p or "").startswith(mark) for p in written)]
    texts, starts, rests = [], [], []
    for piece in (p or "" for p in written):
        is_marked = piece[:1] in marks if piece else False
        text = piece[1:] if is_marked else piece.removeprefix("##")
        is_rest = not is_marked if marks else piece.startswith("##")
        usable = piece not in special and _spells(text, script)
        texts.append(text if usable else "")
        if script == "han":  # no script marks where its words begin
            starts.append(usable and not piece.startswith("##"))
            rests.append(starts[-1])
        else:
            starts.append(usable and not is_rest)
            rests.append(usable and is_rest)
    return WordPieces(texts, np.array(starts, dtype=np.bool_), np.array(rests, dtype=np.bool_))


def _spells(text: str, script: Script) -> bool:
    if script == "han":
        return len(text) == 1 and _HAN.fullmatch(text) is not None
    return text.isascii() and text.isalpha()
