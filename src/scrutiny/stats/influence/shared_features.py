"""Features of training rows and of decisions, with a bias, in as few dimensions as there are rows.

The loss of a head depends on products of features alone, so that features may be turned: what lies
outside of the span of the training rows gets no weight and changes no influence.
"""

from typing import Any, Final

import numpy as np
import scipy

from scrutiny.core.arrays import Floats

_LEAST: Final = 1e-10  # of the largest eigenvalue: what is below is rounding


def shared_features(training: Any, decisions: Any) -> tuple[Floats, Floats]:
    """Features ``(row, dimension)`` of training rows and of decisions, a bias among them.

    Parameters
    ----------
    training, decisions
        ``(row, dimension)``, dense or sparse, of the same dimensions.

    Examples
    --------
    >>> a, b = shared_features(np.eye(2, 9), np.eye(1, 9))
    >>> a.shape, (b @ a.T).round(9).tolist()
    ((2, 2), [[2.0, 1.0]])
    """
    is_sparse = scipy.sparse.issparse(training)
    if training.shape[0] > training.shape[1]:
        dense = (one.toarray() if is_sparse else one for one in (training, decisions))
        with_bias = [
            np.pad(one.astype(float), ((0, 0), (0, 1)), constant_values=1) for one in dense
        ]
        return with_bias[0], with_bias[1]
    products = [one @ training.T for one in (training, decisions)]
    own, other = ((p.toarray() if is_sparse else p).astype(float) + 1.0 for p in products)
    values, vectors = np.linalg.eigh(own)
    kept = values > _LEAST * values[-1]
    lengths = np.sqrt(values[kept])
    return vectors[:, kept] * lengths, other @ vectors[:, kept] / lengths
