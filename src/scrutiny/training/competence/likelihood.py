"""Pseudo-perplexity, compared with n-gram perplexities on the same word pieces.

Means stand with their interval over clusters, whole and by source.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrutiny.stats.intervals.bootstrap import bootstrap
from scrutiny.stats.resampling.weights import Units
from scrutiny.training.competence.masked import MaskedModel
from scrutiny.training.competence.ngram import KneserNey, histories
from scrutiny.training.competence.passages import (
    CompetenceSettings,
    is_open,
    passages_of,
    pieces_document,
    spread,
)
from scrutiny.training.pretraining.corpus import Corpus

LEVEL: Final = 0.95


def share(values: ArrayLike, clusters: ArrayLike) -> dict[str, Any]:
    """Mean of values, with its interval over clusters.

    Parameters
    ----------
    values
        (row,) any numbers.
    clusters
        (row,) cluster of each row, the unit of resampling.
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
    return {
        "value": found.point,
        "low": found.low,
        "high": found.high,
        "level": LEVEL,
        "method": "percentile bootstrap over clusters",
        "n": len(table),
        "n_units": len(np.unique(units.code)),
    }


def by_source(rows: dict[str, tuple[NDArray[Any], NDArray[Any]]]) -> dict[str, Any]:
    """Means over all sources and of each, with intervals (values and clusters by name)."""
    values = np.concatenate([v for v, _ in rows.values()])
    clusters = np.concatenate([c for _, c in rows.values()])
    return share(values, clusters) | {"by_source": {k: share(*pair) for k, pair in rows.items()}}


def named(source: str, document: NDArray[Any]) -> NDArray[Any]:
    """Document ids made distinct between sources."""
    return np.array([f"{source}/{number}" for number in document])


_COMPARISON: Final = (
    "pseudo-perplexity sees the pieces on both sides, the 5-gram those before only (of the whole "
    "document): the comparison flatters the masked model, and is a lowest bar"
)


@dataclass(frozen=True, slots=True)
class Baselines:
    """N-gram models to compare with: 5-gram and unigram.

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
    """N-gram baselines (5-gram and unigram) of a training text."""
    document = pieces_document(corpus)
    counts = np.bincount(corpus.pieces, minlength=vocabulary) + 1.0
    return Baselines(
        KneserNey.train(corpus.pieces, document, order=5, vocabulary=vocabulary),
        np.log(counts / counts.sum()),
    )


def likelihoods(
    model: MaskedModel, sources: dict[str, Corpus], baselines: Baselines, how: CompetenceSettings
) -> dict[str, Any]:
    """Pseudo-perplexity of a model, with n-gram perplexities on the same pieces."""
    own: dict[str, list[Any]] = {"masked": [], "fivegram": [], "unigram": [], "document": []}
    by_source = {}
    for name, corpus in sources.items():
        passages = spread(passages_of(corpus, how.length), how.passages)
        asked = is_open(passages.pieces)
        logs, owner = model.one_at_a_time(passages.pieces, asked)
        answers = passages.pieces[asked]
        before = histories(
            corpus.pieces, pieces_document(corpus), width=4, border=len(baselines.unigram)
        )
        at = (passages.begins[:, None] - 1 + np.arange(how.length))[asked]
        rows = {
            "masked": logs,
            "fivegram": baselines.fivegram.log_probabilities(before[at], answers),
            "unigram": baselines.unigram[answers],
            "document": named(name, passages.document[owner]),
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
    """Perplexity: exponential of minus the mean, with its interval."""
    found = share(logs, clusters)
    ends = {"value": "value", "low": "high", "high": "low"}
    return found | {key: float(np.exp(-found[source])) for key, source in ends.items()}
