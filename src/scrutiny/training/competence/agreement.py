"""Minimal pairs on number agreement, written for this project."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.training.competence.masked import MaskedModel
from scrutiny.training.pretraining.vocabulary import CLS, SEP, UNK

#: In ``scrutiny.data.samples``; made by ``tools/zoo/agreement_pairs.py``.
SAMPLE: Final = "agreement_pairs.jsonl"


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """Two sentences that differ in one word.

    Parameters
    ----------
    id, construction, frame, number
        Name; kind of agreement; template, which is the cluster; number of the noun agreed with.
    good, bad
        The sentences.
    """

    id: str
    construction: str
    frame: str
    number: str
    good: str
    bad: str


def read_pairs() -> list[MinimalPair]:
    """The pairs that ship with the package.

    Examples
    --------
    >>> pair = read_pairs()[0]
    >>> pair.good, pair.bad
    ('The girl is very old.', 'The girl are very old.')
    """
    text = files("scrutiny.data.samples").joinpath(SAMPLE).read_text(encoding="utf-8")
    return [MinimalPair(**json.loads(line)) for line in text.splitlines()]


def pseudo_log_likelihoods(model: MaskedModel, sentences: Sequence[str]) -> NDArray[np.float64]:
    """Sum (sentence,) of the log probabilities of all pieces, each hidden in turn.

    Unknown pieces are not asked for.

    **References**: Salazar et al. (2020), Masked language model scoring.
    """
    encoded = model.tokenizer.encode_batch(list(sentences), add_special_tokens=False)
    rows = [np.array([CLS, *e.ids, SEP], dtype=np.int64) for e in encoded]
    found = np.zeros(len(rows))
    for length in sorted({len(row) for row in rows}):
        own = [i for i, row in enumerate(rows) if len(row) == length]
        part = np.stack([rows[i] for i in own])
        is_open = (part != CLS) & (part != SEP) & (part != UNK)
        logs, owner = model.one_at_a_time(part, is_open)
        found[own] = np.bincount(owner, weights=logs, minlength=len(own))
    return found


def preferences(model: MaskedModel, pairs: Sequence[MinimalPair]) -> NDArray[Any]:
    """(pair,) 1 where the good sentence is likelier, 0 where not, 0.5 where equally likely."""
    good = pseudo_log_likelihoods(model, [pair.good for pair in pairs])
    bad = pseudo_log_likelihoods(model, [pair.bad for pair in pairs])
    return (np.sign(good - bad) + 1) / 2
