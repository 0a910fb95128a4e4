"""Probes that read syntactic heads off attention maps: small models, fitted by torch.

Every probe scores each pair of words and each word with the root; the head of word i is a softmax
over a row. Maps enter by weights k: ``sum_k w_k a^k_ij + u_k a^k_ji``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.errors import MissingExtraError
from scrutiny.diagnostics.attention.probes_reading import Parsed

Tensors = dict[str, Any]
#: Scores ``(word, word + 1)`` of heads, the root last, of parameters, a sentence and its vectors.
Score = Callable[[Tensors, Parsed, Any], Any]

#: Width of the layer of the baseline, and features of a distance.
_HIDDEN: Final = 256
_DISTANCES: Final = 8
_SMALL: Final = 0.01


@dataclass(frozen=True, slots=True)
class Fitting:
    """How probes are fitted: Adam, one sentence at a time, .002 as published."""

    epochs: int = 5
    learning_rate: float = 0.002


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """A fitted probe.

    Parameters
    ----------
    parameters
        Tensors by name.
    score
        What it makes of them and a sentence.
    vectors
        Tensor ``(type, dimension)`` of word vectors, or nothing.
    """

    parameters: Tensors
    score: Score
    vectors: Any

    def heads(self, sentence: Parsed) -> NDArray[np.int64]:
        """Position ``(word,)`` of each word's head, the number of words for the root."""
        import torch

        with torch.inference_mode():
            scores = self.score(self.parameters, sentence, self.vectors)
            found: NDArray[np.int64] = scores.argmax(dim=1).numpy()
        return found


def fit_probe(
    kind: str,
    sentences: Sequence[Parsed],
    *,
    vectors: NDArray[np.float32] | None,
    fitting: Fitting,
    rng: np.random.Generator,
) -> Probe:
    """Probe of a kind, fitted to sentences.

    Parameters
    ----------
    kind
        A name of `KINDS`.
    sentences
        With at least one word whose head is known, each.
    vectors
        Of word types; the attention-only probe has none.
    fitting
        Epochs and rate.
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
    table = None if vectors is None else torch.from_numpy(vectors)
    width = 0 if vectors is None else vectors.shape[1]
    shapes, score = KINDS[kind]
    seed = torch.Generator().manual_seed(int(rng.integers(2**62)))
    parameters = {
        name: (torch.randn(shape, generator=seed) * _SMALL).requires_grad_()
        for name, shape in shapes(sentences[0].maps.shape[0], width).items()
    }
    adam = torch.optim.Adam(list(parameters.values()), lr=fitting.learning_rate)
    for _ in range(fitting.epochs):
        for i in rng.permutation(len(sentences)).tolist():
            scores = score(parameters, sentences[i], table)
            known = np.flatnonzero(sentences[i].heads >= 0)
            target = torch.from_numpy(sentences[i].heads[known])
            loss = torch.nn.functional.cross_entropy(scores[torch.from_numpy(known)], target)
            adam.zero_grad()
            loss.backward()
            adam.step()
    return Probe(parameters, score, table)


def _attention_shapes(maps: int, width: int) -> dict[str, tuple[int, ...]]:
    del width
    return {"w": (2 * maps,), "root": (maps, 2), "bias": (1,)}


def _attention(parameters: Tensors, sentence: Parsed, vectors: Any) -> Any:
    """Weights of the maps are the same for all words."""
    del vectors
    maps, special = _tensors(sentence)
    here, back = parameters["w"].chunk(2)
    scores = _mixed(here, maps) + _mixed(back, maps).T
    return _with_root(scores, _root(parameters, special))


def _attention_words_shapes(maps: int, width: int) -> dict[str, tuple[int, ...]]:
    own = {"from": (width, 2 * maps), "to": (width, 2 * maps)}
    return {**_attention_shapes(maps, 0), **own}


def _attention_words(parameters: Tensors, sentence: Parsed, vectors: Any) -> Any:
    """Weights of the maps are a linear function of the two words' vectors."""
    import torch

    maps, special = _tensors(sentence)
    both = torch.cat([maps, maps.transpose(1, 2)])  # (2 map, word, word)
    own = vectors[torch.from_numpy(sentence.types)]  # (word, dimension)
    by_dependent = own @ parameters["from"] + parameters["w"]  # (word, 2 map)
    scores = torch.einsum("ik,kij->ij", by_dependent, both)
    scores = scores + torch.einsum("jk,kij->ij", own @ parameters["to"], both)
    return _with_root(scores, _root(parameters, special))


