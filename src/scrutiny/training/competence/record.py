"""The competence record: what a checkpoint can do, every number with its n and its interval."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrutiny.stats.bootstrap import bootstrap
from scrutiny.stats.proportion import wilson
from scrutiny.stats.weights import Units
from scrutiny.training.competence.agreement import MinimalPair, preferences
from scrutiny.training.competence.masked import MaskedModel
from scrutiny.training.competence.ngram import KneserNey, histories
from scrutiny.training.competence.passages import (
    Passages,
    passages_of,
    pieces_document,
    segment_pairs,
    spread,
)
from scrutiny.training.pretraining.corpus import Corpus, encode
from scrutiny.training.pretraining.texts import TextFile
from scrutiny.training.pretraining.vocabulary import CLS, MASK, SEP, UNK

#: File beside the weights; `scrutiny.models.competence` reads it.
FILE: Final = "competence.json"
_LEVEL: Final = 0.95
_COMPARISON: Final = (
    "pseudo-perplexity sees the pieces on both sides, the 5-gram those before only (of the whole "
    "document): the comparison flatters the masked model, and is a lowest bar"
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is measured.

    Parameters
    ----------
    length
        Pieces of a held-out row; fewer for a model with fewer positions.
    masked_share
        Hidden at once for masked accuracy.
    passages
        Rows of each source for pseudo-perplexity, which asks once for each piece.
    segment_pairs
        Of each source.
    seed
        Of masks and segment pairs.
    """

    length: int = 64
    masked_share: float = 0.15
    passages: int = 150
    segment_pairs: int = 500
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Baselines:
    """What counting gives.

    Parameters
    ----------
    fivegram
        Trained on the training text of the family.
    unigram
        (piece,) log probabilities, one added to each count.
    """

    fivegram: KneserNey
    unigram: NDArray[np.float64]


def baselines_of(corpus: Corpus, vocabulary: int) -> Baselines:
    """5-gram and unigram of a training text."""
    document = pieces_document(corpus)
    counts = np.bincount(corpus.pieces, minlength=vocabulary) + 1.0
    return Baselines(
        KneserNey.train(corpus.pieces, document, order=5, vocabulary=vocabulary),
        np.log(counts / counts.sum()),
    )


def measure(
    folder: Path,
    held_out: Sequence[TextFile],
    baselines: Baselines,
    *,
    pairs: Sequence[MinimalPair],
    settings: Settings | None = None,
    device: str = "cpu",
) -> dict[str, Any]:
    """Competence record of a checkpoint.

    Parameters
    ----------
    folder
        Checkpoint.
    held_out
        Texts of which nothing was trained on, one for each source.
    baselines
        Of the training text, in the same pieces.
    pairs
        Minimal pairs.
    settings
        How much is measured.
    device
        "cpu", "cuda:0".

    **Measures**: what the checkpoint learned, against counting and chance.

    **Misleads when**: the held-out text is of another kind than what a diagnostic asks about; the
    gates are lowest bars, not marks of quality.
    """
    model = MaskedModel(folder, device=device)
    how = settings or Settings()
    how = replace(how, length=min(how.length, model.positions))
    sources = {file.name: encode([file], model.tokenizer) for file in held_out}
    likelihood = _likelihoods(model, sources, baselines, how)
    agreement = _agreement(model, pairs)
    follows = _next_sentence(model, sources, how)
    return {
        "format": 1,
        "gates": {
            "fivegram": likelihood["gain_over_fivegram"]["low"] > 0,
            "agreement": agreement["accuracy"]["low"] > 0.5,
            "next_sentence": min(follows["accuracy"]["low"], follows["wilson"]["low"]) > 0.5,
        },
        "masked_accuracy": _masked_accuracy(model, sources, how),
        "likelihood": likelihood,
        "next_sentence": follows,
        "agreement": agreement,
        "held_out": [{"name": file.name, "sha256": file.sha256} for file in held_out],
        "settings": asdict(how),
    }


def share(values: ArrayLike, clusters: ArrayLike) -> dict[str, Any]:
    """Mean of values with its interval over clusters.

    Parameters
    ----------
    values
        (row,) any numbers.
    clusters
        (row,) what is resampled.
    """
    table = np.column_stack([values, np.ones(len(np.asarray(values)))])
    units = Units.of(len(table), clusters)
    found = bootstrap(
        table,
        lambda sums, _weight: sums[..., 0, 0] / sums[..., 0, 1],
        rng=np.random.default_rng(0),
        draws=2000,
        units=units,
    )
    n_units = len(np.unique(units.code))
    return {
        "value": found.point,
        "low": found.low,
        "high": found.high,
        "level": _LEVEL,
        "method": "percentile bootstrap over clusters",
        "n": len(table),
        "n_units": n_units,
    }


