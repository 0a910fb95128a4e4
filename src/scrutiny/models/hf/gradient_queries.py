"""Gradients along paths and by parameters, of transformers and of networks over words.

A path is integrated by a Gauss-Legendre quadrature; its two ends are run beside its inner points,
for the scores that the attributions must sum to. A parameter's gradient is wanted of every text by
itself: the texts of a batch share the way forward, and each has a way back of its own, which is
short where only the last layer is asked about.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import numpy as np
import torch

from scrutiny.core.arrays import Floats
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.queries.gradients import (
    BASELINES,
    ParameterGradient,
    PathGradient,
    PathGradients,
)
from scrutiny.models.answers.checked import index_of
from scrutiny.models.hf.batching import own_tokens, run_batches
from scrutiny.models.hf.input_gradients import InputSlopes
from scrutiny.models.hf.word_pieces import own_places

#: Token that a path starts from, as tokenizers call its id.
_TOKENS: Final = {"unknown": "unk_token_id", "pad": "pad_token_id", "mask": "mask_token_id"}
_NAMES: Final = {
    "unknown": "an unknown word",
    "pad": "its padding",
    "mask": "its mask",
    "mean": "the mean of its words",
}
#: Gradient of each parameter, flat.
Rows = tuple[tuple[float, ...], ...]


def path_points(query: PathGradient) -> tuple[Floats, Floats]:
    """Points of a path as shares of its way, and their weights; the ends come first, with weight 0.

    Examples
    --------
    >>> path_points(PathGradient((("text", "a"),), "pos", steps=1))
    (array([0. , 1. , 0.5]), array([0., 0., 1.]))

    Raises
    ------
    ConformanceError
        For a baseline that there is not, or fewer than one step.
    """
    if query.baseline not in BASELINES or query.steps < 1:
        raise ConformanceError(
            f"A path starts from one of {', '.join(BASELINES)} and has at least one step; not "
            f"{query.baseline!r} and {query.steps}."
        )
    nodes, weights = np.polynomial.legendre.leggauss(query.steps)
    return np.array([0.0, 1.0, *(nodes + 1) / 2]), np.array([0.0, 0.0, *weights / 2])


def moved_back(vectors: Any, way: Any, shares: Any) -> Any:
    """Points ``(row, token, dimension)`` at these shares ``(row,)`` of the way to the vectors."""
    return vectors - (1 - shares)[:, None, None] * way


def way_to(vectors: Any, start: Any, moves: Any) -> Any:
    """Way from a start ``(dimension,)`` to vectors; none where nothing moves ``(row, token)``."""
    return torch.where(moves[..., None], vectors - start, torch.zeros_like(vectors))


def attributions_of(scores: Any, point: Any, way: Any) -> Any:
    """Slope of each row's score along the way, by token ``(row, token)``."""
    with torch.enable_grad():
        (slopes,) = torch.autograd.grad(scores.sum(), point)
    return (slopes * way).sum(-1)


def along_one_path(
    query: PathGradient, vectors: Any, *, start: Any, moves: Any, score: Callable[[Any], Any]
) -> tuple[list[float], list[float]]:
    """Attribution of each token of one text, and the scores at both ends of its path.

    Parameters
    ----------
    query
        What is asked.
    vectors, moves
        ``(1, token, dimension)`` of the text, and which tokens move: ``(1, token)``.
    start
        Vector ``(dimension,)``, or a number, that they start from.
    score
        Scores ``(point,)`` of vectors ``(point, token, dimension)``.
    """
    shares, weights = path_points(query)
    way = way_to(vectors, start, moves)
    with torch.enable_grad():
        points = moved_back(vectors, way, torch.from_numpy(shares)).requires_grad_()
        scores = score(points)
    slopes = attributions_of(scores, points, way).numpy()
    return (weights @ slopes).tolist(), scores[:2].tolist()


@contextmanager
def followed(network: Any, names: Sequence[str], source: str) -> Iterator[dict[str, Any]]:
    """Parameters of these names, which gradients are followed to meanwhile.

    Raises
    ------
    ModelError
        For a name that the network does not have.
    """
    known = dict(network.named_parameters())
    if unknown := [name for name in names if name not in known]:
        raise ModelError(
            f"{source} has no parameter {unknown[0]!r}; its last ones are "
            f"{', '.join([*known][-6:])}."
        )
    chosen = {name: known[name].requires_grad_(requires_grad=True) for name in names}
    try:
        yield chosen
    finally:
        for parameter in chosen.values():
            parameter.requires_grad_(requires_grad=False)


def gradients_of_losses(
    logits: Any, targets: Sequence[int], chosen: Sequence[Sequence[Any]]
) -> list[Rows]:
    """Gradients of minus the log-probability of each row's target, by each row's parameters."""
    wanted = torch.tensor(targets, device=logits.device)
    losses = torch.nn.functional.cross_entropy(logits, wanted, reduction="none")
    found = []
    for loss, parameters in zip(losses, chosen, strict=True):
        slopes = torch.autograd.grad(loss, parameters, retain_graph=True, materialize_grads=True)
        found.append(tuple(tuple(slope.flatten().tolist()) for slope in slopes))
    return found


def last_layer(network: Any, n_labels: int, source: str) -> tuple[str, ...]:
    """Names of the parameters of a transformer's last layer, which gives a logit for each label.

    Raises
    ------
    ModelError
        If there is no such layer.
    """
    layers = [
        name
        for name, module in network.named_modules()
        if isinstance(module, torch.nn.Linear) and module.out_features == n_labels
    ]
    if not layers:
        raise ModelError(f"{source} has no linear last layer: name the parameters.")
    return tuple(n for n, _ in network.named_parameters() if n.startswith(f"{layers[-1]}."))


