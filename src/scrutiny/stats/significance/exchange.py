"""Sequential test of whether two sources answer alike, stopped whenever one likes.

Each question is put to both sources twice, in an order drawn by chance. If the sources are the
same, the four answers can be exchanged: which two belong together is one of three equally likely
ways to pair them. How much nearer the true pairs are than the other two ways is an e-value of that
question, and their product is one of the whole.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, finite, proper_level
from scrutiny.stats.errors import StatisticsError

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
