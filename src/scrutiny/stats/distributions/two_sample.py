"""Two-sample tests on texts and log-probabilities: whether both sets come from one model."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, StatisticsError, finite
from scrutiny.stats.significance.exact_tests import TIE, ExactTest
from scrutiny.stats.significance.permutation_tests import sign_flip_test

_CHUNK: Final = 256
_PERMUTATIONS: Final = 999


def hamming_mmd(
    x: ArrayLike, y: ArrayLike, *, prompts: tuple[ArrayLike, ArrayLike] | None = None
) -> float:
    """Maximum mean discrepancy, squared and unbiased, of two samples of texts (Hamming kernel).

    Parameters
    ----------
    x, y
        ``(sample, position)`` codes of tokens or characters, padded to one length by a code of its
        own. The kernel is the share of positions with the same code.
    prompts
        Of each sample the prompt that it answers, for x and for y; samples of different prompts
        have the kernel 0. Every prompt needs two samples on either side. None: one prompt.

    Returns
    -------
    float
        Averaged over prompts; around 0 and often below for one model, at most 2.

    **Measures**: whether two models' distributions of answers differ at any position.

    **Misleads when**: the first positions decide all others (a word more at the front shifts
    everything), or answers are long and mostly padding.

    **References**: Gretton et al. (2012), A kernel two-sample test; Gao, Liang & Guestrin (2024),
    Model equality testing.

    Examples
    --------
    >>> hamming_mmd([[1, 2], [1, 2]], [[1, 3], [1, 3]])
    1.0
    """
    kernel, blocks = _texts(x, y, prompts)
    is_x = np.arange(kernel.shape[0]) < np.asarray(x).shape[0]
    return float(_mmd(kernel, blocks, is_x[None].astype(np.float64))[0])


def hamming_mmd_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    rng: np.random.Generator,
    prompts: tuple[ArrayLike, ArrayLike] | None = None,
    permutations: int = _PERMUTATIONS,
) -> ExactTest:
    """Permutation test of whether two samples of texts come from one distribution.

    Parameters
    ----------
    x, y, prompts
        As in `hamming_mmd`; samples are exchanged within prompts.
    rng, permutations
        Source and number of exchanges; the observed one is added to them.

    **Measures**: the share of exchanges with a discrepancy at least as large.

    **Misleads when**: samples of one prompt are not independent (cached answers, one seed).

    **References**: Gao, Liang & Guestrin (2024), Model equality testing: which model is this API
    serving?; Phipson & Smyth (2010).

    Examples
    --------
    >>> g = np.random.default_rng(0)
    >>> x, y = g.integers(0, 2, (20, 5)), g.integers(0, 3, (20, 5))
    >>> hamming_mmd_test(x, y, rng=g, permutations=99).p_value
    0.01
    """
    kernel, blocks = _texts(x, y, prompts)
    is_x = np.arange(kernel.shape[0]) < np.asarray(x).shape[0]
    return _permuted(
        lambda sides: _mmd(kernel, blocks, sides),
        is_x,
        strata=blocks,
        rng=rng,
        permutations=permutations,
    )


def logprob_shift_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    rng: np.random.Generator,
    permutations: int = _PERMUTATIONS,
) -> ExactTest:
    """Test of whether calls at two times gave the same mean log-probabilities.

    Parameters
    ----------
    a, b
        ``(call, token)`` log-probabilities of the first output token in repeated calls of one
        prompt; NaN where a call's top-k left a token out: it counts as the call's smallest one.
        At least two calls a side.
    rng, permutations
        Source and number of exchanges of calls.

    Returns
    -------
    ExactTest
        Its statistic is the mean over tokens of ``|mean_a - mean_b|``.

    **Measures**: drift of a served model, at one output token a call.

    **Misleads when**: calls of one time share a machine or a batch, so that they vary less among
    themselves than between times: then anything is drift. Interleave the calls.

    **References**: Chauvin et al. (2025), Log probability tracking of LLM APIs. We know its
    abstract and a summary, not its code.

    Examples
    --------
    >>> g = np.random.default_rng(0)
    >>> then, now = g.normal(-1.0, 0.01, (20, 5)), g.normal(-1.02, 0.01, (20, 5))
    >>> logprob_shift_test(then, now, rng=g, permutations=99).p_value
    0.01
    """
    first, second = _censored(a, "a"), _censored(b, "b")
    if first.shape[1] != second.shape[1]:
        raise StatisticsError(f"a has {first.shape[1]} tokens, b {second.shape[1]}.")
    rows = np.concatenate([first, second])

    def shift(sides: FloatArray) -> FloatArray:
        of_a = sides @ rows / sides.sum(axis=1, keepdims=True)
        rest = 1.0 - sides
        of_b = rest @ rows / rest.sum(axis=1, keepdims=True)
        return np.asarray(np.abs(of_a - of_b).mean(axis=1), dtype=np.float64)

    is_a = np.arange(rows.shape[0]) < first.shape[0]
    strata = np.zeros(rows.shape[0], dtype=np.int64)
    return _permuted(shift, is_a, strata=strata, rng=rng, permutations=permutations)


def paired_logprob_test(
    a: ArrayLike, b: ArrayLike, *, rng: np.random.Generator, permutations: int = 100_000
) -> ExactTest:
    """Test of whether two models give the same texts the same mean log-probability.

    Parameters
    ----------
    a, b
        ``(text,)`` log-probability of each text (or answer) under both models.
    rng, permutations
        As in `scrutiny.stats.significance.permutation_tests.sign_flip_test`.

    **Measures**: whether the mean of ``a - b`` is 0, texts held together.

    **Misleads when**: differences of both signs cancel: a large change can have mean 0. Look at
    their spread, too.

    **References**: Fisher (1935), The Design of Experiments.

    Examples
    --------
    >>> paired_logprob_test([-1.0] * 8, [-1.5] * 8, rng=np.random.default_rng(0)).p_value
    0.0078125
    """
    first, second = finite(a, "a", ndim=1), finite(b, "b", ndim=1)
    if first.size != second.size:
        raise StatisticsError(f"a has {first.size} texts, b {second.size}.")
    return sign_flip_test(first - second, rng=rng, permutations=permutations)


def _texts(
    x: ArrayLike, y: ArrayLike, prompts: tuple[ArrayLike, ArrayLike] | None
) -> tuple[FloatArray, IntArray]:
    """Kernel ``(sample, sample)`` of both samples together, and the prompt of each."""
    first, second = finite(x, "x", ndim=2), finite(y, "y", ndim=2)
    if first.shape[1] != second.shape[1]:
        raise StatisticsError(
            f"texts of x have {first.shape[1]} positions, of y {second.shape[1]}; pad them."
        )
    texts = np.concatenate([first, second])
    blocks = np.zeros(texts.shape[0], dtype=np.int64)
    if prompts is not None:
        names = np.concatenate([np.asarray(prompts[0]), np.asarray(prompts[1])])
        if names.shape != blocks.shape:
            raise StatisticsError("prompts must name the prompt of every sample of x and y.")
        blocks = np.unique(names, return_inverse=True)[1].astype(np.int64).reshape(-1)
    kernel = np.zeros((texts.shape[0], texts.shape[0]))
    for position in texts.T:
        kernel += position[:, None] == position[None, :]
    kernel *= (blocks[:, None] == blocks[None, :]) / texts.shape[1]
    for side in (blocks[: first.shape[0]], blocks[first.shape[0] :]):
        if (np.bincount(side, minlength=int(blocks.max()) + 1) < 2).any():
            raise StatisticsError("every prompt needs at least two samples of x and two of y.")
    return kernel, blocks


def _mmd(kernel: FloatArray, blocks: IntArray, sides: FloatArray) -> FloatArray:
    """Discrepancy ``(arrangement,)``, averaged over prompts; sides ``(arrangement, sample)``."""
    total = np.zeros(sides.shape[0])
    prompts = np.unique(blocks)
    for prompt in prompts:
        rows = np.flatnonzero(blocks == prompt)
        K = kernel[np.ix_(rows, rows)]
        a, b = sides[:, rows], 1.0 - sides[:, rows]
        n, m = a.sum(axis=1), b.sum(axis=1)
        to_a = a @ K
        # a text is its own equal: the diagonal is 1 and is left out
        within = (to_a * a).sum(axis=1) - n, ((b @ K) * b).sum(axis=1) - m
        total += within[0] / (n * (n - 1)) + within[1] / (m * (m - 1))
        total -= 2.0 * (to_a * b).sum(axis=1) / (n * m)
    return np.asarray(total / prompts.size, dtype=np.float64)


def _permuted(
    statistic: Callable[[FloatArray], FloatArray],
    is_first: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    *,
    strata: IntArray,
    rng: np.random.Generator,
    permutations: int,
) -> ExactTest:
    """One-sided permutation test of a statistic of sides, within strata."""
    if permutations < 1:
        raise StatisticsError("at least one permutation is needed.")
    members = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    observed = float(statistic(is_first[None].astype(np.float64))[0])
    slack = TIE * max(1.0, abs(observed))
    above = 0
    for start in range(0, permutations, _CHUNK):
        sides = np.empty((min(_CHUNK, permutations - start), strata.size))
        for rows in members:
            tiled = np.tile(is_first[rows].astype(np.float64), (sides.shape[0], 1))
            sides[:, rows] = rng.permuted(tiled, axis=1)
        above += int((statistic(sides) >= observed - slack).sum())
    p, smallest = (1.0 + above) / (1.0 + permutations), 1.0 / (1.0 + permutations)
    return ExactTest(observed, p, smallest, strata.size, "sampled", "greater")


def _censored(values: ArrayLike, name: str) -> FloatArray:
    """Log-probabilities; missing entries of a call are set to the call's smallest."""
    rows = np.array(values, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] < 2 or rows.shape[1] < 1:
        raise StatisticsError(f"{name} must be (call, token) with at least two calls.")
    missing = np.isnan(rows)
    if missing.all(axis=1).any():
        raise StatisticsError(f"a call of {name} has no log-probability at all.")
    smallest = np.where(missing, np.inf, rows).min(axis=1, keepdims=True)
    return finite(np.where(missing, smallest, rows), name)


def label_mmd(a: IntArray, b: IntArray) -> FloatArray:
    """Squared discrepancies ``(...)`` of counts ``(..., label)``, kernel "the same label".

    That of `hamming_mmd` for texts of one position and one prompt.

    Examples
    --------
    >>> float(label_mmd(np.array([2, 0]), np.array([0, 2])))
    2.0
    """
    n, m = a.sum(axis=-1), b.sum(axis=-1)
    within = (a * (a - 1)).sum(axis=-1) / (n * (n - 1)) + (b * (b - 1)).sum(axis=-1) / (m * (m - 1))
    return np.asarray(within - 2.0 * (a * b).sum(axis=-1) / (n * m), dtype=np.float64)


def exchanged(a: IntArray, b: IntArray, *, exchanges: int, rng: np.random.Generator) -> FloatArray:
    """Discrepancies ``(exchange,)`` after random reassignment of both sides' samples."""
    both = a + b
    dealt = rng.multivariate_hypergeometric(both, int(a.sum()), size=exchanges)
    return label_mmd(dealt, both - dealt)
