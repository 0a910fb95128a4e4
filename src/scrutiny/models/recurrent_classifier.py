"""Recurrent classifiers over words: ``recurrent:./runs/lstm/seed-{seed}``.

A folder that ``scrutiny train recurrent`` wrote: safetensors and JSON. With ``#untrained=3`` the
architecture and the words are the same and the weights are drawn anew, which makes a null.

The network is small, so it runs on the processor, in double precision: what stands beside a text
in a batch changes its answer by rounding errors of 1e-16.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from scrutiny.core.canonical import canonical_json, digest
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import MissingExtraError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.gradients import InputEmbeddings, TokenGradients
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.attention_network import FIRST_WORD, sequences_of
from scrutiny.models.attention_vocabulary import Vocabulary
from scrutiny.models.hf_batching import longest_first
from scrutiny.models.inputs import require_task
from scrutiny.models.recurrent_network import RecurrentArchitecture, make_recurrent, pooled
from scrutiny.models.source import TRAINING, ModelSource
from scrutiny.models.word_folder import HASHES, read_config, renamed, word_pieces, write_json

#: What ``config.json`` says that the folder is.
FORMAT: Final = "recurrent-classifier@1"
VOCABULARY: Final = "vocabulary.json"
WEIGHTS: Final = "model.safetensors"
_UNTRAINED: Final = "untrained"
_AT_ONCE: Final = 64  # texts


@dataclass(frozen=True, slots=True, eq=False)
class RecurrentParts:
    """A network with all that it takes to ask it.

    Parameters
    ----------
    architecture, vocabulary, labels
        What it is made of, the words that it knows, and its labels in the order of the outputs.
    network
        Parts by name, of `scrutiny.models.recurrent_network.make_recurrent`.
    """

    architecture: RecurrentArchitecture
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

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of the words of each text."""
        known = self.vocabulary.index()
        return [self.vocabulary.ids(self.vocabulary.cut(text), known) for text in texts]


