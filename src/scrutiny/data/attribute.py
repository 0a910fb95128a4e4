"""Attributes: functions of an item, a training set beside it, or a part of its answer.

Those of a training set are here: seen before, new words, frequency of the label.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from inspect import getdoc
from typing import Any, Final, Literal, NamedTuple

from scrutiny.core.answers.answer import label_in, type_of
from scrutiny.core.boundary.parameters import known
from scrutiny.core.example import Example, Span
from scrutiny.core.languages import OF_CHARACTERS, UNSPACED, is_english, script_of
from scrutiny.core.plugin_base import Told
from scrutiny.data.dataset import load_dataset
from scrutiny.data.hashes import content_hash
from scrutiny.text.tokens import is_word, token_spans, token_texts

Value = bool | float | str
#: Scripts whose texts are divided neither by spaces nor by characters.
_NO_WORDS = UNSPACED - OF_CHARACTERS
Gives = Literal["yes or no", "a number", "a word"]
_GIVES: dict[object, Gives] = {
    bool: "yes or no",
    int: "a number",
    float: "a number",
    str: "a word",
    float | None: "a number",
    str | None: "a word",
}


class Training:
    """Training set for attributes; word and text look-ups are computed once.

    Parameters
    ----------
    examples
        Its items.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = examples

    @cached_property
    def words(self) -> frozenset[str]:
        """Words of all its texts, in lower case."""
        return frozenset(word for example in self.examples for word in words_of(example))

    @cached_property
    def parts(self) -> frozenset[str]:
        """Words of the gold parts of its items, without case: entities, or words of a text."""
        return frozenset(
            example.fields[part.field][part.start : part.end].casefold()
            for example in self.examples
            if example.gold is not None
            for part in type_of(example.gold).parts(example.gold)
        )

    @cached_property
    def labeled_parts(self) -> frozenset[tuple[str, str]]:
        """Words of the gold parts of its items, without case, each with its label."""
        return frozenset(
            (example.fields[part.field][part.start : part.end].casefold(), part.label)
            for example in self.examples
            if example.gold is not None
            for part in type_of(example.gold).parts(example.gold)
        )

    @cached_property
    def texts(self) -> frozenset[int]:
        """Hashes of the letters and numbers of each of its texts."""
        return frozenset(content_hash(t) for e in self.examples for t in e.fields.values())

    @cached_property
    def label_shares(self) -> dict[str, float]:
        """Share of the items with each gold label."""
        counts = Counter(filter(None, (label_in(e.gold) for e in self.examples)))
        return {label: count / counts.total() for label, count in counts.items()}


@lru_cache(maxsize=64)  # all attributes look at one item after the other
def _tokens(text: str) -> tuple[str, ...]:
    """Tokens of a text."""
    return tuple(token_texts(text))


@lru_cache(maxsize=64)
def _lower(text: str) -> tuple[str, ...]:
    """Tokens of a text in lower case, with straight apostrophes."""
    return tuple(token.lower().replace("’", "'") for token in _tokens(text))


def lower_of(example: Example) -> Sequence[str]:
    """Tokens of all fields in lower case, with straight apostrophes."""
    each = [_lower(text) for text in example.fields.values()]
    return each[0] if len(each) == 1 else [token for tokens in each for token in tokens]


def words_of(example: Example) -> Iterator[str]:
    """Words of all fields in lower case, without punctuation."""
    return filter(is_word, lower_of(example))


@dataclass(frozen=True, slots=True)
class Attribute(Told):
    """Attribute: a function of an item, from which slices are made.

    Parameters
    ----------
    function
        Function of an example, or of an example and a `Training` if ``of_training``. Returns
        ``None`` for an item without a value.
    says
        Phrase that follows "inputs" in a sentence ("with a negation") for yes or no; else a noun
        phrase ("words of all texts").
    gives
        Kind of value, as the function's annotation states it.
    is_english
        Whether it is for English only: items in other languages have no value.
    of_training
        Whether it needs a training set.
    of_words
        Whether it counts words: items in languages that neither put spaces between them nor use
        one character for each (Thai) have no value. In Chinese and Japanese, characters count.
    stream
        Name of its random stream, if that is not its own name.
    """

    function: Callable[..., Value | None]
    says: str
    gives: Gives
    is_english: bool = False
    of_training: bool = False
    stream: str = ""
    of_words: bool = False

    def __call__(self, example: Example, training: Training | None = None) -> Value | None:
        """Value of an item; ``None`` if it has none."""
        if self.is_english and not is_english(example.language):
            return None
        if self.of_words and script_of(example.language) in _NO_WORDS:
            return None
        return self.function(example, training) if self.of_training else self.function(example)

    def at_length(self) -> str:
        """Docstring of its function."""
        return getdoc(self.function) or self.sentence()

    def sentence(self) -> str:
        """One line for a list of attributes."""
        more = " (English)" * self.is_english + " (needs training data)" * self.of_training
        return f"{self.says[:1].upper()}{self.says[1:]}: {self.gives}{more}"


