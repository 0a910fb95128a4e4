"""Tests combined: many at once, claims of several components, one question after another.

Holm, Benjamini-Hochberg and max-T correct for the number of tests; an intersection-union test asks
whether all components of a claim hold.

The sequential test asks whether two sources answer alike, and is stopped whenever one likes. Each
question is put to both sources twice, in an order drawn by chance. If the sources are the same, the
four answers can be exchanged: which two belong together is one of three equally likely ways to pair
them. How much nearer the true pairs are than the other two ways is an e-value of that question, and
their product is one of the whole.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite, proper_level


def _p_values(p_values: ArrayLike) -> FloatArray:
    p = finite(p_values, "p_values", ndim=1)
    if (p < 0).any() or (p > 1).any():
        raise StatisticsError("p-values must lie in [0, 1].")
    return p


def holm(p_values: ArrayLike) -> FloatArray:
    """Holm's adjusted p-values ``(test,)``: reject where they are at most the level.

    **Measures**: evidence against each hypothesis, with the chance of *any* false rejection held
    at the level, under any dependence.

    **Misleads when**: the family is named after the results were seen.

    **References**: Holm (1979), A simple sequentially rejective multiple test procedure.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _p_values(p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    """Benjamini and Hochberg's adjusted p-values ``(test,)`` (false discovery rate).

    **Measures**: the share of false entries expected in a list cut at each test.

    **Misleads when**: a single entry of the list is stated as a finding.

    **References**: Benjamini & Hochberg (1995), Controlling the false discovery rate.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.04, 0.04]
    """
    return np.asarray(scipy.stats.false_discovery_control(_p_values(p_values)), dtype=np.float64)


def max_t(point: ArrayLike, draws: ArrayLike, *, limit: ArrayLike = 0.0) -> FloatArray:
    """Adjusted p-values ``(test,)`` by max-T, from draws that the tests share.

    Two-sided, and in Westfall and Young's step-down form: more power than one maximum for all.

    Parameters
    ----------
    point
        ``(test,)`` estimates (heads, slices, layers).
    draws
        ``(draw, test)`` of all estimates jointly: the same draws of replicates and items.
    limit
        Value under the null, one or ``(test,)``.

    **Measures**: which of many candidates stand out, with the chance of any false one held at the
    level, and less lost than by Holm where candidates are correlated.

    **Misleads when**: candidates were picked on the same items; pick on one half, test on the
    other. A candidate without any variance is compared as it stands.

    **References**: Westfall & Young (1993), Resampling-Based Multiple Testing; Romano & Wolf
    (2005), Stepwise multiple testing as formalized data snooping.

    Examples
    --------
    >>> draws = np.random.default_rng(0).standard_normal((999, 3))
    >>> max_t([5.0, 0.1, 0.2], draws + [5.0, 0.1, 0.2]).round(2).tolist()[0]
    0.0
    """
    at, drawn = finite(point, "point", ndim=1), finite(draws, "draws", ndim=2)
    if drawn.shape[1] != at.size:
        raise StatisticsError(f"draws have {drawn.shape[1]} tests, point has {at.size}.")
    spread = drawn.std(axis=0, ddof=1)
    spread = np.where(spread > 0, spread, 1.0)
    seen = np.abs((at - np.asarray(limit, dtype=np.float64)) / spread)
    null = np.abs((drawn - drawn.mean(axis=0)) / spread)
    order = np.argsort(-seen, kind="stable")
    # the maximum over this test and all that look weaker
    top = np.maximum.accumulate(null[:, order][:, ::-1], axis=1)[:, ::-1]
    p = (1 + (top >= seen[order]).sum(axis=0)) / (1 + drawn.shape[0])
    adjusted = np.empty_like(at)
    adjusted[order] = np.maximum.accumulate(p)
    return adjusted


@dataclass(frozen=True, slots=True)
class ClaimTest:
    """P-values of one claim, for and against.

    Parameters
    ----------
    p_plus
        That *every* component lies beyond its limit: the largest of the one-sided p-values.
    p_minus
        That *some* component lies on the other side: the smallest reverse p, times the number of
        components (Bonferroni), at most 1.
    """

    p_plus: float
    p_minus: float


def intersection_union(p_for: ArrayLike, p_against: ArrayLike) -> ClaimTest:
    """Intersection-union test of a claim whose components must all hold.

    Parameters
    ----------
    p_for
        ``(component,)`` one-sided p-values of "beyond the limit": theta minus reference, theta
        minus each control, on each dataset and declared choice.
    p_against
        ``(component,)`` one-sided p-values of "on the other side of the limit".

    **Measures**: whether the claim survives its weakest comparison. No adjustment is needed for
    ``p_plus``: all components have to pass.

    **Misleads when**: components were added or dropped after looking.

    **References**: Berger (1982), Multiparameter hypothesis testing and acceptance sampling.

    Examples
    --------
    >>> intersection_union([0.001, 0.02], [0.999, 0.98])
    ClaimTest(p_plus=0.02, p_minus=1.0)
    """
    plus, minus = finite(p_for, "p_for", ndim=1), finite(p_against, "p_against", ndim=1)
    if plus.size != minus.size:
        raise StatisticsError(f"{plus.size} p-values for and {minus.size} against the claim.")
    if min(plus.min(), minus.min()) < 0 or max(plus.max(), minus.max()) > 1:
        raise StatisticsError("p-values must lie in [0, 1].")
    return ClaimTest(float(plus.max()), min(1.0, plus.size * float(minus.min())))


#: How steeply a bet rises with nearness: flat bets win where answers vary, steep ones elsewhere.
_SLOPES: Final[FloatArray] = np.array([4.0, 16.0, 64.0])
_WAYS: Final = 3  # of pairing four answers


@dataclass(slots=True)
class ExchangeTest:
    """Test of whether two sources give the same answers, but for chance.

    **Measures**: evidence (an e-value) that answers of one source are nearer to one another than
    to those of the other source. Looking after each question and stopping is allowed: two equal
    sources are ever called different with a chance of at most ``1 - level``.

    **Misleads when**: a source repeats what it has said before instead of answering again, or
    changes while it is asked; or when a difference without meaning (another engine) is read as one
    with meaning: the test says that they differ, not by how much.

    Parameters
    ----------
    level
        One minus the chance of a false alarm.

    **References**: Koning (2023), Measuring evidence against exchangeability and group invariance
    with e-values; Ramdas, Grunwald, Vovk & Shafer (2023), Game-theoretic
    statistics and safe anytime-valid inference.

    Examples
    --------
    >>> test = ExchangeTest(level=0.99)
    >>> for _ in range(5):
    ...     test.add(within=(0.0, 0.0), between=(1.0, 1.0, 1.0, 1.0))
    >>> test.differs, round(test.evidence)
    (True, 186)
    """

    level: float = 0.99
    questions: int = 0
    evidence: float = 1.0
    _capital: FloatArray = field(default_factory=lambda: np.ones(_SLOPES.size))

    def __post_init__(self) -> None:
        proper_level(self.level)

    @property
    def differs(self) -> bool:
        """Whether the sources are told apart."""
        return self.evidence >= 1.0 / (1.0 - self.level)

    @property
    def p_value(self) -> float:
        """P-value that stays valid whenever one stops."""
        return min(1.0, 1.0 / self.evidence)

    @property
    def most_that_differ(self) -> float:
        """Upper limit of the share of questions answered unlike, if none of so many was.

        Examples
        --------
        >>> round(ExchangeTest(questions=11).most_that_differ, 3)
        0.342
        """
        return float(1.0 - (1.0 - self.level) ** (1.0 / self.questions))

    @classmethod
    def fewest_questions(cls, level: float = 0.99) -> int:
        """Smallest number of questions after which sources can be told apart.

        Examples
        --------
        >>> ExchangeTest.fewest_questions(0.99)
        5
        """
        test = cls(level)
        while not test.differs:
            test.add((0.0, 0.0), (1.0, 1.0, 1.0, 1.0))
        return test.questions

    def add(self, within: ArrayLike, between: ArrayLike) -> None:
        """Enter the distances of one question's four answers.

        Parameters
        ----------
        within
            Between the two answers of each source.
        between
            Of the first source's first answer to both of the second's, and of its second answer.
        """
        own, across = finite(within, "within", ndim=1), finite(between, "between", ndim=1)
        if own.size != 2 or across.size != 4 or min(own.min(), across.min()) < 0:
            raise StatisticsError("two distances within and four between, all of at least 0.")
        ways = np.array([own.sum(), across[0] + across[3], across[1] + across[2]])
        total = ways.sum()
        shares = ways / total if total > 0 else np.full(_WAYS, 1.0 / _WAYS)
        # Without the smallest share the sum could underflow; it cancels out.
        bets = np.exp(-_SLOPES[:, None] * (shares - shares.min()))
        self._capital = self._capital * bets[:, 0] / bets.mean(axis=1)
        self.questions += 1
        self.evidence = max(self.evidence, float(self._capital.mean()))
