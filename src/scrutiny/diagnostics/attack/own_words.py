"""Replacement words from the victim's own vocabulary, within the similarity of an attack."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from scrutiny.core.queries.gradients import InputEmbeddings
from scrutiny.perturb.search import Place, Problem
from scrutiny.perturb.search.methods.importance import loss_gradients


class ItemPieces(NamedTuple):
    """Start and end of each token of an item, and its row in the vocabulary."""

    rows: dict[tuple[str, int], tuple[int, int]]

    @classmethod
    def of(cls, problem: Problem) -> "ItemPieces":
        """Tokens of an item by the victim's tokenizer, as in its gradients."""
        (found,) = loss_gradients(problem, [problem.base.state])
        if found is None:
            return cls({})
        pairs = zip(found.pieces, found.ids, strict=True)
        return cls({(p.field, p.start): (p.end, row) for p, row in pairs})

    def row_at(self, place: Place) -> int | None:
        """Row of the only token of a word; `None` if it has several."""
        end, row = self.rows.get((place.field, place.low), (-1, -1))
        return row if end == place.high else None


class _Vocabulary(NamedTuple):
    """Whole words of a victim, with all its vectors scaled to length 1 (zeros stay zero)."""

    given: InputEmbeddings
    words: tuple[str, ...]
    rows: np.ndarray[Any, Any]  # (word,)
    unit: np.ndarray[Any, Any]  # (vocabulary, dimension)


@dataclass(slots=True)
class OwnWords:
    """Similar words in a victim's own input space; its vectors are read once.

    Examples
    --------
    >>> import numpy as np
    >>> matrix = np.array([[1.0, 0.0], [2.0, 0.1], [-1.0, 0.0]])
    >>> given = InputEmbeddings(matrix, ("good", "fine", "bad"), np.ones(3, dtype=bool))
    >>> OwnWords().near(given, 0, 0.8), OwnWords().near(given, 0, None)
    (['fine'], ['fine', 'bad'])
    """

    _vocabulary: _Vocabulary | None = field(default=None, repr=False)

    def near(self, given: InputEmbeddings, row: int, least: float | None) -> Sequence[str]:
        """Words with a sufficient cosine to a row's word, or all others."""
        if self._vocabulary is None or self._vocabulary.given is not given:
            self._vocabulary = _vocabulary_of(given)
        known = self._vocabulary
        fits = known.rows != row
        if least is not None:
            fits &= (known.unit @ known.unit[row])[known.rows] >= least
        return [known.words[i] for i in np.flatnonzero(fits).tolist()]


def _vocabulary_of(given: InputEmbeddings) -> _Vocabulary:
    """Entries that are whole words, and all vectors scaled to length 1."""
    rows = given.whole_words()
    lengths = np.linalg.norm(given.matrix, axis=1)[:, None]
    unit = np.divide(given.matrix, lengths, out=np.zeros_like(given.matrix), where=lengths > 0)
    return _Vocabulary(given, tuple(given.vocabulary[i] for i in rows), np.array(rows), unit)
