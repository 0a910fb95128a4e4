"""Queries to a masked language model: rows of one length, and minimal pairs of agreement.

The head is computed at hidden places only; the pairs were written for this project.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoConfig, BertForPreTraining

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.core.errors import ModelError
from scrutiny.training.competence.passages import SegmentPairs
from scrutiny.training.pretraining.bert import PretrainingForward
from scrutiny.training.pretraining.corpus import CLS, MASK, SEP, UNK, load_vocabulary

_CELLS: Final = 16_384  # positions of one forward pass


class MaskedModel:
    """A `BertForPreTraining` of this vocabulary family, in float32.

    Parameters
    ----------
    folder
        Checkpoint.
    device
        "cpu", "cuda:0".

    Raises
    ------
    ModelError
        If it is no BERT.
    """

    def __init__(self, folder: Path, *, device: str = "cpu") -> None:
        if AutoConfig.from_pretrained(folder, local_files_only=True).model_type != "bert":
            raise ModelError(f"{str(folder)!r} is no BERT; competence is measured for BERTs only.")
        network = BertForPreTraining.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        )
        self._device = device
        self.positions = int(network.config.max_position_embeddings)
        self._forward = PretrainingForward(network.to(device).eval(), is_bf16=False)
        self.tokenizer = load_vocabulary(folder)

    def log_probabilities(
        self, rows: Integers, places: Integers, answers: Integers
    ) -> tuple[Floats, Booleans]:
        """Log probability of each masked piece, and whether it was the most likely one.

        Parameters
        ----------
        rows
            (row, position) with pieces hidden already.
        places
            (hidden,) flat places ``row * length + position``, rising.
        answers
            (hidden,) pieces that were masked.
        """
        length = rows.shape[1]
        logs, hits = [], []
        for a, b in _spans(len(rows), max(1, _CELLS // length)):
            at = slice(*np.searchsorted(places, [a * length, b * length]))
            wanted = torch.from_numpy(answers[at]).to(self._device)
            with torch.inference_mode():
                part = torch.from_numpy(rows[a:b]).to(self._device)
                hidden = self._forward.hidden(part, torch.zeros_like(part))
                own = torch.from_numpy(places[at] - a * length).to(self._device)
                scores = torch.log_softmax(self._forward.scores(hidden, own), -1)
                logs.append(scores.gather(1, wanted[:, None])[:, 0].double().cpu().numpy())
                hits.append((scores.argmax(-1) == wanted).cpu().numpy())
        return np.concatenate(logs), np.concatenate(hits)

    def one_at_a_time(self, rows: Integers, is_open: Booleans) -> tuple[Floats, Integers]:
        """Log probability (hidden,) of every open piece when it alone is masked, and its row.

        Parameters
        ----------
        rows
            (row, position) whole.
        is_open
            (row, position) whether a piece is asked for.
        """
        owner, position = np.nonzero(is_open)
        length = rows.shape[1]
        logs = []
        step = max(1, _CELLS // length) * 8  # bounded memory, however many rows
        for a, b in _spans(len(owner), step):
            part = rows[owner[a:b]]
            line = np.arange(b - a)
            answers = part[line, position[a:b]]
            part[line, position[a:b]] = MASK
            logs.append(self.log_probabilities(part, line * length + position[a:b], answers)[0])
        return np.concatenate(logs), owner

    def says_next(self, pairs: SegmentPairs) -> Integers:
        """Prediction (row,): 0 if the second segment follows the first, else 1."""
        found = []
        for a, b in _spans(len(pairs.pieces), max(1, _CELLS // pairs.pieces.shape[1])):
            with torch.inference_mode():
                parts: list[Any] = [
                    torch.from_numpy(x[a:b]).to(self._device)
                    for x in (pairs.pieces, pairs.segments)
                ]
                scores = self._forward.next_scores(self._forward.hidden(*parts))
                found.append(scores.argmax(-1).cpu().numpy())
        return np.concatenate(found)


def _spans(n: int, step: int) -> Iterator[tuple[int, int]]:
    return ((a, min(a + step, n)) for a in range(0, n, step))


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
    """Minimal pairs that ship with the package.

    Examples
    --------
    >>> pair = read_pairs()[0]
    >>> pair.good, pair.bad
    ('The girl is very old.', 'The girl are very old.')
    """
    text = files("scrutiny.data.samples").joinpath(SAMPLE).read_text(encoding="utf-8")
    return [MinimalPair(**json.loads(line)) for line in text.splitlines()]


def pseudo_log_likelihoods(model: MaskedModel, sentences: Sequence[str]) -> NDArray[np.float64]:
    """Sum (sentence,) of the log probabilities of all pieces, each masked in turn.

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
    """Preference (pair,): 1 if the good sentence is more likely, 0 if not, 0.5 for ties."""
    good = pseudo_log_likelihoods(model, [pair.good for pair in pairs])
    bad = pseudo_log_likelihoods(model, [pair.bad for pair in pairs])
    return (np.sign(good - bad) + 1) / 2
