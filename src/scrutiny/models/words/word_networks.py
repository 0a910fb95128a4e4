"""Networks over words: shared parts of recurrent and attention classifiers.

A folder holds weights (safetensors), words and a configuration (JSON). With ``#untrained=3`` the
architecture and the words are those of the folder, and the weights are drawn anew. A text stands
between two boundary tokens.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final, Self, TypeVar

from scrutiny.core.answers.label_and_spans import LABEL, SEGMENTS, SPANS
from scrutiny.core.boundary.json_text import as_tuples, canonical_json, digest, plain
from scrutiny.core.errors import ModelError, require_packages
from scrutiny.core.example import Example
from scrutiny.core.facts import ONE_TEXT, RUNNING_TEXT, Facts
from scrutiny.core.facts import SEGMENTS as OF_WORDS
from scrutiny.core.facts import SPANS as OF_TAGS
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.queries.gradients import (
    FOLLOWED,
    Baseline,
    ParameterGradient,
    PathGradient,
    PathGradients,
)
from scrutiny.core.task import Task
from scrutiny.models.strings.adapters import Adapter, must_answer_task
from scrutiny.models.strings.model_strings import ModelSource
from scrutiny.models.words.word_layers import ReadsLayers
from scrutiny.models.words.word_model import (
    BEGIN,
    CONFIG,
    END,
    FIRST_WORD,
    HEAD,
    PAD,
    UNKNOWN,
    UNTRAINED,
    Vocabulary,
    WordModel,
    no_mask,
    pieces_of_words,
    read_config,
    require_words,
    word_folder,
    write_word_file,
)

#: What an output is of a network that was trained on running text: the next character.
NEXT: Final = "next character"
VOCABULARY: Final = "vocabulary.json"
WEIGHTS: Final = "model.safetensors"


#: Vectors of which a share is left out.
Dropout = Callable[[Any], Any]


def no_dropout(vectors: Any) -> Any:
    """All vectors as they are."""
    return vectors


@dataclass(frozen=True, slots=True, eq=False)
class NetworkParts(ABC):
    """A network with everything needed to run it; each kind is a class of its own.

    ``format`` is what ``config.json`` says that the folder is; ``what`` and ``verb`` stand in
    messages: what needs torch, and the command that makes such folders; ``answers`` are what its
    networks can be trained for.

    Parameters
    ----------
    architecture, vocabulary, labels
        What it is made of, the words that it knows, and its labels in the order of the outputs.
    network
        Parts by name, as its kind makes them.
    answer
        Whether an output is the ``label`` of a text, the tag of a word (``spans``), whether two
        characters belong to two words (``segments``), or the ``next character`` at each one.
    """

    answers: ClassVar[tuple[Facts, ...]] = (ONE_TEXT,)
    format: ClassVar[str]
    what: ClassVar[str]
    verb: ClassVar[str]
    made_of: ClassVar[type["PlainArchitecture"]]

    architecture: Any
    vocabulary: Vocabulary
    labels: tuple[str, ...]
    network: Any
    answer: str = LABEL.name

    @property
    def has_places(self) -> bool:
        """Whether it has outputs at each position, and not for the text."""
        return self.answer != LABEL.name

    def digest(self) -> str:
        """Digest of the weights, the words and the labels."""
        weights = [
            f"{name}:{digest(weight.detach().cpu().numpy().tobytes())}"
            for name, weight in sorted(self.network.state_dict().items())
        ]
        settings = [self.architecture, self.vocabulary.words, self.labels]
        settings += [self.answer] * self.has_places
        return digest(self.format, canonical_json(settings), *weights)

    def fixed(self) -> Any:
        """The network in double precision, for inference only."""
        return self.network.double().eval().requires_grad_(requires_grad=False)

    @staticmethod
    @abstractmethod
    def make(architecture: Any, *, n_words: int, n_labels: int, seed: int) -> Any:
        """Parts of a network with fresh weights, by name."""

    @abstractmethod
    def logits(
        self, embedded: Any, lengths: Sequence[int], is_word: Any, *, drop: Dropout = no_dropout
    ) -> Any:
        """Scores ``(text, label)`` of embedded words ``(text, position, dimension)``.

        Of a tagger they are ``(text, position, tag)``, and mean something at words alone. ``drop``
        is the dropout of a text's vector before it is read out.
        """


P = TypeVar("P", bound=NetworkParts)


def fresh_parts(
    parts: type[P],
    architecture: Any,
    vocabulary: Vocabulary,
    *,
    labels: Sequence[str],
    seed: int,
    answer: str = LABEL.name,
) -> P:
    """Network with random weights: the same for the same seed.

    Raises
    ------
    MissingExtraError
        If torch is not installed.
    """
    require_packages(parts.what, "hf", "torch")
    network = parts.make(
        architecture, n_words=len(vocabulary.words), n_labels=len(labels), seed=seed
    )
    return parts(architecture, vocabulary, tuple(labels), network, answer)


def read_network(parts: type[P], folder: Path, text: str, *, untrained: int | None = None) -> P:
    """Network of a folder, trained or with random weights.

    Parameters
    ----------
    parts
        Of which kind.
    folder
        Where `write_network` has put it.
    text
        Model string, for messages.
    untrained
        Seed of fresh weights instead of those in the folder.

    Raises
    ------
    ModelError
        If the folder holds no such network.
    MissingExtraError
        If torch or safetensors are not installed.
    """
    config = read_config(folder, text, parts.format, verb=parts.verb)
    made = fresh_parts(
        parts,
        parts.made_of.of(config["architecture"]),
        Vocabulary.read(folder / VOCABULARY),
        labels=config["labels"],
        seed=untrained or 0,
        answer=config.get("answer", LABEL.name),
    )
    if untrained is None:
        path = folder / WEIGHTS
        require_packages(made.what, "hf", "safetensors.torch")
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            made.network.load_state_dict(load_file(path))
        except (SafetensorError, OSError, RuntimeError) as error:
            raise ModelError(f"{text!r}: {path.name} does not load: {error}") from error
    return made


def write_network(parts: NetworkParts, folder: Path) -> None:
    """Write weights, words and configuration into an existing folder."""
    from safetensors.torch import save_file

    config: Mapping[str, Any] = {
        "format": parts.format,
        "architecture": plain(parts.architecture),
        "labels": list(parts.labels),
        **({"answer": parts.answer} if parts.has_places else {}),
    }
    write_word_file(folder / CONFIG, config)
    write_word_file(folder / VOCABULARY, list(parts.vocabulary.words))
    weights = {name: weight.contiguous() for name, weight in parts.network.state_dict().items()}
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})


class NetworkModel(ReadsLayers, WordModel):
    """A trained network on words, with fixed weights.

    Parameters
    ----------
    parts
        The network and its words.
    source
        Model string, for messages.
    """

    offers: ClassVar[frozenset[str]] = frozenset(
        {*FOLLOWED, "last_layer", "representations", "shuffled_weights"}
    )

    def __init__(self, parts: Any, source: str) -> None:
        super().__init__(parts, source, offers=self.offers)
        self._parts = parts
        self._network = parts.fixed()
        self._known = parts.vocabulary.index()

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the network's parameters."""
        return tuple(name for name, _ in self._network.named_parameters())

    def _along_path(self, example: Example, label: int, query: PathGradient) -> PathGradients:
        """Attributions of one query; the points of its path are run together, and no others."""
        from scrutiny.models.hf.gradient_queries import along_one_path

        embedding = self._network["embedding"]
        ids, lengths, is_word = self._sequences([self._parts.vocabulary.cut(example.text)])

        def scores(points: Any) -> Any:
            count = len(points)
            return self._parts.logits(points, lengths * count, is_word.expand(count, -1))[:, label]

        sums, ends = along_one_path(
            query,
            embedding(ids),
            start=self._start(query.baseline),
            moves=is_word,
            score=scores,
        )
        places = [(0, first, end) for _, first, end in pieces_of_words(example)]
        return PathGradients.of_pieces(sums[1:-1], places, ends)  # inside the boundaries

    @contextmanager
    def with_shuffled_weights(self, share: float, seed: int) -> Iterator[Model]:
        """Another network with the weights of a share of the layers shuffled, from the output."""
        from scrutiny.models.shuffled_weights import shuffle

        parts = replace(self._parts, network=deepcopy(self._parts.network))
        shuffle(parts.network, share, seed)
        yield type(self)(parts, self.source)

    def _start(self, baseline: Baseline) -> Any:
        """Vector ``(dimension,)``, or zero, that every word starts from."""
        weight = self._network["embedding"].weight
        if baseline == "mask":
            raise no_mask(self.source)
        if baseline == "mean":
            return weight[FIRST_WORD:].mean(0)
        words = {"unknown": UNKNOWN, "pad": PAD}
        return weight[words[baseline]] if baseline in words else 0.0

    def _by_parameters(
        self, example: Example, label: int, query: ParameterGradient
    ) -> tuple[tuple[float, ...], ...]:
        """Gradient of one query's loss by each of its parameters."""
        import torch

        from scrutiny.models.hf.gradient_queries import followed, gradients_of_losses

        names = query.parameters or ("output.weight", "output.bias")
        ids, lengths, is_word = self._sequences([self._parts.vocabulary.cut(example.text)])
        with followed(self._network, names, self.source) as chosen, torch.enable_grad():
            logits = self._parts.logits(self._network["embedding"](ids), lengths, is_word)
            return gradients_of_losses(logits, [label], [[chosen[name] for name in names]])[0]

    def _sequences(self, texts: Sequence[tuple[str, ...]]) -> tuple[Any, list[int], Any]:
        """Texts in the form of `sequences_of`, with the words that the network knows."""
        return sequences_of([self._parts.vocabulary.ids(words, self._known) for words in texts])