def _masked_accuracy(
    model: MaskedModel, sources: dict[str, Corpus], how: Settings
) -> dict[str, Any]:
    """Share of hidden pieces told, a fixed share of each row hidden at once."""
    rows = {}
    for number, (name, corpus) in enumerate(sources.items()):
        passages = passages_of(corpus, how.length)
        hidden, places, answers = _hide(passages, how, (how.seed, number))
        _, hits = model.log_probabilities(hidden, places, answers)
        rows[name] = (hits, _named(name, passages.document[places // how.length]))
    return _by_source(rows)


def _hide(
    passages: Passages, how: Settings, key: tuple[int, ...]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Rows with pieces hidden, their flat places, and what stood there."""
    draw = np.random.default_rng(key)
    is_open = _is_open(passages.pieces)
    rank = np.where(is_open, draw.random(passages.pieces.shape), 2.0).argsort(axis=1)
    count = np.maximum(1, np.round(how.masked_share * is_open.sum(axis=1)).astype(np.int64))
    chosen = np.zeros_like(is_open)
    for row, n in enumerate(count):
        chosen[row, rank[row, :n]] = True
    chosen &= is_open
    hidden = np.where(chosen, MASK, passages.pieces)
    return hidden, np.flatnonzero(chosen), passages.pieces[chosen]


def _is_open(pieces: NDArray[Any]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (pieces != CLS) & (pieces != SEP) & (pieces != UNK)
    return found


def _likelihoods(
    model: MaskedModel, sources: dict[str, Corpus], baselines: Baselines, how: Settings
) -> dict[str, Any]:
    """Pseudo-perplexity beside the perplexities of counting, on the same pieces."""
    own: dict[str, list[Any]] = {"masked": [], "fivegram": [], "unigram": [], "document": []}
    by_source = {}
    for name, corpus in sources.items():
        passages = spread(passages_of(corpus, how.length), how.passages)
        is_open = _is_open(passages.pieces)
        logs, owner = model.one_at_a_time(passages.pieces, is_open)
        answers = passages.pieces[is_open]
        before = histories(
            corpus.pieces, pieces_document(corpus), width=4, border=len(baselines.unigram)
        )
        at = (passages.begins[:, None] - 1 + np.arange(how.length))[is_open]
        rows = {
            "masked": logs,
            "fivegram": baselines.fivegram.log_probabilities(before[at], answers),
            "unigram": baselines.unigram[answers],
            "document": _named(name, passages.document[owner]),
        }
        for key, values in rows.items():
            own[key].append(values)
        by_source[name] = _perplexities(rows)
    whole = {key: np.concatenate(values) for key, values in own.items()}
    return {
        **_perplexities(whole),
        "gain_over_fivegram": share(whole["masked"] - whole["fivegram"], whole["document"]),
        "gain_over_unigram": share(whole["masked"] - whole["unigram"], whole["document"]),
        "unit": "natural log probability a piece",
        "comparison": _COMPARISON,
        "by_source": by_source,
    }


def _perplexities(rows: dict[str, Any]) -> dict[str, Any]:
    names = {
        "masked": "pseudo_perplexity",
        "fivegram": "fivegram_perplexity",
        "unigram": "unigram_perplexity",
    }
    return {name: _perplexity(rows[key], rows["document"]) for key, name in names.items()}


def _perplexity(logs: NDArray[Any], clusters: NDArray[Any]) -> dict[str, Any]:
    """Exponential of minus the mean, with its interval turned round."""
    found = share(logs, clusters)
    ends = {"value": "value", "low": "high", "high": "low"}
    return found | {key: float(np.exp(-found[source])) for key, source in ends.items()}


def _next_sentence(model: MaskedModel, sources: dict[str, Corpus], how: Settings) -> dict[str, Any]:
    """Share of segment pairs told right; the wrong ones come from the same source."""
    rows = {}
    for number, (name, corpus) in enumerate(sources.items()):
        pairs = segment_pairs(
            corpus, length=how.length, n=how.segment_pairs, seed=how.seed + number
        )
        hits = model.says_next(pairs) == pairs.is_next
        rows[name] = (hits, _named(name, pairs.document))
    found = _by_source(rows)
    right = np.concatenate([hits for hits, _ in rows.values()])
    interval = wilson(int(right.sum()), len(right), level=_LEVEL)
    return {
        "accuracy": {k: v for k, v in found.items() if k != "by_source"},
        "wilson": {"low": interval.low, "high": interval.high, "level": _LEVEL, "n": len(right)},
        "by_source": found["by_source"],
        "chance": 0.5,
    }


def _agreement(model: MaskedModel, pairs: Sequence[MinimalPair]) -> dict[str, Any]:
    """Share of minimal pairs whose good sentence is likelier; frames are the clusters."""
    right = preferences(model, pairs)
    frames = np.array([pair.frame for pair in pairs])
    kinds = np.array([pair.construction for pair in pairs])
    numbers = np.array([pair.number for pair in pairs])
    return {
        "accuracy": share(right, frames),
        "by_construction": {
            str(kind): share(right[kinds == kind], frames[kinds == kind])
            for kind in dict.fromkeys(kinds.tolist())
        },
        "by_number": {
            str(number): share(right[numbers == number], frames[numbers == number])
            for number in dict.fromkeys(numbers.tolist())
        },
        "chance": 0.5,
    }


def _by_source(rows: dict[str, tuple[NDArray[Any], NDArray[Any]]]) -> dict[str, Any]:
    values = np.concatenate([v for v, _ in rows.values()])
    clusters = np.concatenate([c for _, c in rows.values()])
    return share(values, clusters) | {"by_source": {k: share(*pair) for k, pair in rows.items()}}


def _named(source: str, document: NDArray[Any]) -> NDArray[Any]:
    """Documents of several sources under names of their own."""
    return np.array([f"{source}/{number}" for number in document])
