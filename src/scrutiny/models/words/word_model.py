"""Shared parts of classifiers over words: the model, its folder, its words and their ids."""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import ONE_TEXT, Facts
from scrutiny.core.queries.gradients import (
    InputPiece,
    ParameterGradient,
    PathGradient,
    PathGradients,
    examples_of,
)
from scrutiny.core.task import Task
from scrutiny.models.answers.checked import index_of
from scrutiny.models.answers.returned_answers import borders
from scrutiny.models.strings.adapters import IdentifiedModel, must_answer_task
from scrutiny.models.strings.model_strings import TRAINING, ModelSource
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
        return cls.of_words(map(cls.cut, texts), least=least)

    @classmethod
    def of_words(cls, texts: Iterable[Sequence[str]], *, least: int = 1) -> "Vocabulary":
        """The same of texts that are cut already."""
        return cls(cls.frequent(Counter(word for words in texts for word in words), least))

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

    @staticmethod
    def characters(text: str) -> tuple[str, ...]:
        """Characters of a text, as they are: models of characters have them as words."""
        return tuple(text)

    def ids(self, tokens: Sequence[str], known: Mapping[str, int] | None = None) -> list[int]:
        """Ids of tokens; all unknown ones share one id. ``known`` is `index`, if available."""
        index = self.index() if known is None else known
        return [index.get(token, UNKNOWN) for token in tokens]

    def index(self) -> dict[str, int]:
        """Id of each word."""
        return {word: i for i, word in enumerate(self.words, FIRST_WORD)}


def no_mask(source: str) -> ModelError:
    """Error of a path that should start from a mask, which word models do not have."""
    return ModelError(f"{source} has no word that masks another. Start from zeros.")


CONFIG: Final = "config.json"


def pieces_of_words(example: Example) -> tuple[InputPiece, ...]:
    """Positions of the words that a word model reads, of an example with one field."""
    field = next(iter(example.fields))
    return tuple(InputPiece(field, start, end) for start, end in token_spans(example.text))


def words_of(example: Example) -> tuple[str, ...]:
    """Words of an example in lower case, as the data has cut them, or else by our tokenizer."""
    return tuple(example.text[start:end].lower() for start, end in borders(example))


def characters_of(text: str) -> list[int]:
    """Places of the characters of a text that are no blanks: its words are made of them."""
    return [place for place, one in enumerate(text) if not one.isspace()]


def with_pairs(text: str) -> tuple[str, ...]:
    """Characters of an uncut text, and between each two of them the pair, blanks included.

    Examples
    --------
    >>> with_pairs("ab c")
    ('a', 'ab', 'b', 'b c', 'c')
    """
    places = characters_of(text)
    pairs = ((text[one], text[one : other + 1]) for one, other in pairwise(places))
    return (*chain.from_iterable(pairs), *(text[one] for one in places[-1:]))


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


#: Option with which vectors are asked for, and no answers.
HEAD: Final = "head"
#: Option with the seed of fresh weights in place of those in the folder.
UNTRAINED: Final = "untrained"


class WordModel(IdentifiedModel, ABC):
    """A classifier of single texts that was trained by scrutiny: its name, labels, fingerprint.

    Parameters
    ----------
    parts
        Weights and words, with their ``labels`` and a ``digest`` of all that can change an answer.
    source
        Model string, for messages.
    offers
        Capabilities beside ``predict``.
    """

    def __init__(self, parts: Any, source: str, *, offers: Iterable[str]) -> None:
        super().__init__(source, TextClassification.name, parts.digest())
        self.labels = parts.labels
        self.capabilities = frozenset({"predict", *offers})

    def path_gradients(self, queries: Sequence[PathGradient]) -> list[PathGradients]:
        """Attributions of each query to its words, in order, by integrated gradients of a logit.

        Raises
        ------
        ModelError
            For a label that the model does not have.
        """
        return [self._along_path(*one) for one in self._read(queries)]

    def parameter_gradients(
        self, queries: Sequence[ParameterGradient]
    ) -> list[tuple[tuple[float, ...], ...]]:
        """Gradient of each query's loss by its parameters, or those of the output, in order.

        Raises
        ------
        ModelError
            For a label or a parameter that the model does not have.
        """
        return [self._by_parameters(*one) for one in self._read(queries)]

    def _read(self, queries: Sequence[Any]) -> Iterator[tuple[Example, int, Any]]:
        """Example of each query, the index of its label, and the query."""
        for example, query in zip(examples_of(queries), queries, strict=True):
            yield example, index_of(query.target, self.labels, source=self.source), query

    @abstractmethod
    def _along_path(self, example: Example, label: int, query: PathGradient) -> PathGradients:
        """Attributions of one query."""

    @abstractmethod
    def _by_parameters(
        self, example: Example, label: int, query: ParameterGradient
    ) -> tuple[tuple[float, ...], ...]:
        """Gradient of one query's loss by each of its parameters."""


def require_words(
    source: ModelSource,
    task: Task,
    *,
    wanted: tuple[Facts, ...] = (ONE_TEXT,),
    options: tuple[str, ...] = (),
    for_vectors: bool = False,
) -> Path:
    """Check the folder, options and task of a model string.

    Parameters
    ----------
    source
        The model string.
    task
        What the model will be asked.
    wanted
        What the kind can answer.
    options
        That it may have beside labels and the training text.
    for_vectors
        Whether its vectors are asked for and no answers, which it has for texts of any task.

    Raises
    ------
    ModelError
        For another task, or an option that there is not.
    """
    source.refuse_unknown_options(("labels", *options, TRAINING))
    if (head := source.options.get(HEAD, "")) not in ("", "none"):
        raise ModelError(f"{source.text!r}: head is none, or not given; not {head!r}.")
    if not for_vectors:
        must_answer_task(task, wanted, source=source.text)
    return Path(source.target).expanduser()


def word_folder(source: ModelSource) -> Path | None:
    """Folder of a word model, with its weights and record, or `None` if its weights are random."""
    return None if UNTRAINED in source.options else Path(source.target).expanduser()