#: Facts of the tasks that networks were trained for, by their answers; of labels by default.
_ANSWERED: Final = {SPANS.name: OF_TAGS, SEGMENTS.name: OF_WORDS, NEXT: RUNNING_TEXT}


def network_adapter(
    parts: type[P],
    model: type[NetworkModel],
    others: Mapping[str, type[NetworkModel]] = MappingProxyType({}),
) -> Adapter:
    """Adapter of networks of one kind, which run on the processor whatever the options say.

    ``others`` are the models of those whose outputs are no labels, by their answers.
    """

    def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
        is_bare = bool(source.options.get(HEAD))
        is_read = is_bare or not task.must_be_answered
        known = (UNTRAINED, HEAD)
        folder = require_words(
            source, task, wanted=parts.answers, options=known, for_vectors=is_read
        )
        seed = source.options.get(UNTRAINED)
        if seed is not None and not seed.isdecimal():
            raise ModelError(
                f"{source.text!r}: untrained is a whole number from 0 on, not {seed!r}."
            )
        drawn = None if seed is None else int(seed)
        made = read_network(parts, folder, source.text, untrained=drawn)
        of_characters = made.answer in (NEXT, SEGMENTS.name)
        if is_bare and of_characters:
            raise ModelError(f"{source.text!r} reads characters, and has no vectors of words.")
        is_read &= not of_characters  # some have cells for running text
        if not is_read:
            facts = _ANSWERED.get(made.answer, ONE_TEXT)
            must_answer_task(task, (facts,), source=source.text)
        kind = others.get(made.answer, model)
        found = kind(replace(made, labels=source.labels_for(made.labels)), source.text)
        if is_read:
            found.keep_vectors_alone(task)
        return found

    name = parts.what.partition(" ")[2].capitalize()
    load.__doc__ = f"""{name} of a folder, trained or with random weights.

    Raises
    ------
    ModelError
        If the folder holds no such classifier, or an option cannot be read.
    MissingExtraError
        If torch or safetensors are not installed.
    """
    return Adapter(load, folder_of=word_folder, imports=("torch",))


@dataclass(frozen=True, slots=True)
class PlainArchitecture:
    """Base of the architectures of small networks, which are plain JSON."""

    @classmethod
    def of(cls, stated: dict[str, Any]) -> Self:
        """Architecture from its plain JSON."""
        known = {field.name for field in fields(cls)}
        given = {name: value for name, value in stated.items() if name in known}
        return cls(**{name: as_tuples(value) for name, value in given.items()})


def sequences_of(texts: Sequence[Sequence[int]]) -> tuple[Any, list[int], Any]:
    """Padded ids ``(text, position)``, lengths, and which positions are words.

    Parameters
    ----------
    texts
        Ids of the words of each text; boundaries are put round them.
    """
    import torch

    rows = [[BEGIN, *ids, END] for ids in texts]
    lengths = [len(row) for row in rows]
    width = max(lengths)
    padded = torch.tensor([[*row, *[PAD] * (width - len(row))] for row in rows])
    is_word = torch.zeros_like(padded, dtype=torch.bool)
    for i, ids in enumerate(texts):
        is_word[i, 1 : 1 + len(ids)] = True
    return padded, lengths, is_word
