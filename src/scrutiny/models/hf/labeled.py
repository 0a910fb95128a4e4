"""What classifiers and taggers of transformers have in common: tokens, vectors, input slopes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scrutiny.core.errors import ModelError
from scrutiny.core.gradients import InputEmbeddings
from scrutiny.core.language import Encoded
from scrutiny.models.hf.attention.maps import AttentionSource
from scrutiny.models.hf.attention.models import Attending
from scrutiny.models.hf.forward import Forward
from scrutiny.models.hf.sequences import Runner
from scrutiny.models.hf.slopes.gradients import InputSlopes, embeddings_of
from scrutiny.models.hf.vectors import Representing, encode_texts, has_vectors


@dataclass(frozen=True, slots=True)
class Loaded:
    """What both kinds of model are made of.

    Parameters
    ----------
    source, task
        Model string and name of the task.
    tokenizer
        A fast tokenizer.
    forward
        The network with its head.
    runner
        The network as it is run for vectors.
    limit
        Most tokens of one text, or nothing.
    names
        Names of the network's outputs, in order.
    fingerprint
        Digest of all that changes an answer.
    attention
        Where its attention maps come from, if its weights can be had.
    """

    source: str
    task: str
    tokenizer: Any
    forward: Forward
    runner: Runner
    limit: int | None
    names: tuple[str, ...]
    fingerprint: str
    attention: AttentionSource | None

    def encode(self, fields: Sequence[Sequence[str]], *, truncate: bool, **more: bool) -> Any:
        """Token columns of texts ``fields[field][text]``, not padded."""
        return self.tokenizer(
            *map(list, fields),
            truncation=truncate and self.limit is not None,
            max_length=self.limit if truncate else None,
            padding=False,
            verbose=False,
            **more,
        )


class HfLabeled(Representing, Attending):
    """A network with a head over labels; vectors are those of the layers under its head."""

    is_batch_invariant = False
    labels: tuple[str, ...]

    def __init__(self, loaded: Loaded) -> None:
        network = loaded.forward.network
        self.source = loaded.source
        self.task = loaded.task
        self.limit: int | None = loaded.limit
        self.mask_id: int | None = loaded.tokenizer.mask_token_id
        self.begin_id: int | None = None
        self.capabilities = frozenset({"predict"}) | self._offer(loaded.attention)
        if has_vectors(network):
            self.n_layers = int(network.config.num_hidden_layers)
            self.capabilities |= {"tokenizes", "representations"}
        if not network.config.is_encoder_decoder:  # which read their input twice
            self.capabilities |= {"gradients"}
        self._loaded = loaded
        self._runner = loaded.runner
        self._slopes: InputSlopes | None = None
        self._embeddings: InputEmbeddings | None = None

    def fingerprint(self) -> str:
        """Digest of weights, configuration, tokenizer and the way it is run."""
        return self._loaded.fingerprint

    def encode(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None = None, special: bool = True
    ) -> list[Encoded]:
        """Tokens of each text, or of each pair of texts; never cut."""
        return encode_texts(self._loaded.tokenizer, texts, pairs=pairs, special=special)

    def decode(self, ids: Sequence[int]) -> str:
        """Text of token ids, as the tokenizer writes it."""
        return str(self._loaded.tokenizer.decode(list(ids)))

    def embeddings(self) -> InputEmbeddings:
        """Input vectors of the whole vocabulary; the same object each time."""
        if self._embeddings is None:
            self._embeddings = embeddings_of(self._input_slopes().embedding, self._loaded.tokenizer)
        return self._embeddings

    def _input_slopes(self) -> InputSlopes:
        """The way back through the network, made when it is first asked for."""
        if self._slopes is None:
            forward = self._loaded.forward
            self._slopes = InputSlopes(forward.network, budget=forward.budget, source=self.source)
        return self._slopes

    def _index_of(self, label: str) -> int:
        """Number of a label.

        Raises
        ------
        ModelError
            If there is no such label.
        """
        if label not in self.labels:
            raise ModelError(
                f"{self.source} has no label {label!r}; its labels are {', '.join(self.labels)}."
            )
        return self.labels.index(label)
