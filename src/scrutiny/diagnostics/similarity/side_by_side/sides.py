"""Two models on their common items: score and answer of each, for each replicate."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.answers.answer import AnswerType, type_of
from scrutiny.core.answers.label import LABEL
from scrutiny.core.answers.stored import answer_of
from scrutiny.core.arrays import Floats
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.example import Example
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.models.answers.label_pair import Labels
from scrutiny.reliability.derive import matched
from scrutiny.reliability.estimate import estimate
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import Panel, Side
from scrutiny.stats.resampling.weights import Units

Replicates = Sequence[tuple[int, int]]
#: Labels (choices) that both sides have for each item, or the code of why there are none.
ItemLabels = tuple[Labels, ...] | str
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

    @classmethod
    def of_rows(
        cls,
        rows: Sequence[Mapping[str, Any]],
        wanted: Collection[Key],
        *,
        items: Sequence[Key],
        replicates: Sequence[str | None],
    ) -> "Answers":
        """Answers of a model in order.

        Parameters
        ----------
        rows
            What it said.
        wanted
            Datasets, each with a condition that answers are meant of.
        items, replicates
            In order.
        """
        place = {
            (name, *item): (row, column)
            for row, name in enumerate(replicates)
            for column, item in enumerate(items)
        }
        given = np.full((len(replicates), len(items)), None, dtype=object)
        scores: dict[tuple[int, int], Sequence[float]] = {}
        kinds: set[AnswerType[Any]] = set()
        known: dict[str, Any] = {}
        for row in rows:
            at = place.get((row["replicate"], row["dataset"], row["item"]))
            if at is None or (row["dataset"], row["condition"]) not in wanted:
                continue
            if row["answer"] is not None:
                given[at] = known.setdefault(row["answer"], answer_of(row["answer"]))
                kinds.add(type_of(given[at]))
            if row["scores"] is not None:
                scores[at] = row["scores"]
        dense = None
        if len(scores) == given.size > 0:  # 0 behind the probabilities of items with fewer choices
            dense = np.zeros((*given.shape, max(map(len, scores.values()))))
            for at, found in scores.items():
                dense[(*at, slice(len(found)))] = found
        return cls(given, dense, next((kind for kind in kinds if kind is not LABEL), LABEL))

    def commonest(self, place: int) -> Any:
        """Answer that most replicates give to an item."""
        given = self.given[:, place]
        return Counter(given.tolist()).most_common(1)[0][0] if given.size else None


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
        """The same two sides on a subset of their items, without answers."""
        codes = self.units.code[rows]
        return replace(
            self,
            first=self.first[:, rows],
            second=self.second[:, rows],
            units=Units.of(rows.size, codes, strata=self.units.stratum[codes]),
            examples=tuple(self.examples[k] for k in rows.tolist()),
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