def attribute(
    says: str,
    *,
    is_english: bool = False,
    of_training: bool = False,
    stream: str = "",
    of_words: bool = False,
) -> Callable[[Callable[..., Any]], Attribute]:
    """Decorator that makes an attribute of a function; the return annotation gives its kind.

    Examples
    --------
    >>> @attribute("with an exclamation mark")
    ... def loud(example: Example) -> bool:
    ...     return "!" in example.text
    >>> loud.gives, loud(Example("1", {"text": "Oh!"}))
    ('yes or no', True)
    """

    def made(function: Callable[..., Any]) -> Attribute:
        gives = _GIVES[function.__annotations__["return"]]
        return Attribute(function, says, gives, is_english, of_training, stream, of_words)

    return made


def tokens_of(example: Example) -> list[str]:
    """Tokens of all fields as they are written."""
    return [token for text in example.fields.values() for token in _tokens(text)]


@attribute("with a text that is in the training data", of_training=True)
def in_training(example: Example, training: Training) -> bool:
    """Whether a text of the item is in the training set, ignoring case and punctuation.

    Examples
    --------
    >>> training = Training([Example("t", {"text": "It is fine."})])
    >>> in_training(Example("1", {"text": "it is fine"}), training)
    True
    """
    return any(content_hash(text) in training.texts for text in example.fields.values())


@attribute("share of the words that the training data lacks", of_training=True)
def unseen_words(example: Example, training: Training) -> float:
    """Share of the words, 0 to 1, that do not occur in the training set.

    Examples
    --------
    >>> training = Training([Example("t", {"text": "It is fine."})])
    >>> unseen_words(Example("1", {"text": "It is grim here"}), training)
    0.5
    """
    words = list(words_of(example))
    return sum(word not in training.words for word in words) / max(len(words), 1)


@attribute("share of the training data that has the item's gold label", of_training=True)
def label_share(example: Example, training: Training) -> float | None:
    """Frequency of the item's gold label in the training set, 0 to 1."""
    label = label_in(example.gold)
    return None if label is None else training.label_shares.get(label, 0.0)


def load_training(source: str, task: str) -> Training:
    """Training set that attributes of items refer to, loaded from a data string."""
    return Training(load_dataset(source, task=task or None).examples)


class TextPart(NamedTuple):
    """Part of an answer, with the item that it is of."""

    example: Example
    span: Span

    @property
    def text(self) -> str:
        """Its words."""
        return self.example.fields[self.span.field][self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class PartAttribute:
    """Attribute of a part: a function of it, whose values are groups of parts.

    Parameters
    ----------
    function
        Group of a part, one of ``groups``; it is given the training set as well.
    says
        Phrase that follows "parts by" ("their length in tokens").
    groups
        Names of the groups, in order.
    of_training
        Whether it needs a training set.
    """

    function: Callable[[TextPart, Training | None], str]
    says: str
    groups: tuple[str, ...]
    of_training: bool = False

    def counted(
        self, parts: Sequence[Span], example: Example, training: Training | None
    ) -> Mapping[str, int]:
        """Number of parts of an answer to an item in each group."""
        counts = dict.fromkeys(self.groups, 0)
        for span in parts:
            counts[self.function(TextPart(example, span), training)] += 1
        return counts


def parts_of(answer: Any) -> frozenset[Span]:
    """Parts of an answer that are right or wrong by themselves; None has none."""
    return frozenset() if answer is None else frozenset(type_of(answer).parts(answer))


_MOST: Final = 4  # tokens of a part, beyond which lengths are one group


def _length(part: TextPart, training: Training | None) -> str:
    """Number of tokens: those of the data where they came in tokens, else ours."""
    tokens = (part.example.tokens or {}).get(part.span.field)
    if tokens is None:
        found = len(token_spans(part.text))
    else:
        found = sum(part.span.start <= start and end <= part.span.end for start, end in tokens)
    return str(max(1, found)) if found < _MOST else f"{_MOST} or more"


def _unseen(part: TextPart, training: Training | None) -> str:
    """Whether a part of the training set has the same words, in any case."""
    return "seen" if training and part.text.casefold() in training.parts else "unseen"


def _dictionary(part: TextPart, training: Training | None) -> str:
    """Whether a part of the training set has the same words with the same label (Lin et al. 2020).

    What a model that knows training by heart can find.
    """
    is_in = training and (part.text.casefold(), part.span.label) in training.labeled_parts
    return "in" if is_in else "out"


PART_ATTRIBUTES: Final[Mapping[str, PartAttribute]] = {
    "length": PartAttribute(
        _length, "their length in tokens", (*map(str, range(1, _MOST)), f"{_MOST} or more")
    ),
    "unseen": PartAttribute(
        _unseen, "whether the training data has them", ("seen", "unseen"), of_training=True
    ),
    "dictionary": PartAttribute(
        _dictionary,
        "whether the training data has them with the same label",
        ("in", "out"),
        of_training=True,
    ),
}


def part_attribute(name: str) -> PartAttribute:
    """Attribute of parts by its name.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    known("attribute of parts", (name,), PART_ATTRIBUTES, where="by")
    return PART_ATTRIBUTES[name]
