"""Attributes: functions of an item, or of an item and a training set beside it.

Those of a training set are here: seen before, new words, frequency of the label.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from inspect import getdoc
from itertools import chain
from typing import Any, Final, Literal

from scrutiny.core.answers.answer import label_in
from scrutiny.core.columns.coded import Coded, coded
from scrutiny.core.example import Example
from scrutiny.core.languages import OF_CHARACTERS, UNSPACED, is_english, script_of
from scrutiny.core.plugin_base import Told
from scrutiny.data.dataset import load_dataset
from scrutiny.data.hashes import content_hash
from scrutiny.text.tokens import is_word, sentences, token_texts

Value = bool | float | str
#: Scripts whose texts are divided neither by spaces nor by characters.
_NO_WORDS = UNSPACED - OF_CHARACTERS
#: Values of items by what an option of the data string says.
OfAll = Callable[[Sequence[Example], str], Sequence[Value | None]]
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
    def texts(self) -> frozenset[int]:
        """Hashes of the letters and numbers of each of its texts."""
        return frozenset(content_hash(t) for e in self.examples for t in e.fields.values())

    @cached_property
    def label_shares(self) -> dict[str, float]:
        """Share of the items with each gold label."""
        counts = Counter(filter(None, (label_in(e.gold) for e in self.examples)))
        return {label: count / counts.total() for label, count in counts.items()}


#: Distinct tokens of which what is asked of each is remembered.
REMEMBERED: Final = 2**14


@lru_cache(maxsize=REMEMBERED)
def straight(token: str) -> str:
    """Token in lower case, with straight apostrophes."""
    return token.lower().replace("’", "'")


#: Texts of an item, as they are looked at together.
_Texts = tuple[str, ...]


@lru_cache(maxsize=64)  # all attributes look at one item after the other
def _tokens(texts: _Texts) -> tuple[str, ...]:
    """Tokens of all texts."""
    if len(texts) == 1:
        return tuple(token_texts(texts[0]))
    return tuple(chain.from_iterable(_tokens((text,)) for text in texts))


@lru_cache(maxsize=64)
def _lower(texts: _Texts) -> tuple[str, ...]:
    """Tokens of all texts, each `straight`."""
    if len(texts) == 1:
        return tuple(map(straight, _tokens(texts)))
    return tuple(chain.from_iterable(_lower((text,)) for text in texts))


@lru_cache(maxsize=64)
def _words(texts: _Texts) -> tuple[str, ...]:
    """Words of all texts in lower case."""
    if len(texts) == 1:
        return tuple(filter(_is_word, _lower(texts)))
    return tuple(chain.from_iterable(_words((text,)) for text in texts))


_is_word: Final = lru_cache(maxsize=REMEMBERED)(is_word)


@lru_cache(maxsize=64)
def sentences_in(text: str) -> tuple[Sequence[str], ...]:
    """Tokens of each sentence of a text, as they are written."""
    borders = sentences(text)
    if len(borders) == 1:  # all but white space: its tokens are known
        return (_tokens((text,)),)
    return tuple(_tokens((text[start:end],)) for start, end in borders)


def tokens_of(example: Example) -> Sequence[str]:
    """Tokens of all fields as they are written."""
    return _tokens(tuple(example.fields.values()))


def lower_of(example: Example) -> Sequence[str]:
    """Tokens of all fields, each `straight`."""
    return _lower(tuple(example.fields.values()))


def words_of(example: Example) -> Sequence[str]:
    """Words of all fields in lower case, without punctuation."""
    return _words(tuple(example.fields.values()))


def words_of_each(example: Example) -> list[Sequence[str]]:
    """Words of each field in lower case, without punctuation."""
    return [_words((text,)) for text in example.fields.values()]


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
    of_all
        Values of all items at once, by a model that the data string names in an option of the
        attribute's name (``#perplexity=MODEL``): they are a column of the items, which ``function``
        reads. None for all others.
    of_token
        Whether it is a function of one token of the texts: an item has it where a token has it;
        whole numbers are summed. For many items (`Tokens`) it is called once for equal tokens.
    """

    function: Callable[..., Value | None]
    says: str
    gives: Gives
    is_english: bool = False
    of_training: bool = False
    stream: str = ""
    of_words: bool = False
    of_all: OfAll | None = None
    of_token: bool = False

    def __call__(self, example: Example, training: Training | None = None) -> Value | None:
        """Value of an item; ``None`` if it has none."""
        if not self.is_for(example.language):
            return None
        if self.of_token:
            found: Iterable[Any] = map(self.function, tokens_of(example))
            return sum(found) if self.gives == "a number" else any(found)
        return self.function(example, training) if self.of_training else self.function(example)

    def is_for(self, language: str) -> bool:
        """Whether items in a language have a value."""
        if self.is_english and not is_english(language):
            return False
        return not (self.of_words and script_of(language) in _NO_WORDS)

    def at_length(self) -> str:
        """Docstring of its function."""
        return getdoc(self.function) or self.sentence()

    def sentence(self) -> str:
        """One line for a list of attributes."""
        more = " (English)" * self.is_english + " (needs training data)" * self.of_training
        more += " (needs a model)" * (self.of_all is not None)
        return f"{self.says[:1].upper()}{self.says[1:]}: {self.gives}{more}"


