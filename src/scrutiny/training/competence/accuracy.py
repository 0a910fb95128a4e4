"""Masked accuracy: a fixed share of each held-out row hidden at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrutiny.training.competence.masked import MaskedModel
from scrutiny.training.competence.passages import PassageRows, is_open, passages_of
from scrutiny.training.competence.settings import CompetenceSettings
from scrutiny.training.competence.shares import by_source, named
from scrutiny.training.pretraining.corpus import Corpus
from scrutiny.training.pretraining.vocabulary import MASK


def masked_accuracy(
    model: MaskedModel, sources: dict[str, Corpus], how: CompetenceSettings, *, commonest: int
) -> dict[str, Any]:
    """Share of hidden pieces told, beside that of always saying the commonest piece.

    Parameters
    ----------
    model
        Whose answers are judged.
    sources
        Held-out text by name.
    how
        Length of rows, and the share that is hidden.
    commonest
        Piece that the training text has most of.
    """
    rows, simple = {}, {}
    for number, (name, corpus) in enumerate(sources.items()):
        passages = passages_of(corpus, how.length)
        hidden, places, answers = _hide(passages, how, (how.seed, number))
        _, hits = model.log_probabilities(hidden, places, answers)
        owner = named(name, passages.document[places // how.length])
        rows[name] = (hits, owner)
        simple[name] = (answers == commonest, owner)
    unigram = {k: v for k, v in by_source(simple).items() if k != "by_source"}
    return by_source(rows) | {"unigram": unigram}


def _hide(
    passages: PassageRows, how: CompetenceSettings, key: tuple[int, ...]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Rows with pieces hidden, their flat places, and what stood there."""
    draw = np.random.default_rng(key)
    asked = is_open(passages.pieces)
    rank = np.where(asked, draw.random(passages.pieces.shape), 2.0).argsort(axis=1)
    count = np.maximum(1, np.round(how.masked_share * asked.sum(axis=1)).astype(np.int64))
    chosen = np.zeros_like(asked)
    for row, n in enumerate(count):
        chosen[row, rank[row, :n]] = True
    chosen &= asked
    hidden = np.where(chosen, MASK, passages.pieces)
    return hidden, np.flatnonzero(chosen), passages.pieces[chosen]
