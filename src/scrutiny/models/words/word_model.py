"""Shared parts of classifiers over words: the model, its folder, its words and their ids."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import ONE_TEXT
from scrutiny.core.model import Model
from scrutiny.core.queries.gradients import InputPiece
from scrutiny.core.task import Task
from scrutiny.models.strings.adapters import must_answer_task
from scrutiny.models.strings.model_strings import TRAINING, ModelSource
from scrutiny.models.strings.training_records import HASHES
from scrutiny.tasks.classification import TextClassification
from scrutiny.text.tokens import token_spans, token_texts

#: Ids that are no words: padding, any unknown word, and the two boundaries.
PAD, UNKNOWN, BEGIN, END = range(4)
FIRST_WORD: Final = 4


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Known words in the order of their ids.

    Examples
    --------
    >>> words = Vocabulary.of_texts(["A film.", "a story"], least=2)
    >>> words.words, words.ids(words.cut("A good one"))
    (('a',), [4, 1, 1])
    """

    words: tuple[str, ...]

    @classmethod
    def of_texts(cls, texts: Iterable[str], *, least: int = 1) -> "Vocabulary":
        """Words with this minimum frequency, most frequent first, then alphabetical."""
        return cls(cls.frequent(Counter(word for text in texts for word in cls.cut(text)), least))

    @staticmethod
    def frequent(counts: Mapping[str, int], least: int) -> tuple[str, ...]:
        """Words or features that are frequent enough, most frequent first, then alphabetical."""
        kept = [word for word, count in counts.items() if count >= least]
        return tuple(sorted(kept, key=lambda word: (-counts[word], word)))

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """Vocabulary of a file.

        Raises
        ------
        ModelError
            If it cannot be read.
        """
        try:
            words = parse_json(path.read_bytes())
        except (OSError, ValueError) as error:
            raise ModelError(f"{str(path)!r} cannot be read: {error}.") from error
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ModelError(f"{str(path)!r} must be a list of words.")
        return cls(tuple(words))

    @staticmethod
    def cut(text: str) -> tuple[str, ...]:
        """Tokens of a text in lower case."""
        return tuple(word.lower() for word in token_texts(text))

    def ids(self, tokens: Sequence[str], known: Mapping[str, int] | None = None) -> list[int]:
        """Ids of tokens; all unknown ones share one id. ``known`` is `index`, if available."""
        index = self.index() if known is None else known
        return [index.get(token, UNKNOWN) for token in tokens]

    def index(self) -> dict[str, int]:
        """Id of each word."""
        return {word: i for i, word in enumerate(self.words, FIRST_WORD)}


CONFIG: Final = "config.json"


def pieces_of_words(example: Example) -> tuple[InputPiece, ...]:
    """Positions of the words that a word model reads, of an example with one field."""
    field = next(iter(example.fields))
    return tuple(InputPiece(field, start, end) for start, end in token_spans(example.text))


def labels_of(labels: tuple[str, ...], source: ModelSource) -> tuple[str, ...]:
    """Labels of a word model as named in its string, or unchanged.

    Raises
    ------
    ModelError
        If their number is not the model's.
    """
    stated = source.labels() or labels
    if len(stated) != len(labels):
        raise ModelError(
            f"{source.text!r}: this model has {len(labels)} labels, in the order "
            f"{'|'.join(labels)}."
        )
    return stated


def read_config(folder: Path, text: str, format_: str, *, verb: str) -> dict[str, Any]:
    """Configuration of a folder, checked.

    Parameters
    ----------
    folder, text
        Where it lies, and the model string for messages.
    format_
        What it must say that it is.
    verb
        Command that makes such folders.

    Raises
    ------
    ModelError
        If it is not there, or of something else.
    """
    path = folder / CONFIG
    try:
        config = parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        inside = sorted(found.parent.name for found in folder.glob(f"*/{CONFIG}"))
        hint = f" There is one in: {', '.join(inside[:12])}." if inside else ""
        raise ModelError(
            f"{text!r}: {str(path)!r} cannot be read: {error}.{hint} `{verb}` makes one."
        ) from error
    if not isinstance(config, dict) or config.get("format") != format_:
        said = config.get("format") if isinstance(config, dict) else None
        raise ModelError(
            f"{text!r}: {str(path)!r} is not in the format {format_}"
            + (
                f", but {said}."
                if said
                else ". For checkpoints of transformers write hf: in front."
            )
        )
    return config


def write_word_file(path: Path, value: Any) -> None:
    """Write a file of the folder that a word model is loaded from, as JSON."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


#: Option with the seed of fresh weights in place of those in the folder.
UNTRAINED: Final = "untrained"


class WordParts(Protocol):
    """A classifier's weights, words and labels."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels in the order of the scores."""

    def digest(self) -> str:
        """Digest of everything that can change an answer."""


class WordModel(Model):
    """A classifier of single texts that was trained by scrutiny: its name, labels, fingerprint."""

    def __init__(
        self, parts: WordParts, source: str, *, offers: Iterable[str], folder: Path | None
    ) -> None:
        self.source = source
        self.task = TextClassification.name
        self.labels = parts.labels
        self.capabilities = frozenset({"predict", *offers})
        if folder is not None:
            self.capabilities |= {"training_hashes"}
            self.training_hashes = lambda: np.load(folder / HASHES, allow_pickle=False)
        self._fingerprint = parts.digest()

    def fingerprint(self) -> str:
        """Digest of the weights, the words and the labels."""
        return self._fingerprint


def require_words(source: ModelSource, task: Task, *, options: tuple[str, ...] = ()) -> Path:
    """Check the folder, options and task of a model string.

    Parameters
    ----------
    source
        The model string.
    task
        What the model will be asked.
    options
        That it may have beside labels and the training text.

    Raises
    ------
    ModelError
        For another task, or an option that there is not.
    """
    source.refuse_unknown_options(("labels", *options, TRAINING))
    must_answer_task(task, (ONE_TEXT,), source=source.text)
    return Path(source.target).expanduser()


def folder_with_hashes(folder: Path) -> Path | None:
    """Folder of a word model, if it has hashes of the training text."""
    return folder if (folder / HASHES).is_file() else None


def word_folder(source: ModelSource) -> Path | None:
    """Folder of a word model, with its weights and record, or `None` if its weights are random."""
    return None if UNTRAINED in source.options else Path(source.target).expanduser()
