"""STIR: whether inputs that are alike to one model are alike to another."""

from numpy.typing import ArrayLike

from scrutiny.stats.representations.cka import debiased_cka, linear_cka


def stir(base: ArrayLike, changed: ArrayLike, *, is_debiased: bool = True) -> float:
    """Alignment of m2's representations of inputs and of their counterparts that m1 holds equal.

    Parameters
    ----------
    base, changed
        ``(item, feature)`` of m2: for inputs X, and for inputs X' that were searched so that
        ``m1(X') = m1(X)`` nearly. How X' was found is the caller's; for text it can be searched in
        the space of embeddings, or by edits.
    is_debiased
        Whether `debiased_cka` is used; the paper has the biased one.

    **Measures**: how much of what m1 ignores m2 ignores too; the representational ancestor of
    Hard-SCoPE. Asymmetric.

    **Misleads when**: X' is near X to begin with: every model is then invariant. Print the value
    for counterparts that were changed by as much at random, and that of m1 with itself.

    **References**: Nanda et al. (2022), Measuring representational robustness of neural networks
    through shared invariances. The released code scales HSIC by ``(n - 3) ** 2`` too much and
    keeps the last batch only; neither is repeated here.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((20, 5))
    >>> round(stir(X, X + 3.0), 6)
    1.0
    """
    return debiased_cka(base, changed) if is_debiased else linear_cka(base, changed)
