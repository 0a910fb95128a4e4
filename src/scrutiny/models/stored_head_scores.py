"""Models from published scores of heads: ``head-scores:FILE.npz#model=…,tuned=…,run=…``.

``model`` and ``tuned`` name an array of the file (see `scrutiny.store.head_scores`), ``run`` one of
its runs, from 1; each may be a capture: ``run={run}``. Nothing is asked of any network: scores are
turned back into the counts that they were computed from.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.queries.attention import CorpusCounts
from scrutiny.core.task import Task
from scrutiny.models.strings.adapters import Adapter, IdentifiedModel
from scrutiny.models.strings.model_families import match_names
from scrutiny.models.strings.model_strings import TRAINING, ModelSource
from scrutiny.store.files import hash_file
from scrutiny.store.head_scores import ScoreKey, read_scores, score_keys

_VERSION: Final = "head-scores@1"
_OPTIONS: Final = ("model", "tuned", "run")
#: More words to be found than any corpus of such scores has.
_MOST_GOLD: Final = 1_000_000
#: How far scores may lie from those of the counts.
_TOLERANCE: Final = 1e-12


class StoredHeadScores(IdentifiedModel):
    """A model for which only the scores of its heads on some corpora are known."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"head_counts"})

    def __init__(
        self, counts: Mapping[str, CorpusCounts], task: Task, source: ModelSource, *, identity: str
    ) -> None:
        super().__init__(source.text, task.name, identity)
        shapes = {found.tp.shape for found in counts.values()}
        if len(shapes) > 1:
            raise ModelError(f"{self.source}: its arrays differ in shape: {sorted(shapes)}.")
        layers, heads = shapes.pop()
        self.attention_shape = (int(layers), int(heads))
        self._counts = counts

    def head_counts(self, corpus: str) -> CorpusCounts:
        """Counts of every head on a corpus.

        Raises
        ------
        ModelError
            If the file has none.
        """
        if corpus not in self._counts:
            raise ModelError(
                f"{self.source} has no scores on {corpus!r}; there are {', '.join(self._counts)}."
            )
        return self._counts[corpus]


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Model of some published scores.

    Raises
    ------
    DataError
        If the file cannot be read.
    ModelError
        If it does not hold what is named, or its scores are not those of whole counts.
    """
    source.refuse_unknown_options((*_OPTIONS, TRAINING))
    path = Path(source.target).expanduser()
    tuned, model = _stated(source, "tuned"), _stated(source, "model")
    keys = [key for key in score_keys(path) if (key.tuned, key.model) == (tuned, model)]
    if not keys:
        raise ModelError(f"{source.text!r} is not there. {_there(path)}")
    counts = {key.corpus: _counts(source, path, key) for key in keys}
    what = canonical_json([tuned, model, source.options.get("run", "")])
    identity = digest(_VERSION, hash_file(path), what)
    return StoredHeadScores(counts, task, source, identity=identity)


def _matches(source: ModelSource) -> tuple[list[dict[str, str]], str]:
    """Values of the placeholders in the options of a pattern, and what its file contains.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    path = Path(source.target).expanduser()
    stated = [source.options[name] for name in _OPTIONS if name in source.options]
    found: dict[str, None] = {}
    for key in score_keys(path):
        scores = read_scores(path, key)
        place = f"{key.model}/{key.tuned}"
        runs = range(1, scores.shape[0] + 1) if scores.ndim == 4 else ()
        found |= dict.fromkeys([f"{place}/{run}" for run in runs] or [place])
    return match_names("/".join(stated), list(found)), _there(path)


def _there(path: Path) -> str:
    """Sentence that lists the contents of a file."""
    pairs = dict.fromkeys(f"model={key.model},tuned={key.tuned}" for key in score_keys(path))
    return f"{path} has {'; '.join(pairs)}."


def _stated(source: ModelSource, name: str) -> str:
    """Value of a required option."""
    if name not in source.options:
        raise ModelError(
            f"{source.text!r} does not say {name}=. {_there(Path(source.target).expanduser())}"
        )
    return source.options[name]


def _counts(source: ModelSource, path: Path, key: ScoreKey) -> CorpusCounts:
    """Counts of one run on one corpus."""
    scores, run = read_scores(path, key), source.options.get("run", "")
    if scores.ndim == 4:
        if not run.isdecimal() or not 1 <= int(run) <= scores.shape[0]:
            raise ModelError(
                f"{path}: {key.name} has {scores.shape[0]} runs: say run=1, or all of them with "
                f'run={{run}} and random = ["run"]; not run={run or "nothing"}.'
            )
        scores = scores[int(run) - 1]
    elif run:
        raise ModelError(f"{path}: {key.name} is of a single model, without run={run}.")
    try:
        return counts_behind(scores)
    except DataError as error:
        raise ModelError(f"{path}: {key.name}{f', run {run}' if run else ''}: {error}") from error


def counts_behind(scores: NDArray[np.float64]) -> CorpusCounts:
    """Counts behind the stored scores of heads ``(layer, head, 3)``: precision, recall and F1.

    Notes
    -----
    Recall is tp / gold and recall / precision is predicted / gold, so gold is a multiple of the
    denominator of every one of them; floats of 53 bits tell any two fractions with denominators
    below a million apart. The least common multiple over all heads is taken. With hundreds of heads
    that is the number of words itself (ConanDoyle-neg as published: 6,382; SFU Review: 18,481,
    18,472 or 18,893, as sentences failed). Were it a divisor of it, all counts would shrink alike,
    and no precision, recall, F1 or rank would move.

    A head that was never right has precision 0 however much it predicted; its ``predicted`` is
    unknown and stands as 0.

    Raises
    ------
    DataError
        If the scores are not those of whole counts, to 1e-12.
    """
    precision, recall, f1 = np.moveaxis(scores, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_gold = np.where(precision > 0, recall / precision, 0.0)  # predicted / gold
    gold, shares = 1, np.unique([recall, by_gold])
    while shares.size:
        gold = lcm(gold, Fraction(float(shares[0])).limit_denominator(_MOST_GOLD).denominator)
        if gold > _MOST_GOLD:
            raise DataError("its scores are no shares of one number of words.")
        rest = shares[1:] * gold
        # a share with another denominator is at least 1 / _MOST_GOLD off a whole count
        shares = shares[1:][np.abs(rest - np.rint(rest)) > 0.5 / _MOST_GOLD]
    tp, predicted = np.rint(recall * gold), np.rint(by_gold * gold)
    again = np.stack([tp / np.maximum(predicted, 1), tp / gold, 2 * tp / (predicted + gold)])
    if np.abs(again - [precision, recall, f1]).max() > _TOLERANCE:
        raise DataError("its precision, recall and F1 are not those of whole counts of words.")
    return CorpusCounts(tp.astype(np.int64), predicted.astype(np.int64), gold)


ADAPTER: Final = Adapter(load, matches=_matches)
