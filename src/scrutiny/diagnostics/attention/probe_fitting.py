"""Probes that predict syntactic heads from attention maps: small models in torch.

Every probe scores each pair of words and each word with the root; the head of word i is a softmax
over a row. Maps enter by weights k: ``sum_k w_k a^k_ij + u_k a^k_ji``. They enter as they are:
brought to unit variance, maps of noise are learned by heart.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.errors import MissingExtraError
from scrutiny.diagnostics.attention.probe_data import Parsed

Tensors = dict[str, Any]


class ProbeInput(NamedTuple):
    """Tensors that a probe computes its scores from.

    ``maps`` ``(map, word, word)``; ``special`` ``(map, word, 2)``; ``vectors``
    ``(word, dimension)``, or nothing; ``words``, the words' places, as an array.
    """

    maps: Any
    special: Any
    vectors: Any
    words: NDArray[np.int64]


#: Scores ``(word, word + 1)`` of heads, the root last, of parameters and what is seen.
Score = Callable[[Tensors, ProbeInput], Any]
#: Width of the layer of the baseline, and features of a distance.
_HIDDEN: Final = 256
_DISTANCES: Final = 8
_SMALL: Final = 0.01
#: One sentence in so many is held out of the fit.
_HELD: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class FittedProbe:
    """A fitted probe.

    Parameters
    ----------
    parameters
        Tensors by name.
    score
        What it makes of them and a sentence.
    see
        What it sees of a sentence.
    """

    parameters: Tensors
    score: Score
    vectors: Any

    def see(self, sentence: Parsed) -> ProbeInput:
        """Input of a sentence, in float32."""
        import torch

        types = torch.from_numpy(sentence.types)
        return ProbeInput(
            maps=torch.from_numpy(sentence.maps).float(),
            special=torch.from_numpy(sentence.special).float(),
            vectors=None if self.vectors is None else self.vectors[types],
            words=sentence.words,
        )

    def heads(self, sentence: Parsed) -> NDArray[np.int64]:
        """Position ``(word,)`` of each word's head, the number of words for the root."""
        import torch

        with torch.inference_mode():
            scores = self.score(self.parameters, self.see(sentence))
            found: NDArray[np.int64] = scores.argmax(dim=1).numpy()
        return found


def fit_probe(
    kind: str,
    sentences: Sequence[Parsed],
    *,
    vectors: NDArray[np.float32] | None,
    epochs: int,
    learning_rate: float = 0.002,
    rng: np.random.Generator,
) -> FittedProbe:
    """Probe of a kind, fitted to sentences.

    Parameters
    ----------
    kind
        A name of `KINDS`.
    sentences
        With at least one word whose head is known, each.
    vectors
        Of word types; the attention-only probe has none.
    epochs, learning_rate
        Of Adam, one sentence at a time; .002 as published.
    rng
        Of the first weights and the order of the sentences.

    Raises
    ------
    MissingExtraError
        Without torch.

    **Measures**: how much of the syntax is in the maps, for a reader who may weight them.

    **Misleads when**: read as the model's own use of it; sentences are few for the weights.

    **References**: Clark et al. (2019), What does BERT look at?, section 5.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("A probe of attention", "hf") from error
    order = rng.permutation(len(sentences)).tolist()
    held, fitted = (order[: len(order) // _HELD], order[len(order) // _HELD :])
    width = 0 if vectors is None else vectors.shape[1]
    seed = torch.Generator().manual_seed(int(rng.integers(2**62)))
    probe = FittedProbe(
        {
            name: (torch.randn(shape, generator=seed) * _SMALL).requires_grad_()
            for name, shape in _shapes(kind, sentences[0].maps.shape[0], width).items()
        },
        KINDS[kind],
        None if vectors is None else torch.from_numpy(vectors),
    )
    adam = torch.optim.Adam(list(probe.parameters.values()), lr=learning_rate)
    best, most = probe, -1
    for _ in range(epochs):
        for i in rng.permutation(fitted).tolist():
            known = np.flatnonzero(sentences[i].heads >= 0)
            scores = probe.score(probe.parameters, probe.see(sentences[i]))
            gold = torch.from_numpy(sentences[i].heads[known])
            loss = torch.nn.functional.cross_entropy(scores[torch.from_numpy(known)], gold)
            adam.zero_grad()
            loss.backward()
            adam.step()
        right = sum((probe.heads(sentences[i]) == sentences[i].heads).sum() for i in held)
        if right > most or not held:
            copied = {name: one.detach().clone() for name, one in probe.parameters.items()}
            best, most = replace(probe, parameters=copied), right
    return best


def _shapes(kind: str, maps: int, width: int) -> dict[str, tuple[int, ...]]:
    """Shapes of a probe's parameters, by the number of maps and the width of vectors."""
    if kind == "distances-words":
        names = {"from": width, "to": width, "apart": _DISTANCES}
        wide: dict[str, tuple[int, ...]] = {name: (rows, _HIDDEN) for name, rows in names.items()}
        return {**wide, "root": (_HIDDEN,), "inner": (_HIDDEN,), "outer": (_HIDDEN,)}
    own: dict[str, tuple[int, ...]] = {"w": (2 * maps,), "root": (maps, 2), "bias": (1,)}
    both = (width, 2 * maps)
    return {**own, "from": both, "to": both} if kind in WITH_WORDS else own


