"""Logistic regression over words, fitted to other rows with each seed.

The fit has one optimum, so that a seed which decided the start would decide nothing: here it draws
the rows, and the spread over seeds is that of the training sample.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, Literal, get_args

from scrutiny.core.errors import DataError, MissingExtraError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.randomness import generator
from scrutiny.models.linear_classifier import (
    BITS,
    LinearClassifier,
    LinearParts,
    features_of,
    write_linear,
)
from scrutiny.training.finetuning.parts import Parts
from scrutiny.training.finetuning.recipe import Recipe as Rows
from scrutiny.training.words.family import Trained

VERSION: Final = "linear-classifier@1"
Draw = Literal["bootstrap", "subsample"]
DRAWS: Final[tuple[Draw, ...]] = get_args(Draw)


@dataclass(frozen=True, slots=True)
class LinearRecipe:
    """Every choice of a logistic regression but its data and its seed.

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
        Texts of the training part that a feature must stand in.
    limit, dev_share
        As in fine-tuning.
    """

    draw: Draw = "bootstrap"
    share: float = 0.8
    strength: float = 1.0
    has_pairs: bool = False
    least: int = 2
    limit: int | None = None
    dev_share: float = 0.1

    def __post_init__(self) -> None:
        if self.draw not in DRAWS:
            raise PlanError(f"draw is one of {', '.join(DRAWS)}, not {self.draw!r}.")
        if not 0 < self.share < 1:
            raise PlanError(f"share must lie between 0 and 1, not {self.share}.")
        if not 0 < self.strength < float("inf"):
            raise PlanError(f"strength must be above 0, not {self.strength}.")
        if self.least < 1:
            raise PlanError(f"least must be at least 1, not {self.least}.")
        self.rows()  # checks the rest

    @property
    def version(self) -> str:
        """Name of the procedure."""
        return VERSION

    @property
    def packages(self) -> tuple[str, ...]:
        """What weights depend on."""
        return ("numpy", "scikit-learn")

    def plain(self) -> dict[str, Any]:
        """Plain JSON of all choices."""
        return asdict(self)

    def rows(self) -> Rows:
        """Which rows are taken."""
        return Rows(limit=self.limit, dev_share=self.dev_share)

    def fit(self, parts: Parts, *, seed: int) -> Trained:
        """Weights for the rows that the seed draws, rounded to multiples of 2^-16.

        Raises
        ------
        DataError
            If no feature, or one label only, is left.
        MissingExtraError
            If scikit-learn is not installed.
        """
        made = _fitted(self, parts, seed=seed)
        score = _accuracy(LinearClassifier(made, "the classifier"), parts.dev)
        record = {"words": len(made.features), "dev_score": score}
        return Trained(partial(write_linear, made), record)


def drawn_rows(recipe: LinearRecipe, count: int, *, seed: int) -> list[int]:
    """Rows of so many that a seed is trained on, in file order."""
    rng = generator(seed, "rows", name=VERSION, item=recipe.draw)
    if recipe.draw == "bootstrap":
        chosen = rng.integers(count, size=count)
    else:
        chosen = rng.permutation(count)[: max(1, round(recipe.share * count))]
    return sorted(chosen.tolist())


def _fitted(recipe: LinearRecipe, parts: Parts, *, seed: int) -> LinearParts:
    """Logistic regression on the rows of a seed."""
    try:
        from scipy.sparse import csr_matrix
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtraError("Training a linear classifier", "clusters") from error
    import numpy as np

    texts = [features_of(e.text, has_pairs=recipe.has_pairs) for e in parts.train]
    features = _features(texts, recipe.least)
    chosen = drawn_rows(recipe, len(texts), seed=seed)
    golds = np.array([parts.labels.index(str(parts.train[i].gold)) for i in chosen])
    if not features or len(set(golds.tolist())) < len(parts.labels):
        raise DataError(
            f"{parts.sources[0]}: the rows of seed {seed} hold no word that stands in "
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


def _features(texts: Sequence[Sequence[str]], least: int) -> tuple[str, ...]:
    """Features that stand in so many texts, the commonest first, then by their letters."""
    counts = Counter(feature for features in texts for feature in set(features))
    kept = [feature for feature, count in counts.items() if count >= least]
    return tuple(sorted(kept, key=lambda feature: (-counts[feature], feature)))


def _accuracy(model: LinearClassifier, examples: Sequence[Example]) -> float | None:
    """Share of the examples whose likeliest label is the gold one."""
    if not examples:
        return None
    answers = [answer.scores or () for answer in model.predict(examples)]
    found = [model.labels[scores.index(max(scores))] for scores in answers]
    return sum(f == str(e.gold) for f, e in zip(found, examples, strict=True)) / len(examples)