class TransformerGradients:
    """Gradient queries to a transformer that classifies texts.

    Parameters
    ----------
    forward
        The network with its head: it pads, and its tokenizer knows what is unknown.
    slopes
        The same network in float32.
    tokenized
        What the tokenizer made of the queries' texts.
    labels, source
        Its labels in the order of the outputs, and its model string for messages.
    """

    def __init__(
        self,
        forward: Any,
        slopes: InputSlopes,
        tokenized: Any,
        *,
        labels: Sequence[str],
        source: str,
    ) -> None:
        self._slopes = slopes
        self._network = slopes.network
        self._inputs: Callable[..., dict[str, Any]] = partial(forward.inputs, tokenized)
        self._tokenized = tokenized
        self._lengths = [len(ids) for ids in tokenized["input_ids"]]
        self._labels = labels
        self._source = source
        self._tokenizer = forward.tokenizer

    def _run(self, lengths: Sequence[int], ask: Callable[[list[int]], Any]) -> Iterator[Any]:
        """Answers batch by batch."""
        return run_batches(lengths, self._slopes.budget, ask, device=self._network.device)

    def _targets(self, queries: Sequence[PathGradient | ParameterGradient]) -> list[int]:
        """Index of each query's label."""
        return [index_of(query.target, self._labels, source=self._source) for query in queries]

    def by_parameters(self, queries: Sequence[ParameterGradient]) -> list[Rows]:
        """Gradient of each parameter asked about, for each query."""
        targets = self._targets(queries)
        names = [
            query.parameters or last_layer(self._network, len(self._labels), self._source)
            for query in queries
        ]
        found: dict[int, Rows] = {}
        asked = list(dict.fromkeys(name for row in names for name in row))
        with followed(self._network, asked, self._source) as chosen:

            def ask(batch: list[int]) -> list[Rows]:
                with torch.enable_grad():
                    logits = self._network(**self._inputs(batch)).logits
                    parameters = [[chosen[name] for name in names[i]] for i in batch]
                    return gradients_of_losses(logits, [targets[i] for i in batch], parameters)

            for answered in self._run(self._lengths, ask):
                found |= dict(zip(answered.indices, answered.answer, strict=True))
        return [found[i] for i in range(len(queries))]

    def along_paths(self, queries: Sequence[PathGradient]) -> list[PathGradients]:
        """Integrated gradients of each query; the points of all paths are run together."""
        targets = self._targets(queries)
        points = [path_points(query) for query in queries]
        known = {name: self._start(name) for name in {query.baseline for query in queries}}
        starts = [known[query.baseline] for query in queries]
        rows = [(i, k) for i, (shares, _) in enumerate(points) for k in range(len(shares))]
        sums = [np.zeros(length) for length in self._lengths]
        ends = np.zeros((len(queries), 2))

        def ask(batch: list[int]) -> tuple[Any, Any]:
            of = [rows[row][0] for row in batch]
            shares = [points[i][0][k] for i, k in (rows[row] for row in batch)]
            ways: list[Any] = []

            def moved(vectors: Any) -> Any:
                moves = self._moves(of, vectors.shape[1]).to(vectors.device)
                start = torch.stack([starts[i] for i in of])[:, None].to(vectors)
                ways.append(way_to(vectors, start, moves))
                return moved_back(vectors, ways[0], torch.tensor(shares).to(vectors))

            point, logits = self._slopes.forward(self._inputs(of), moved)
            scores = logits[range(len(of)), [targets[i] for i in of]]
            found = attributions_of(scores, point, ways[0])
            return found.double().numpy(force=True), scores.double().numpy(force=True)

        for answered in self._run([self._lengths[i] for i, _ in rows], ask):
            for row, slopes, score in zip(answered.indices, *answered.answer, strict=True):
                i, k = rows[row]
                own = own_tokens(self._lengths[i], len(slopes), self._tokenizer.padding_side)
                sums[i] += points[i][1][k] * slopes[own]
                if k < len(ends[i]):
                    ends[i, k] = score
        return [self._answer(i, query, sums[i], ends[i]) for i, query in enumerate(queries)]

    def _start(self, baseline: str) -> Any:
        """Vector ``(dimension,)`` that every piece starts from."""
        count, width = self._slopes.embedding.weight.shape
        if baseline == "zeros":
            return torch.zeros(width, device=self._network.device)
        token, what = getattr(self._tokenizer, _TOKENS.get(baseline, ""), None), _NAMES[baseline]
        if token is None and baseline in _TOKENS:
            raise ModelError(
                f"{self._source} cannot start a path from {what}: its tokenizer has no token for "
                "that. Start from zeros."
            )
        ids = torch.arange(count) if token is None else torch.tensor([token])
        with torch.no_grad():
            return self._slopes.embedding(ids.to(self._network.device)).mean(0)

    def _moves(self, of: Sequence[int], width: int) -> Any:
        """Which tokens ``(row, token)`` move on the path: those of the texts."""
        moves = np.zeros((len(of), width), dtype=np.bool_)
        for row, i in enumerate(of):
            own = own_tokens(self._lengths[i], width, self._tokenizer.padding_side)
            moves[row, own] = [s is not None for s in self._tokenized.encodings[i].sequence_ids]
        return torch.from_numpy(moves)

    def _answer(self, i: int, query: PathGradient, sums: Floats, ends: Floats) -> PathGradients:
        """Attributions of one query's pieces, with their places."""
        kept, places = own_places(self._tokenized.encodings[i], [text for _, text in query.texts])
        return PathGradients.of_pieces(sums[kept].tolist(), places, ends.tolist())