class RecurrentClassifier:
    """A classifier that reads words one after the other; capability ``gradients``."""

    is_batch_invariant = False

    def __init__(self, parts: RecurrentParts, source: str, *, folder: Path | None = None) -> None:
        self.source = source
        self.task = "text-classification"
        self.labels = parts.labels
        self.capabilities = frozenset({"predict", "gradients"})
        if folder is not None:
            self.capabilities |= {"training_hashes"}
            self.training_hashes = lambda: np.load(folder / HASHES, allow_pickle=False)
        self._fingerprint = parts.digest()
        self._parts = parts
        self._network = parts.network.double().eval().requires_grad_(requires_grad=False)
        self._embeddings: InputEmbeddings | None = None

    def fingerprint(self) -> str:
        """Digest of the weights, the words and the labels."""
        return self._fingerprint

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        import torch

        found: dict[int, Prediction] = {}
        for batch, ids, lengths in self._batches(examples):
            with torch.inference_mode():
                logits = self._logits(self._network["embedding"](ids), lengths)
                rows = torch.softmax(logits, dim=-1).tolist()
            found |= {i: Prediction(scores=tuple(row)) for i, row in zip(batch, rows, strict=True)}
        return [found[i] for i in range(len(examples))]

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Slope of minus the log-probability of a label for each example, in order.

        Raises
        ------
        ModelError
            For a label that the model does not have.
        """
        import torch

        unknown = [label for label in labels if label not in self.labels]
        if unknown:
            raise ModelError(
                f"{self.source} has no label {unknown[0]!r}; it has {', '.join(self.labels)}."
            )
        found: dict[int, TokenGradients | Failure] = {}
        for batch, ids, lengths in self._batches(examples):
            embedded = self._network["embedding"](ids).detach().requires_grad_(requires_grad=True)
            wanted = torch.tensor([self.labels.index(labels[i]) for i in batch])
            with torch.enable_grad():
                logits = self._logits(embedded, lengths)
                loss = torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")
                (slopes,) = torch.autograd.grad(loss, embedded)
            for k, i in enumerate(batch):
                own = slice(1, lengths[k] - 1)  # between the boundaries
                pieces = word_pieces(examples[i])
                found[i] = TokenGradients(
                    pieces, tuple(ids[k, own].tolist()), slopes[k, own].numpy().copy()
                )
        return [found[i] for i in range(len(examples))]

    def embeddings(self) -> InputEmbeddings:
        """Vectors of all words, lower-cased, behind those of padding and boundaries."""
        if self._embeddings is None:
            words = ("",) * FIRST_WORD + self._parts.vocabulary.words
            starts = np.arange(len(words)) >= FIRST_WORD
            matrix = self._network["embedding"].weight.numpy()
            self._embeddings = InputEmbeddings(matrix, words, starts)
        return self._embeddings

    def _batches(self, examples: Sequence[Example]) -> Iterator[tuple[list[int], Any, list[int]]]:
        """Indices, padded ids and lengths of examples that are asked together."""
        rows = self._parts.ids([example.text for example in examples])
        order = longest_first([len(row) for row in rows])
        for start in range(0, len(order), _AT_ONCE):
            batch = order[start : start + _AT_ONCE]
            ids, lengths, _ = sequences_of([rows[i] for i in batch])
            yield batch, ids, lengths

    def _logits(self, embedded: Any, lengths: Sequence[int]) -> Any:
        """Scores ``(text, label)``."""
        vectors = pooled(self._network, self._parts.architecture, embedded, lengths)
        return self._network["output"](vectors)


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Recurrent classifier of a folder, trained or with fresh weights.

    Raises
    ------
    ModelError
        If the folder holds no such classifier, or an option does not read.
    MissingExtraError
        If torch or safetensors are not installed.
    """
    del options  # it is small: it runs on the processor
    source.refuse_unknown_options(("labels", _UNTRAINED, TRAINING))
    require_task(task, ("text-classification",), source=source.text)
    folder = Path(source.target).expanduser()
    seed = source.options.get(_UNTRAINED)
    if seed is not None and not seed.isdecimal():
        raise ModelError(f"{source.text!r}: untrained is a whole number from 0 on, not {seed!r}.")
    parts = read_recurrent(folder, source.text, untrained=None if seed is None else int(seed))
    parts = replace(parts, labels=renamed(parts.labels, source))
    has_hashes = seed is None and (folder / HASHES).is_file()
    return RecurrentClassifier(parts, source.text, folder=folder if has_hashes else None)


def read_recurrent(folder: Path, text: str, *, untrained: int | None = None) -> RecurrentParts:
    """Parts of the classifier in a folder.

    Parameters
    ----------
    folder
        Where `write_recurrent` has put it.
    text
        Model string, for messages.
    untrained
        Seed of fresh weights instead of those in the folder.
    """
    config = read_config(folder, text, FORMAT, verb="scrutiny train recurrent")
    architecture = RecurrentArchitecture.of(config["architecture"])
    vocabulary = Vocabulary.read(folder / VOCABULARY)
    try:
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        network = make_recurrent(
            architecture,
            n_words=len(vocabulary.words),
            n_labels=len(config["labels"]),
            seed=untrained or 0,
        )
    except ImportError as error:
        raise MissingExtraError("A recurrent classifier", "hf") from error
    if untrained is None:
        try:
            network.load_state_dict(load_file(folder / WEIGHTS))
        except (SafetensorError, OSError, RuntimeError) as error:
            raise ModelError(f"{text!r}: {WEIGHTS} does not load: {error}") from error
    return RecurrentParts(architecture, vocabulary, tuple(config["labels"]), network)


def write_recurrent(parts: RecurrentParts, folder: Path) -> None:
    """Write weights, words and configuration into a folder that is there."""
    from safetensors.torch import save_file

    config = {
        "format": FORMAT,
        "architecture": parts.architecture.plain(),
        "labels": list(parts.labels),
    }
    write_json(folder / "config.json", config)
    write_json(folder / VOCABULARY, list(parts.vocabulary.words))
    weights = {name: weight.contiguous() for name, weight in parts.network.state_dict().items()}
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
