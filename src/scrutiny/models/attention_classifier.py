"""Classifiers with one layer of attention: ``attention-classifier:./runs/seed-{seed}``.

A folder that `scrutiny.training.attention_classifier` wrote: safetensors and JSON. With
``#untrained=3`` the architecture and the words are the same and the weights are drawn anew, which
makes a null: ``attention-classifier:./runs/seed-1#untrained={seed}`` with as many seeds as wanted.

The network is small, so it runs on the processor, in double precision, one text at a time: no text
sees which others are asked with it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.attention_layer import AttendedText
from scrutiny.core.canonical import canonical_json, digest
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import MissingExtraError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.attention_network import (
    Architecture,
    encoded,
    make_network,
    sequences_of,
    weighted,
)
from scrutiny.models.attention_readout import LinearReadout
from scrutiny.models.attention_vocabulary import Vocabulary
from scrutiny.models.inputs import require_task
from scrutiny.models.source import TRAINING, ModelSource

#: What ``config.json`` says that the folder is.
FORMAT: Final = "attention-classifier@1"
CONFIG: Final = "config.json"
VOCABULARY: Final = "vocabulary.json"
WEIGHTS: Final = "model.safetensors"
HASHES: Final = "training_hashes.npy"
_UNTRAINED: Final = "untrained"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AttentionParts:
    """A network with all that it takes to ask it.

    Parameters
    ----------
    architecture, vocabulary, labels
        What it is made of, the words that it knows, and its labels in the order of the outputs.
    network
        Parts by name, of `scrutiny.models.attention_network.make_network`.
    """

    architecture: Architecture
    vocabulary: Vocabulary
    labels: tuple[str, ...]
    network: Any

    def digest(self) -> str:
        """Digest of the weights, the words and the labels."""
        weights = [
            f"{name}:{digest(weight.detach().cpu().numpy().tobytes())}"
            for name, weight in sorted(self.network.state_dict().items())
        ]
        settings = [self.architecture.plain(), self.vocabulary.words, self.labels]
        return digest(FORMAT, canonical_json(settings), *weights)


class AttentionClassifier:
    """A classifier with one layer of attention; capability ``attention_layer``.

    A text without any word has the probabilities that the bias of the readout gives.
    """

    is_batch_invariant = False

    def __init__(self, parts: AttentionParts, source: str, *, folder: Path | None = None) -> None:
        self.source = source
        self.task = "text-classification"
        self.labels = parts.labels
        self.capabilities = frozenset({"predict", "attention_layer"})
        if folder is not None:
            self.capabilities |= {"training_hashes"}
            self.training_hashes = lambda: np.load(folder / HASHES, allow_pickle=False)
        self._fingerprint = parts.digest()
        self._parts = parts
        self._network = parts.network.double().eval().requires_grad_(requires_grad=False)
        self._known = parts.vocabulary.index()
        output = self._network["output"]
        self._readout = LinearReadout(output.weight.numpy().T.copy(), output.bias.numpy().copy())

    def fingerprint(self) -> str:
        """Digest of the weights, the words and the labels."""
        return self._fingerprint

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        found = [self._attended(self._parts.vocabulary.cut(e.text)) for e in examples]
        return [Prediction(scores=tuple(one.probabilities.tolist())) for one in found]

    def attention_layer(self, texts: Sequence[str]) -> list[AttendedText | Failure]:
        """Words, weights and vectors of each text, in order."""
        return [self._attended(self._parts.vocabulary.cut(text)) for text in texts]

    def reweighted(self, attended: Sequence[AttendedText], weights: Floats) -> Floats:
        """Probabilities ``(text, draw, label)`` under weights ``(text, draw, token)``."""
        return self._readout.probabilities(attended, weights)

    def reweighted_slopes(
        self, attended: Sequence[AttendedText], weights: Floats, directions: Floats
    ) -> Floats:
        """Gradient ``(text, draw, token)`` of probabilities in directions."""
        return self._readout.slopes(attended, weights, directions)

    def input_slopes(self, attended: Sequence[AttendedText]) -> list[Floats]:
        """Embedding times gradient ``(token,)`` of each text, the weights held constant."""
        return [self._input_slopes(one) for one in attended]

    def without_each(self, attended: Sequence[AttendedText]) -> list[Floats]:
        """Probabilities ``(token, label)`` of each text without each of its tokens."""
        found = []
        for one in attended:
            shorter = [one.tokens[:i] + one.tokens[i + 1 :] for i in range(len(one.tokens))]
            vectors, weights = self._run(shorter)
            sums = (weights[:, None, :] @ vectors)[:, 0]  # (token left out, dimension)
            found.append(self._readout.of_sums(sums))
        return found

    def _attended(self, tokens: tuple[str, ...]) -> AttendedText:
        """What is weighted in these words, and the answer."""
        vectors, weights = self._run([tokens])
        answer = self._readout.of_sums(weights[0] @ vectors[0])
        return AttendedText(tokens, weights[0], vectors[0], answer)

    def _run(self, texts: Sequence[tuple[str, ...]]) -> tuple[Floats, Floats]:
        """Vectors ``(text, token, dimension)`` and weights of texts of one length."""
        import torch

        with torch.inference_mode():
            ids, lengths, is_word = self._sequences(texts)
            embedded = self._network["embedding"](ids)
            vectors = encoded(self._network, self._parts.architecture, embedded, lengths)
            weights = weighted(self._network, self._parts.architecture, vectors, is_word)
        return vectors[:, 1:-1].numpy(), weights[:, 1:-1].numpy()

    def _sequences(self, texts: Sequence[tuple[str, ...]]) -> tuple[Any, list[int], Any]:
        return sequences_of([self._parts.vocabulary.ids(tokens, self._known) for tokens in texts])

    def _input_slopes(self, one: AttendedText) -> Floats:
        """Embedding times gradient of one text's likeliest label."""
        import torch

        with torch.enable_grad():
            ids, lengths, _ = self._sequences([one.tokens])
            embedded = self._network["embedding"](ids).detach().requires_grad_(requires_grad=True)
            vectors = encoded(self._network, self._parts.architecture, embedded, lengths)
            weights = torch.from_numpy(one.weights)  # held constant: no part of the graph
            logits = self._network["output"](weights @ vectors[0, 1:-1])
            top = int(one.probabilities.argmax())
            (slopes,) = torch.autograd.grad(torch.softmax(logits, dim=-1)[top], embedded)
        found: Floats = (slopes * embedded.detach()).sum(-1)[0, 1:-1].numpy()
        return found


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Attention classifier of a folder, trained or with fresh weights.

    Raises
    ------
    ModelError
        If the folder holds no such classifier, or an option does not read.
    MissingExtraError
        If torch or safetensors are not installed.
    """
    del options  # it is small: it runs on the processor, text by text
    source.refuse_unknown_options(("labels", _UNTRAINED, TRAINING))
    require_task(task, ("text-classification",), source=source.text)
    folder = Path(source.target).expanduser()
    seed = source.options.get(_UNTRAINED)
    if seed is not None and not seed.isdecimal():
        raise ModelError(f"{source.text!r}: untrained is a whole number from 0 on, not {seed!r}.")
    parts = read_parts(folder, source.text, untrained=None if seed is None else int(seed))
    labels = source.labels() or parts.labels
    if len(labels) != len(parts.labels):
        raise ModelError(
            f"{source.text!r}: this model has {len(parts.labels)} labels, in the order "
            f"{'|'.join(parts.labels)}."
        )
    named = AttentionParts(parts.architecture, parts.vocabulary, labels, parts.network)
    has_hashes = seed is None and (folder / HASHES).is_file()
    return AttentionClassifier(named, source.text, folder=folder if has_hashes else None)


def read_parts(folder: Path, text: str, *, untrained: int | None = None) -> AttentionParts:
    """Parts of the classifier in a folder.

    Parameters
    ----------
    folder
        Where `write_parts` has put it.
    text
        Model string, for messages.
    untrained
        Seed of fresh weights instead of those in the folder.
    """
    config = _config(folder, text)
    architecture, labels = Architecture.of(config["architecture"]), tuple(config["labels"])
    vocabulary = Vocabulary.read(folder / VOCABULARY)
    try:
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        network = make_network(
            architecture,
            n_words=len(vocabulary.words),
            n_labels=len(labels),
            seed=0 if untrained is None else untrained,
        )
    except ImportError as error:
        raise MissingExtraError("An attention classifier", "hf") from error
    if untrained is None:
        try:
            network.load_state_dict(load_file(folder / WEIGHTS))
        except (SafetensorError, OSError, RuntimeError) as error:
            raise ModelError(f"{text!r}: {WEIGHTS} does not load: {error}") from error
    return AttentionParts(architecture, vocabulary, labels, network)


def write_parts(parts: AttentionParts, folder: Path) -> None:
    """Write weights, words and configuration into a folder that is there."""
    from safetensors.torch import save_file

    config = {
        "format": FORMAT,
        "architecture": parts.architecture.plain(),
        "labels": list(parts.labels),
    }
    _write_json(folder / CONFIG, config)
    _write_json(folder / VOCABULARY, list(parts.vocabulary.words))
    weights = {name: weight.contiguous() for name, weight in parts.network.state_dict().items()}
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})


def _write_json(path: Path, value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def _config(folder: Path, text: str) -> dict[str, Any]:
    """Configuration of a folder, checked."""
    path = folder / CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        inside = sorted(found.parent.name for found in folder.glob(f"*/{CONFIG}"))
        hint = f" There is one in: {', '.join(inside[:12])}." if inside else ""
        raise ModelError(
            f"{text!r}: {str(path)!r} does not read: {error}.{hint} Train one with `python -m "
            "scrutiny.training.attention_classifier`."
        ) from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise ModelError(
            f"{text!r}: {str(path)!r} is not of an attention classifier (format {FORMAT}). For "
            "checkpoints of transformers write hf: in front."
        )
    return config
