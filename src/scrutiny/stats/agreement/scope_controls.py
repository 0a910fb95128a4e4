"""Controls of shared invariances: lift over random change, association, degenerate targets.

These are ours; the paper reports agreement and the gap of accuracies next to its measures.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.agreement.kappa import cohen_kappa
from scrutiny.stats.arrays import StatisticsError, finite


@dataclass(frozen=True, slots=True)
class Lift:
    """Hard-SCoPE compared with the target's invariance to random changes of the same amount.

    Parameters
    ----------
    hard, random
        Both shares.
    lift
        Their difference.
    kappa
        ``lift / (1 - random)``; None at ``random == 1``, which is the warning itself.
    reason
        "random_always_invariant" where there is no kappa.
    """

    hard: float
    random: float
    lift: float
    kappa: float | None
    reason: str | None = None


def scope_lift(hard: float, random: float) -> Lift:
    """Lift: Hard-SCoPE minus the target's invariance to random changes.

    Parameters
    ----------
    hard
        Hard-SCoPE.
    random
        Share of randomly changed texts, changed by as much, on which the target keeps its label.

    **Measures**: how much of the invariance the target has *because* the reference has it.

    **Misleads when**: the random changes are larger or smaller than those of the search.

    **References**: ours; the form of kappa is Cohen's (1960).

    Examples
    --------
    >>> scope_lift(0.95, 0.9).kappa is None, scope_lift(1.0, 1.0).kappa
    (False, None)
    """
    for name, share in (("hard", hard), ("random", random)):
        if not 0.0 <= share <= 1.0:
            raise StatisticsError(f"{name} is {share}; it must lie in [0, 1].")
    if random == 1.0:
        return Lift(hard, random, hard - random, None, "random_always_invariant")
    return Lift(hard, random, hard - random, (hard - random) / (1.0 - random))


@dataclass(frozen=True, slots=True)
class Association:
    """Association of two indicators; None if one of them does not vary."""

    phi: float | None
    kappa: float | None
    n: int


def invariance_association(inv1: ArrayLike, inv2: ArrayLike) -> Association:
    """Phi and Cohen's kappa of two models' invariances on texts changed for neither.

    Parameters
    ----------
    inv1, inv2
        ``(pair,)`` 1 where a model keeps its label under a random change.

    **Measures**: shared invariance with both tails: it alone can be negative, as the condition of
    SCoPE throws away the pairs on which the reference changed.

    **Misleads when**: hardly any text changes a label: phi is bounded far below 1 by the marginals.

    **References**: phi: Yule (1912); Cohen (1960). Their use here is ours.

    Examples
    --------
    >>> found = invariance_association([1, 1, 0, 0], [1, 1, 1, 0])
    >>> round(found.phi, 3), found.kappa
    (0.577, 0.5)
    """
    first, second = finite(inv1, "inv1", ndim=1), finite(inv2, "inv2", ndim=1)
    for name, column in (("inv1", first), ("inv2", second)):
        if not np.isin(column, (0.0, 1.0)).all():
            raise StatisticsError(f"{name} must hold 0 and 1 only.")
    kappa = cohen_kappa(first, second).value
    spread = float(first.std() * second.std())
    if spread == 0.0:
        return Association(None, kappa, first.size)
    both = float((first * second).mean() - first.mean() * second.mean())
    return Association(both / spread, kappa, first.size)


@dataclass(frozen=True, slots=True)
class Variety:
    """Number of labels that a model really uses.

    Parameters
    ----------
    entropy
        Of its labels, in bits; a plug-in value, a little low on few items.
    commonest
        Share of its commonest label.
    """

    entropy: float
    commonest: float


def label_variety(labels: ArrayLike) -> Variety:
    """Entropy of a model's labels on the base texts: detects a degenerate target.

    Parameters
    ----------
    labels
        ``(item,)`` whole numbers.

    **Measures**: whether a target could have changed its label at all.

    **Misleads when**: the data are lopsided themselves: compare with the entropy of gold.

    **References**: ours.

    Examples
    --------
    >>> label_variety([0, 0, 0, 0]).commonest, label_variety([0, 1, 0, 1]).entropy
    (1.0, 1.0)
    """
    found = finite(labels, "labels", ndim=1)
    share = np.unique(found, return_counts=True)[1] / found.size
    return Variety(float(abs((share * np.log2(share)).sum())), float(share.max()))
