"""Prints our similarities of two models beside those of other packages, as a Markdown table.

    python -m venv peers
    peers/bin/pip install "torch==2.13.0" numpy scipy repsim ckatorch cka-pytorch lm-sim \
        rsatoolbox model-equality-testing transformers
    PYTHONPATH=src peers/bin/python tools/cross_check_similarity.py

The packages are no dependency of ours. One that is not installed, or cannot be imported, is said so
and left out. The exit status is 1 if a number that should agree differs by more than 1e-9, or one
that is known to differ does not.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import numpy as np

from scrutiny.stats.agreement.error_consistency import error_consistency
from scrutiny.stats.agreement.kappa import capa
from scrutiny.stats.distributions.two_sample import hamming_mmd
from scrutiny.stats.representations.cca import mean_cca, mean_squared_cca, pwcca, svcca
from scrutiny.stats.representations.cka import cka_sums, debiased_cka, linear_cka, minibatch_cka
from scrutiny.stats.representations.item_distances import rsa

CLOSE = 1e-9


class Line(NamedTuple):
    """One comparison; a reason says that the numbers are meant to differ."""

    measure: str
    ours: float
    theirs: float
    differs: str = ""

    @property
    def is_as_expected(self):
        """Whether both agree, or differ where we know why."""
        is_close = bool(abs(self.ours - self.theirs) <= CLOSE)
        return is_close is not bool(self.differs)


def representations():
    """Two wide ones with a part in common, 60 items; no canonical correlation is exactly 1."""
    g = np.random.default_rng(0)
    shared = g.standard_normal((60, 5))
    X = np.hstack([shared, g.standard_normal((60, 10))]) * np.geomspace(3, 0.05, 15)
    seen = shared @ g.standard_normal((5, 5)) + 0.3 * g.standard_normal((60, 5))
    return X, np.hstack([seen, g.standard_normal((60, 20))])


def repsim() -> Iterator[Line]:
    """CKA, CCA, SVCCA and PWCCA of repsim (C++)."""
    import repsim as peer

    X, Y = representations()

    def of(function, *options):
        return float(function([X, Y], *options)[0, 1])

    yield Line("linear CKA", linear_cka(X, Y), of(peer.cka, "linear", "gretton"))
    yield Line("HSIC_1", float(cka_sums(X, Y)[0]), of(peer.hsic, "linear", "song"))
    mixed = of(peer.cka, "linear", "song")
    yield Line("debiased CKA", debiased_cka(X, Y), mixed, "unbiased sum over biased ones")
    yield Line("mean CCA", mean_cca(X, Y), of(peer.cca, "pillai"))
    yield Line("mean squared CCA", mean_squared_cca(X, Y), of(peer.cca, "yanai"))
    both = (pwcca(X, Y) + pwcca(Y, X)) / 2
    yield Line("PWCCA, mean of both directions", both, of(peer.pwcca))
    found = of(peer.svcca, "pillai")
    yield Line("SVCCA", svcca(X, Y), found, "whitens before it looks for variance")
    yield Line("SVCCA, ours of whitened ones", svcca(whitened(X), whitened(Y)), found)


def whitened(X):
    """Left singular vectors."""
    return np.linalg.svd(X, full_matrices=False)[0]


def ckatorch() -> Iterator[Line]:
    """CKA of ckatorch (torch, float64)."""
    import torch
    from ckatorch.core import cka_base, cka_batch
    from ckatorch.hsic import hsic1

    X, Y = representations()
    x, y = torch.tensor(X), torch.tensor(Y)
    batches = x.reshape(3, 20, -1), y.reshape(3, 20, -1)
    parts = [(X[i : i + 20], Y[i : i + 20]) for i in (0, 20, 40)]
    yield Line("linear CKA", linear_cka(X, Y), float(cka_base(x, y)))
    yield Line(
        "HSIC_1", float(cka_sums(X, Y)[0]), float(hsic1((x @ x.T)[None], (y @ y.T)[None])[0])
    )
    yield Line("minibatch CKA, 3 batches", minibatch_cka(parts), float(cka_batch(*batches)))


def cka_pytorch() -> Iterator[Line]:
    """HSIC_1 of cka-pytorch (torch)."""
    import torch
    from cka_pytorch.hsic import hsic1

    X, Y = representations()
    K, L = torch.tensor(X @ X.T)[None], torch.tensor(Y @ Y.T)[None]
    theirs = float(hsic1(K, L) / torch.sqrt(hsic1(K, K) * hsic1(L, L)))
    yield Line("debiased CKA", debiased_cka(X, Y), theirs)


def rsatoolbox() -> Iterator[Line]:
    """RSA of rsatoolbox."""
    from rsatoolbox.data import Dataset
    from rsatoolbox.rdm import calc_rdm, compare

    X, Y = representations()
    for distance, theirs in (("correlation", "correlation"), ("euclidean", "euclidean")):
        rdms = [calc_rdm(Dataset(rows), method=theirs) for rows in (X, Y)]
        found = float(compare(*rdms, method="spearman")[0, 0])
        yield Line(f"RSA, {distance}", rsa(X, Y, distance=distance), found)


def lm_sim() -> Iterator[Line]:
    """CAPA and error consistency of lm-sim."""
    from lmsim.metrics import CAPA, EC

    g = np.random.default_rng(1)
    gold = g.integers(0, 3, 200)
    p = [g.dirichlet(np.ones(k)) for k in g.integers(3, 6, 200)]
    q = [0.5 * one + 0.5 * g.dirichlet(np.ones(one.size)) for one in p]
    hard = [[np.eye(one.size)[one.argmax()] for one in side] for side in (p, q)]
    hits = [np.array([one.argmax() for one in side]) == gold for side in (p, q)]
    yield Line("CAPA", capa(p, q, gold).value, CAPA().compute_k(p, q, gold))
    yield Line("CAPA of a model with itself", capa(p, p, gold).value, CAPA().compute_k(p, p, gold))
    yield Line("CAPA of labels", capa(*hard, gold).value, CAPA(prob=False).compute_k(*hard, gold))
    yield Line("error consistency", error_consistency(*hits).value, EC().compute_k(p, q, gold))
    right = list(np.eye(2)[[0, 1, 0]])
    found = error_consistency([1, 1, 1], [1, 1, 1])
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore")
        theirs = float(EC().compute_k(right, right, [0, 1, 0]))
    ours = float("nan") if found.value is None else found.value
    yield Line("error consistency, both perfect", ours, theirs, f"NaN; ours says {found.reason!r}")


def model_equality() -> Iterator[Line]:
    """MMD with the Hamming kernel of model-equality-testing; equally many samples a prompt."""
    import torch
    from model_equality_testing.distribution import CompletionSample
    from model_equality_testing.tests import mmd_hamming

    g = np.random.default_rng(2)
    x, y = g.integers(0, 4, (20, 6)), np.minimum(g.integers(0, 5, (20, 6)), 3)
    prompts = np.arange(20) % 2
    samples = [CompletionSample(torch.tensor(prompts), torch.tensor(s), m=2) for s in (x, y)]
    ours = hamming_mmd(x, y, prompts=(prompts, prompts))
    yield Line("MMD, Hamming kernel, 2 prompts", ours, float(mmd_hamming(*samples)))


PEERS: dict[str, tuple[str, Callable[[], Iterator[Line]]]] = {
    "repsim": ("repsim", repsim),
    "ckatorch": ("ckatorch", ckatorch),
    "cka-pytorch": ("cka_pytorch", cka_pytorch),
    "rsatoolbox": ("rsatoolbox", rsatoolbox),
    "lm-sim": ("lmsim.metrics", lm_sim),
    "model-equality-testing": ("model_equality_testing", model_equality),
}


def main():
    """Print the table."""
    print("| package | measure | ours | theirs | difference |")
    print("| --- | --- | --- | --- | --- |")
    is_good = True
    for package, (module, lines) in PEERS.items():
        try:
            name = f"{package} {version(package)}"
            import_module(module)
        except (PackageNotFoundError, ImportError, RuntimeError) as error:
            print(f"| {package} | not compared: {type(error).__name__} | | | |")
            continue
        for line in lines():
            is_good &= line.is_as_expected
            gap = abs(line.ours - line.theirs)
            said = f"{gap:.0e}" if not line.differs else line.differs
            verdict = "" if line.is_as_expected else " **unexpected**"
            numbers = f"{line.ours:.6f} | {line.theirs:.6f}"
            print(f"| {name} | {line.measure} | {numbers} | {said}{verdict} |")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
