"""Answers that an unchanged system would give, asked once more: per-item chances, new draws.

How often an item is right is a chance of its own. The chances of all items are a beta distribution
whose mean is the score, and whose spread is what the noise floor leaves: without noise each item is
always right or always wrong. Given what an item did, its further answers come from an urn (Pólya):
the same as to draw its chance from what is known of it, and answers with that chance. Replicates
may lie farther apart than that, as seeds do; few of them show little of how far, so that each pair
has its own distance, of those that fit what was seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite
from scrutiny.stats.resampling.seed_spread import SeedSpread

_NONE: Final = SeedSpread()
_SURE: Final = 1e9  # balls in the urn of chances that are all alike
_LARGEST: Final = 0.5  # share of items that flip between two runs of coins


@dataclass(frozen=True, slots=True, eq=False)
class UnchangedSystem:
    """A system from which pairs of runs are drawn that differ by chance alone.

    Parameters
    ----------
    right, wrong
        ``(item,)`` balls of each item's urn; where items are scored, nothing.
    spread
        How far the scores of replicates lie apart beyond what single answers make of it.
    level
        Mean score.
    scores
        ``(replicate, item)`` the scores that items got, where they are not right or wrong.
    noise
        Share of the items that change from one run to the next.
    swapped
        Share of the items that have the answers of another item in the second run, in all of its
        replicates: as versions differ that are equally good.
    """

    right: FloatArray
    wrong: FloatArray
    spread: SeedSpread
    level: float
    scores: FloatArray | None = None
    noise: float = 0.0
    swapped: float = 0.0

    @classmethod
    def of_hits(
        cls, hits: ArrayLike, *, noise: float, spread: SeedSpread = _NONE
    ) -> "UnchangedSystem":
        """System that was seen, and the share of its items that flip between two runs.

        Parameters
        ----------
        hits
            ``(replicate, item)`` of 0 and 1.
        noise
            From 0 to 0.5, the share of coins that disagree.
        spread
            See the class.

        **Measures**: nothing itself: it draws what a comparison would see of no change.

        **Misleads when**: items of a kind flip together; the noise is known of other items.

        **References**: Skellam (1948), A probability distribution derived from the binomial
        distribution by regarding the probability of success as variable; Eggenberger & Pólya
        (1923) for the urn.

        Examples
        --------
        >>> one = UnchangedSystem.of_hits([[1, 1, 1, 0]], noise=0.0)
        >>> (first, second), = one.pairs(np.random.default_rng(0), 1, (1, 2))
        >>> first[0].tolist(), second[0].tolist()
        ([[1.0, 1.0, 1.0, 0.0]], [[1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]])
        """
        seen = finite(hits, "hits", ndim=2)
        mean, balls = _prior(float(seen.mean()), _within(noise))
        count = seen.sum(axis=0)
        right, wrong = balls * mean + count, balls * (1.0 - mean) + len(seen) - count
        return cls(right, wrong, spread, float(seen.mean()), noise=noise)

    @classmethod
    def of_scores(
        cls, scores: ArrayLike, *, noise: float, spread: SeedSpread = _NONE
    ) -> "UnchangedSystem":
        """System whose items have scores ``(replicate, item)`` of any size.

        An item that was scored several times gets one of its own scores, its distance from their
        mean enlarged by as much as the mean has taken from it; else a share of the items, of which
        as many as ``noise`` differ between two runs, gets the score of another item.
        """
        seen = finite(scores, "scores", ndim=2)
        none = np.zeros(0)
        return cls(none, none, spread, float(seen.mean()), seen, _within(noise))

    @classmethod
    def planned(cls, level: float, *, noise: float, items: int) -> "UnchangedSystem":
        """System of which nothing was seen: its score and its noise are stated.

        Examples
        --------
        >>> one = UnchangedSystem.planned(0.8, noise=0.1, items=100_000)
        >>> (first, second), = one.pairs(np.random.default_rng(0), 1, (1, 1))
        >>> round(float(first.mean()), 2), round(float((first != second).mean()), 2)
        (0.8, 0.1)
        """
        mean, balls = _prior(level, _within(noise))
        if balls == 0.0:  # which items are right, and stay so
            right = (np.arange(items) < round(items * mean)).astype(np.float64)
            return cls(right, 1.0 - right, _NONE, mean, noise=noise)
        urn = np.ones(items)
        return cls(urn * balls * mean, urn * balls * (1.0 - mean), _NONE, mean, noise=noise)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.right.size if self.scores is None else self.scores.shape[1]

    def of_items(self, rows: ArrayLike) -> "UnchangedSystem":
        """The same system on some of its items, as often as they are named."""
        at = np.asarray(rows, dtype=np.int64)
        if self.scores is not None:
            return replace(self, scores=self.scores[:, at])
        return replace(self, right=self.right[at], wrong=self.wrong[at])

    def pairs(
        self,
        rng: np.random.Generator,
        count: int,
        replicates: tuple[int, int],
        *,
        loss: float = 0.0,
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Pairs of runs, in blocks ``(pair, replicate, item)`` that fit into memory.

        Parameters
        ----------
        rng
            Source of the draws.
        count
            Pairs in all.
        replicates
            Of the first and of the second run.
        loss
            By how much the second's score is worse: right answers that are lost wherever they are,
            in all replicates; below 0, wrong ones that became right (scores of lower is better).
        """
        can_lose = loss != 0.0
        for drawn in self.drawn(rng, count, replicates, can_lose=can_lose):
            yield drawn.losing(loss)

    def drawn(
        self,
        rng: np.random.Generator,
        count: int,
        replicates: tuple[int, int],
        *,
        can_lose: bool = True,
    ) -> Iterator["DrawnPairs"]:
        """Draws of pairs, to which any loss can be planted afterwards.

        Parameters
        ----------
        rng, count, replicates
            As `pairs` has them.
        can_lose
            Whether a loss will be planted.
        """
        cells = self.n_items * sum(replicates)
        block = max(1, min(count, _CELLS // max(cells, 1)))
        for start in range(0, count, block):
            size = min(block, count - start)
            spread = self.spread.drawn(rng, size)[:, None]
            sides = [spread * rng.standard_normal((size, k)) for k in replicates]
            if self.scores is None:
                yield self._hits(rng, sides, can_lose=can_lose)
            else:
                yield self._scores(rng, sides)

    def _hits(
        self, rng: np.random.Generator, apart: list[FloatArray], *, can_lose: bool
    ) -> "DrawnPairs":
        """Hits by the urns; ``apart`` is what the replicates of both sides deviate by."""
        size, all_balls = len(apart[0]), self.right + self.wrong
        right = np.tile(self.right, (size, 1))
        values, places = [], []
        is_apart = any(one.any() for one in apart)
        for moved in apart:
            side = np.empty((size, moved.shape[1], self.n_items), dtype=np.bool_)
            place = np.empty(side.shape if is_apart else 0, dtype=np.float32)
            for k in range(moved.shape[1]):
                hit = rng.random(right.shape, dtype=np.float32) * all_balls < right
                right += hit
                all_balls = all_balls + 1.0
                side[:, k] = hit
                if place.size:
                    place[:, k] = rng.random(hit.shape, dtype=np.float32)
            values.append(side)
            places.append(place)
        if self.swapped > 0.0:
            is_other = rng.random(right.shape) < self.swapped
            other = rng.integers(self.n_items, size=right.shape)
            whose = np.where(is_other, other, np.arange(self.n_items))
            values[1] = np.take_along_axis(values[1], whose[:, None], axis=2)
        lost = rng.random(right.shape if can_lose else 0, dtype=np.float32)
        return DrawnPairs(tuple(values), tuple(apart), self.level, tuple(places), lost)

    def _scores(self, rng: np.random.Generator, apart: list[FloatArray]) -> "DrawnPairs":
        assert self.scores is not None
        own, n = self.scores, self.n_items
        mean = own.mean(axis=0)
        wide = mean + (own - mean) * (len(own) / max(1, len(own) - 1)) ** 0.5
        changed = 1.0 - (1.0 - self.noise) ** 0.5
        sides = []
        for moved in apart:
            shape = *moved.shape, n
            if len(own) > 1:
                side = wide[rng.integers(len(own), size=shape), np.arange(n)]
            else:
                other = rng.integers(n, size=shape)
                place = np.where(rng.random(shape) < changed, other, np.arange(n))
                side = own[0][place]
            sides.append(side)
        return DrawnPairs(tuple(sides), tuple(apart), self.level)

    def changed_in(self, flips: float) -> "UnchangedSystem":
        """The same system, whose second runs differ on so many items in every replicate.

        Parameters
        ----------
        flips
            Share of the items that differ between single runs of either side, noise among them.

        Examples
        --------
        >>> one = UnchangedSystem.planned(0.5, noise=0.0, items=1000).changed_in(0.3)
        >>> (first, second), = one.pairs(np.random.default_rng(0), 1, (1, 2))
        >>> (second[0, 0] == second[0, 1]).all(), round(float((first != second).mean()), 1)
        (np.True_, 0.3)
        """
        room = 2.0 * self.level * (1.0 - self.level) - self.noise
        share = (flips - self.noise) / room if room > 0.0 else 1.0
        return replace(self, swapped=float(np.clip(share, 0.0, 1.0)))


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPairs:
    """Pairs of runs of an unchanged system, each with its chance, whatever is lost afterwards.

    Parameters
    ----------
    values
        ``(pair, replicate, item)`` of both sides: hits, or scores.
    apart
        ``(pair, replicate)`` what the score of each replicate deviates by.
    level
        Mean score.
    places
        Of hits: ``(pair, replicate, item)`` numbers from 0 to 1 by which a replicate that deviates
        loses or gains hits; empty where none does.
    lost
        Of hits: ``(pair, item)`` numbers by which all replicates of the second lose them: what a
        version has lost, it has lost whenever it is asked.
    """

    values: tuple[np.ndarray, ...]
    apart: tuple[FloatArray, ...]
    level: float
    places: tuple[np.ndarray, ...] = ()
    lost: np.ndarray | None = None

    def losing(self, loss: float) -> tuple[np.ndarray, np.ndarray]:
        """Both sides ``(pair, replicate, item)``, the second with a loss.

        Single hits are in single precision.
        """
        if self.lost is None:  # scores
            moved = self.apart[0], self.apart[1] - loss
            one, other = (v + by[:, :, None] for v, by in zip(self.values, moved, strict=True))
            return one, other
        sides = [*self.values]
        if loss:
            sides[1] = self._moved(sides[1], np.full((1, 1), -loss), self.lost[:, None])
        if self.places[0].size:
            each = zip(sides, self.apart, self.places, strict=True)
            sides = [self._moved(*one) for one in each]
        exact = (np.float32 if side.shape[1] == 1 else np.float64 for side in sides)
        first, second = (side.astype(kind) for side, kind in zip(sides, exact, strict=True))
        return first, second

    def _moved(self, hit: np.ndarray, moved: FloatArray, at: np.ndarray) -> np.ndarray:
        """Hits with some lost or gained, so that the score moves by so much."""
        lost, gained = (
            np.clip(one, 0.0, 1.0)[:, :, None]
            for one in (-moved / max(self.level, 1e-9), moved / max(1.0 - self.level, 1e-9))
        )
        return np.where(hit, at >= lost, at < gained)


#: Answers that are drawn at once: they stay in a processor's cache.
_CELLS: Final = 400_000


def _within(noise: float) -> float:
    if not 0.0 <= noise <= 1.0:
        raise StatisticsError(f"noise is {noise}; it is a share of the items, from 0 to 1.")
    return min(noise, _LARGEST)


def _prior(mean: float, noise: float) -> tuple[float, float]:
    """Mean and weight (balls) of the beta distribution of chances that flips this often.

    Two runs differ on ``2 p (1 - p)`` of an item, whose mean is ``2 m (1 - m) b / (b + 1)``. More
    noise than all items alike could have says that the score is nearer to one half.
    """
    least = (1.0 - (1.0 - 2.0 * noise) ** 0.5) / 2.0
    mean = min(max(mean, least), 1.0 - least)
    most = 2.0 * mean * (1.0 - mean)
    room = most - noise
    return mean, (noise / room if room > noise / _SURE else _SURE) if noise > 0 else 0.0
