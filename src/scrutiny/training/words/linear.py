"""Logistic regression over words, fitted to other rows with each seed.

The fit has one optimum, so that a seed of the initialization would have no effect: here it draws
the rows, and the spread over seeds is that of the training sample.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import ClassVar, Final, Literal, get_args

import numpy as np

from scrutiny.core.boundary.parameters import above_zero, at_least, one_of, shares
from scrutiny.core.errors import DataError
from scrutiny.core.randomness import generator
from scrutiny.models.strings.training_records import TRAINING_SAMPLE
from scrutiny.models.words.linear_classifier import BITS, LinearParts, LinearWordModel, features_of
from scrutiny.models.words.word_model import Vocabulary
from scrutiny.training.finetuning.training_data import DataParts
from scrutiny.training.words.word_recipe import OnStep, Trained, WordRecipe, unheard

VERSION: Final = "linear-classifier@1"
Draw = Literal["bootstrap", "subsample"]
DRAWS: Final[tuple[Draw, ...]] = get_args(Draw)
_TIMED: Final = 2000  # texts that are timed, to extrapolate to all


@dataclass(frozen=True, slots=True)
class LinearRecipe(WordRecipe):
    """Hyperparameters of a logistic regression; data and seed are not among them.

    Parameters
    ----------
    draw
        Rows of a seed: a ``bootstrap`` of all, or a ``subsample`` without replacement.
    share
        Of the rows, for a subsample.
    strength
        Inverse of the L2 penalty, scikit-learn's ``C``.
    has_pairs
        Whether neighbors count as features, too.
    least
        Least number of training texts that contain a feature.
    limit, dev_share
        As in fine-tuning.
    """

    version: ClassVar[str] = VERSION
    packages: ClassVar[tuple[str, ...]] = ("numpy", "scikit-learn")
    needs: ClassVar[tuple[str, ...]] = (
        *("Training a linear classifier", "clusters"),
        *("scipy.sparse", "sklearn.linear_model"),
    )
    replicates_of: ClassVar[str] = TRAINING_SAMPLE

    draw: Draw = "bootstrap"
    share: float = 0.8
    strength: float = 1.0
    has_pairs: bool = False
    least: int = 2
    limit: int | None = None
    dev_share: float = 0.1

    def __post_init__(self) -> None:
        one_of(self, draw=DRAWS)
        shares(self, "share", zero=False)
        above_zero(self, "strength")
        at_least(self, least=1)
        self.rows()  # checks the rest

    def fit(self, parts: DataParts, *, seed: int, on_step: OnStep = unheard) -> Trained:
        """Weights for the rows that the seed draws, rounded to multiples of 2^-16.

        Raises
        ------
        DataError
            If no feature, or one label only, is left.
        MissingExtraError
            If scikit-learn is not installed.
        """
        self.require()
        made = _fitted(self, parts, seed=seed)
        on_step()
        # share of the examples whose most likely label is the gold one
        model = LinearWordModel(made, "the classifier")
        if not parts.dev:
            score = None
        else:
            answers = [answer.scores or () for answer in model.predict(parts.dev)]
            found = [model.labels[scores.index(max(scores))] for scores in answers]
            score = sum(f == str(e.gold) for f, e in zip(found, parts.dev, strict=True)) / len(
                parts.dev
            )
        record = {"words": len(made.features), "dev_score": score}
        return Trained(made.write, record)

    def stand_in(self, parts: DataParts) -> tuple[Callable[[Path], None], float]:
        """Writer of a classifier of a few rows, and the seconds that all rows would take."""
        self.require()
        rng = generator(0, "timing", name=VERSION, item="texts")
        chosen = sorted(rng.permutation(len(parts.train))[:_TIMED].tolist())
        few = replace(parts, train=tuple(parts.train[i] for i in chosen))
        began = perf_counter()
        try:
            made = _fitted(self, few, seed=0)
        except DataError:  # a label or a word that is too rare for a sample
            few, began = parts, perf_counter()
            made = _fitted(self, few, seed=0)
        seconds = (perf_counter() - began) * len(parts.train) / len(few.train)
        return made.write, seconds


def drawn_rows(recipe: LinearRecipe, count: int, *, seed: int) -> list[int]:
    """Rows that the logistic regression of a seed is fitted to, in file order."""
    rng = generator(seed, "rows", name=VERSION, item=recipe.draw)
    if recipe.draw == "bootstrap":
        chosen = rng.integers(count, size=count)
    else:
        chosen = rng.permutation(count)[: max(1, round(recipe.share * count))]
    return sorted(chosen.tolist())


def _fitted(recipe: LinearRecipe, parts: DataParts, *, seed: int) -> LinearParts:
    """Logistic regression on the rows of a seed."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    texts = [features_of(e.text, has_pairs=recipe.has_pairs) for e in parts.train]
    features = Vocabulary.frequent(Counter(f for own in texts for f in set(own)), recipe.least)
    chosen = drawn_rows(recipe, len(texts), seed=seed)
    golds = np.array([parts.labels.index(str(parts.train[i].gold)) for i in chosen])
    if not features or len(set(golds.tolist())) < len(parts.labels):
        raise DataError(
            f"{parts.sources[0]}: the rows of seed {seed} hold no word that occurs in "
            f"{recipe.least} texts, or not all of the labels {', '.join(parts.labels)}."
        )
    column = {feature: i for i, feature in enumerate(features)}
    rows = [[column[f] for f in texts[i] if f in column] for i in chosen]
    borders = np.cumsum([0, *map(len, rows)])
    places = np.array([c for row in rows for c in row], dtype=np.int64)
    # equal places are summed: a word counts as often as it stands there
    counts = csr_matrix((np.ones(len(places)), places, borders), shape=(len(rows), len(features)))
    counts.sum_duplicates()
    model = LogisticRegression(C=recipe.strength, max_iter=2000, tol=1e-6)
    model.fit(counts, golds)
    slopes, bias = model.coef_, model.intercept_  # (label, feature), or (1, feature) for two
    if len(slopes) == 1:
        slopes, bias = np.concatenate([-slopes, slopes]) / 2, np.concatenate([-bias, bias]) / 2
    weights = np.rint(slopes.T * 2**BITS).astype(np.int64)  # (feature, label)
    offsets = np.rint(bias * 2**BITS).astype(np.int64)
    return LinearParts(features, parts.labels, weights, offsets, recipe.has_pairs)