def _distances_words_shapes(maps: int, width: int) -> dict[str, tuple[int, ...]]:
    del maps
    return {
        "from": (width, _HIDDEN),
        "to": (width, _HIDDEN),
        "apart": (_DISTANCES, _HIDDEN),
        "root": (_HIDDEN,),
        "inner": (_HIDDEN,),
        "outer": (_HIDDEN,),
    }


def _distances_words(parameters: Tensors, sentence: Parsed, vectors: Any) -> Any:
    """No attention at all: a hidden layer over two words' vectors and how far they are apart."""
    import torch

    own = vectors[torch.from_numpy(sentence.types)]
    dependent = own @ parameters["from"] + parameters["inner"]  # (word, hidden)
    apart = torch.from_numpy(distance_features(sentence.words)) @ parameters["apart"]
    hidden = torch.tanh(dependent[:, None] + (own @ parameters["to"])[None] + apart)
    root = torch.tanh(dependent + parameters["root"]) @ parameters["outer"]
    return _with_root(hidden @ parameters["outer"], root)


def distance_features(words: NDArray[np.int64]) -> NDArray[np.float32]:
    """Features ``(word, word, 8)`` of how far the second word stands behind the first.

    Just behind, just before, two behind, two before, farther behind, farther before; one by the
    distance, and its logarithm. All are 0 for a word and itself. (The published eight are not
    stated.)
    """
    d = words[None, :] - words[:, None]
    away = np.maximum(np.abs(d), 1)
    is_other = d != 0
    found = [d == 1, d == -1, d == 2, d == -2, d > 2, d < -2, is_other / away, np.log(away)]
    return np.stack(found, axis=-1).astype(np.float32)


#: Shapes of the parameters, by the number of maps and the width of vectors, and the scores.
KINDS: Final[Mapping[str, tuple[Callable[[int, int], dict[str, tuple[int, ...]]], Score]]] = {
    "attention": (_attention_shapes, _attention),
    "attention-words": (_attention_words_shapes, _attention_words),
    "distances-words": (_distances_words_shapes, _distances_words),
}
#: Kinds that are given word vectors.
WITH_WORDS: Final = ("attention-words", "distances-words")


def _tensors(sentence: Parsed) -> tuple[Any, Any]:
    """Maps and attention to special tokens, in float32."""
    import torch

    return torch.from_numpy(sentence.maps).float(), torch.from_numpy(sentence.special).float()


def _mixed(weights: Any, maps: Any) -> Any:
    """Maps ``(map, word, word)`` as one, by their weights."""
    return (weights @ maps.flatten(1)).unflatten(0, maps.shape[1:])


def _root(parameters: Tensors, special: Any) -> Any:
    """Score ``(word,)`` of being the root: attention to the special tokens, weighted."""
    by_word = special.transpose(0, 1).flatten(1)  # (word, 2 map)
    return by_word @ parameters["root"].flatten() + parameters["bias"]


def _with_root(scores: Any, root: Any) -> Any:
    """Scores with the root behind the words; no word is its own head."""
    import torch

    is_self = torch.eye(scores.shape[0], dtype=torch.bool)
    return torch.cat([scores.masked_fill(is_self, float("-inf")), root[:, None]], dim=1)
