"""Two models on their common items: score and answer of each, and flips beyond the noise of one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.answers.answer import AnswerType
from scrutiny.core.answers.label_and_spans import LABEL
from scrutiny.core.arrays import Floats
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.example import Example
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.models.answers.compared_answers import LabelPair
from scrutiny.reliability.estimate import estimate
from scrutiny.reliability.joining import matched
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import Panel, Side
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.exact_tests import ExactTest, mcnemar_by_replicate

Replicates = Sequence[tuple[int, int]]
#: Labels (choices) that both sides have for each item, or the code of why there are none.
ItemLabels = tuple[LabelPair, ...] | str
#: Dataset and the identity of an item in it.
Key = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers of one model to the common items.

    Parameters
    ----------
    given
        ``(replicate, item)`` stored answers; None where there is none.
    scores
        ``(replicate, item, label)`` probabilities, 0 behind those of items with fewer choices;
        nothing where some are missing.
    kind
        Type of the answers.
    """

    given: NDArray[np.object_]
    scores: Floats | None
    kind: AnswerType[Any] = LABEL

    def commonest(self) -> list[Any]:
        """Answer that most replicates give to each item."""
        each: list[list[Any]] = self.given.T.tolist()
        if len(self.given) == 1:
            return [answer for (answer,) in each]
        return [Counter(own).most_common(1)[0][0] if own else None for own in each]


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """One score of two models, on their common items.

    Parameters
    ----------
    first, second
        ``(replicate, item)`` values of either model.
    names
        Replicates of each, in order.
    units
        What is drawn together.
    examples
        The items, as the first one's run has them.
    metric
        Versioned name of the statistic.
    is_paired
        Whether replicate k of one belongs to replicate k of the other.
    resampling, seed
        Of the first one's run.
    sign
        1 where more is better, -1 where less is.
    answers
        Of both; nothing where one has none.
    labels
        Labels or choices of each item, in the order of either side's probabilities; or the code of
        why its answers are no labels.
    parts
        Items of each dataset that was pooled.
    dataset
        Name by which items are drawn: of the same one, the same items.
    """

    first: Floats
    second: Floats
    names: tuple[tuple[str | None, ...], tuple[str | None, ...]]
    units: Units
    examples: tuple[Example, ...]
    metric: str
    is_paired: bool
    resampling: Resampling
    seed: int
    sign: int = 1
    answers: tuple[Answers, Answers] | None = None
    labels: ItemLabels = "no_labels"
    parts: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    dataset: str = "items"

    @property
    def is_hit(self) -> bool:
        """Whether items are right or wrong."""
        return self.metric == "accuracy@1"

    @property
    def is_share(self) -> bool:
        """Whether items may be partly right: scores from 0 to 1 that are not hits."""
        sides = (self.first, self.second)
        within = all(bool(((side >= 0) & (side <= 1)).all()) for side in sides)
        return not self.is_hit and within

    @property
    def change(self) -> Floats:
        """Change of each item ``(item,)``, second minus first, a mean over replicates."""
        return np.asarray(self.second.mean(axis=0) - self.first.mean(axis=0))

    def pairs(self) -> list[tuple[int, int]]:
        """Matched replicates."""
        return matched(*self.names)

    def part(self, rows: NDArray[np.int64]) -> "Sides":
        """Scores of the two sides on a subset of their items, without the items or answers."""
        codes = self.units.code[rows]
        return replace(
            self,
            first=self.first[:, rows],
            second=self.second[:, rows],
            units=Units.of(rows.size, codes, strata=self.units.stratum[codes]),
            examples=(),
            answers=None,
        )

    def estimate(
        self, metric: str, numbers: Mapping[str, Floats], *, is_drawn: bool = True
    ) -> Estimate | None:
        """Value of a metric with its interval over items and pairs of replicates.

        Parameters
        ----------
        metric
            Versioned name.
        numbers
            Measures ``(pair, item)`` by name.
        is_drawn
            Whether items are drawn for the interval; else the value alone is of use.

        Returns
        -------
        Estimate
            Nothing where a measure that the metric needs is not there.
        """
        statistic = metric_of(metric)
        if not set(statistic.needs) <= set(numbers):
            return None
        values = np.stack([numbers[name] for name in statistic.needs], axis=-1).astype(np.float64)
        code, units = np.zeros(values.shape[1], dtype=np.int64), self.units
        panel = Panel(
            measures=tuple(map(Measure, statistic.needs)),
            replicates=tuple(f"pair {k}" for k in range(1, len(values) + 1)),
            items=tuple(one.id for one in self.examples),
            units=units.code if is_drawn else code,
            strata=units.stratum[units.code] if is_drawn else code,
        )
        return estimate(
            panel,
            {"": Side(values, np.zeros(values.shape[:2], dtype=np.int8))},
            statistic=statistic,
            key=EstimateKey("compare", metric, "second", self.dataset, reference="first"),
            resampling=self.resampling,
            seed=self.seed,
        ).estimate