class Tokens:
    """Tokens of many items: distinct ones, and which of them each item has."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._codes = array("l")  # of all items, one behind the other
        self._ends = array("l", [0])
        self._languages: list[str] = []

    def add(self, tokens: Sequence[str], language: str) -> None:
        """Add an item in a language."""
        places = self._places
        self._codes.extend([places.setdefault(token, len(places)) for token in tokens])
        self._ends.append(len(self._codes))
        self._languages.append(language)

    def valued(self, one: Attribute) -> Coded:
        """Value of an attribute of tokens for each item; None in languages that it is not for."""
        import numpy as np

        each = np.fromiter(map(one.function, self._places), dtype=np.int64)
        before = np.concatenate([[0], np.cumsum(each[np.array(self._codes)])])
        sums = np.diff(before[np.array(self._ends)])
        told = coded(self._languages)
        is_for = np.array([one.is_for(language) for language in told.values], dtype=np.bool_)
        values, codes = np.unique(
            sums if one.gives == "a number" else sums > 0, return_inverse=True
        )
        known = np.where(is_for[told.codes], codes.reshape(-1), len(values))
        return Coded([*values.tolist(), None], known.astype(np.int32))


def attribute(
    says: str,
    *,
    is_english: bool = False,
    of_training: bool = False,
    stream: str = "",
    of_words: bool = False,
    of_all: OfAll | None = None,
    of_token: bool = False,
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
        more = is_english, of_training, stream, of_words, of_all, of_token
        return Attribute(function, says, gives, *more)

    return made


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
    words = words_of(example)
    return sum(word not in training.words for word in words) / max(len(words), 1)


@attribute("share of the training data that has the item's gold label", of_training=True)
def label_share(example: Example, training: Training) -> float | None:
    """Frequency of the item's gold label in the training set, 0 to 1."""
    label = label_in(example.gold)
    return None if label is None else training.label_shares.get(label, 0.0)


def load_training(source: str, task: str) -> Training:
    """Training set that attributes of items refer to, loaded from a data string."""
    return Training(load_dataset(source, task=task or None).examples)


class TrainingSets:
    """Training sets that a plan names, each read once in a process, when it is first asked for."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, str], Training] = {}

    def __reduce__(self) -> tuple[type["TrainingSets"], tuple[()]]:
        """Workers read what they need themselves."""
        return TrainingSets, ()

    def of(self, source: str, task: str) -> Training:
        """Training set of a data string."""
        if (source, task) not in self._read:
            self._read[source, task] = load_training(source, task)
        return self._read[source, task]