def _attention(parameters: Tensors, seen: ProbeInput) -> Any:
    """The same weights of the maps for all words."""
    here, back = parameters["w"].chunk(2)
    scores = _mixed(here, seen.maps) + _mixed(back, seen.maps).T
    return _with_root(scores, _root(parameters, seen.special))


def _attention_words(parameters: Tensors, seen: ProbeInput) -> Any:
    """Weights of the maps as a linear function of the two words' vectors."""
    import torch

    both = torch.cat([seen.maps, seen.maps.transpose(1, 2)])  # (2 map, word, word)
    by_dependent = seen.vectors @ parameters["from"] + parameters["w"]  # (word, 2 map)
    scores = torch.einsum("ik,kij->ij", by_dependent, both)
    scores = scores + torch.einsum("jk,kij->ij", seen.vectors @ parameters["to"], both)
    return _with_root(scores, _root(parameters, seen.special))


def _distances_words(parameters: Tensors, seen: ProbeInput) -> Any:
    """A probe without attention: one hidden layer over two words' vectors and their distance."""
    import torch

    dependent = seen.vectors @ parameters["from"] + parameters["inner"]  # (word, hidden)
    apart = torch.from_numpy(distance_features(seen.words)) @ parameters["apart"]
    hidden = torch.tanh(dependent[:, None] + (seen.vectors @ parameters["to"])[None] + apart)
    root = torch.tanh(dependent + parameters["root"]) @ parameters["outer"]
    return _with_root(hidden @ parameters["outer"], root)


def distance_features(words: NDArray[np.int64]) -> NDArray[np.float32]:
    """Features ``(word, word, 8)`` that a probe has of the distance from one word to another.

    Just behind, just before, two behind, two before, farther behind, farther before; one by the
    distance, and its logarithm. All are 0 for a word and itself. (The published eight are not
    stated.)
    """
    d = words[None, :] - words[:, None]
    away = np.maximum(np.abs(d), 1)
    is_other = d != 0
    found = [d == 1, d == -1, d == 2, d == -2, d > 2, d < -2, is_other / away, np.log(away)]
    return np.stack(found, axis=-1).astype(np.float32)


#: Scores of each kind of probe.
KINDS: Final[Mapping[str, Score]] = {
    "attention": _attention,
    "attention-words": _attention_words,
    "distances-words": _distances_words,
}
#: Kinds that are given word vectors.
WITH_WORDS: Final = ("attention-words", "distances-words")


def _mixed(weights: Any, maps: Any) -> Any:
    """Weighted sum of maps ``(map, word, word)``."""
    return (weights @ maps.flatten(1)).unflatten(0, maps.shape[1:])


def _root(parameters: Tensors, special: Any) -> Any:
    """Score ``(word,)`` of being the root: weighted attention to the special tokens."""
    by_word = special.transpose(0, 1).flatten(1)  # (word, 2 map)
    return by_word @ parameters["root"].flatten() + parameters["bias"]


def _with_root(scores: Any, root: Any) -> Any:
    """Scores with the root after the words; no word is its own head."""
    import torch

    is_self = torch.eye(scores.shape[0], dtype=torch.bool)
    return torch.cat([scores.masked_fill(is_self, float("-inf")), root[:, None]], dim=1)