#: Share of items that go from right to wrong, and from wrong to right.
_RATES: Final = ("broken_rate@1", "mended_rate@1")
_SAME: Final = 1e-9  # scores nearer than this are one score
How = Literal["replicates", "another run", "asked again", "exact", "unknown"]


@dataclass(frozen=True, slots=True)
class FlippedItems:
    """Items that are right in one run and wrong in the other; for scores, worse or better.

    Parameters
    ----------
    broken, mended
        Share that goes from right to wrong (the negative flip rate), and back; of scores the share
        that is worse, and better.
    tests
        McNemar's test of each pair of replicates, never of rows pooled over them.
    n_pairs
        Pairs of replicates held against each other.
    answers_differ
        Share of items with another answer, right or wrong; nothing where answers are not kept.
    is_graded
        Whether items are partly right: scores from 0 to 1, F1 of tagged sentences.
    """

    broken: Estimate
    mended: Estimate
    tests: tuple[ExactTest, ...]
    n_pairs: int
    answers_differ: float | None
    is_graded: bool = False

    @property
    def share(self) -> float:
        """Share of items that flip either way."""
        return (self.broken.value or 0.0) + (self.mended.value or 0.0)


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise floor: the first model compared with itself.

    Parameters
    ----------
    how
        By replicates of the first run, another run of it, asking again, an adapter's promise of
        exact answers; or it is not known.
    share
        Share of items that flip; nothing where it is not known.
    n_items, n_pairs
        What it rests on.
    """

    how: How
    share: float | None = None
    n_items: int = 0
    n_pairs: int = 0


UNKNOWN: Final = Noise("unknown")


def flips_of(sides: Sides) -> FlippedItems:
    """Flips between matched replicates."""
    pairs = sides.pairs()
    before = sides.first[[i for i, _ in pairs]]
    after = sides.second[[k for _, k in pairs]]
    if not sides.is_hit:  # right before and wrong after is what got worse, and the other way round
        gain = sides.sign * (after - before)
        before, after = (gain < _SAME).astype(np.float64), (gain > -_SAME).astype(np.float64)
    numbers = {"before.hit": before, "after.hit": after}
    broken, mended = (sides.estimate(rate, numbers) for rate in _RATES)
    assert broken is not None  # all that it needs is there
    assert mended is not None
    return FlippedItems(
        broken=broken,
        mended=mended,
        tests=mcnemar_by_replicate(before, after),
        n_pairs=len(pairs),
        answers_differ=answers_differ(sides.answers, pairs=pairs),
        is_graded=not sides.is_hit,
    )


def answers_differ(both: tuple[Answers, Answers] | None, *, pairs: Replicates) -> float | None:
    """Flips of any answer between two sides: share of items, a mean over pairs of replicates.

    Nothing where a run kept no answer to some item.
    """
    if both is None or any((found.given == None).any() for found in both):  # noqa: E711
        return None
    first, second = (found.given for found in both)
    return float(np.mean([(first[i] != second[k]).mean() for i, k in pairs]))


def noise_of_replicates(sides: Sides) -> Noise:
    """Flips between the replicates of the first run; unknown for a single one."""
    return _between(sides.first, sides.first, list(combinations(range(len(sides.first)), 2)))


def noise_of_rerun(sides: Sides, how: How = "another run") -> Noise:
    """Noise floor of flips, side by side: a run of the first model beside another one of it."""
    return replace(_between(sides.first, sides.second, sides.pairs()), how=how)


def _between(first: Floats, second: Floats, pairs: Replicates) -> Noise:
    """Share of items on which two replicates differ, a mean over pairs."""
    if not pairs:
        return UNKNOWN
    share = float(np.mean([(np.abs(first[i] - second[k]) > _SAME).mean() for i, k in pairs]))
    return Noise("replicates", share, n_items=first.shape[1], n_pairs=len(pairs))
