"""An attribute: a function of an item, or of an item and a training set."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from inspect import getdoc
from typing import Any, Literal

from scrutiny.core.example import Example
from scrutiny.core.plugin import Told
from scrutiny.data.letters import letters_hash
from scrutiny.text.tokens import is_word, token_texts

Value = bool | float | str
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
    """A training set as attributes see it; what they look up is made once.

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
        """Hashes of the letters of each of its texts."""
        return frozenset(letters_hash(t) for e in self.examples for t in e.fields.values())

    @cached_property
    def label_shares(self) -> dict[str, float]:
        """Share of its items that have each gold label."""
        counts = Counter(e.gold for e in self.examples if isinstance(e.gold, str))
        return {label: count / counts.total() for label, count in counts.items()}


@dataclass(frozen=True, slots=True)
class Attribute(Told):
    """A function of an item that slices are made of.

    Parameters
    ----------
    function
        Of an example; of an example and a `Training` where ``of_training``. ``None`` says that the
        item has no value.
    says
        What stands behind "inputs" in a sentence ("with a negation") if it answers yes or no;
        else what it is ("words of all texts").
    gives
        Kind of value, as the function's annotation states it.
    is_english
        Whether it goes by English words: items in another language have no value.
    of_training
        Whether it needs a training set.
    stream
        Name that its random numbers are drawn by, where that is not its own.
    """

    function: Callable[..., Value | None]
    says: str
    gives: Gives
    is_english: bool = False
    of_training: bool = False
    stream: str = ""

    def __call__(self, example: Example, training: Training | None = None) -> Value | None:
        """Value of an item; nothing where it has none."""
        if self.is_english and not example.language.startswith("en"):
            return None
        return self.function(example, training) if self.of_training else self.function(example)

    def at_length(self) -> str:
        """What its function says of itself."""
        return getdoc(self.function) or self.sentence()

    def sentence(self) -> str:
        """What it says of itself in a list."""
        more = " (English)" * self.is_english + " (needs training data)" * self.of_training
        return f"{self.says[:1].upper()}{self.says[1:]}: {self.gives}{more}"


def attribute(
    says: str, *, is_english: bool = False, of_training: bool = False, stream: str = ""
) -> Callable[[Callable[..., Any]], Attribute]:
    """Make an attribute of a function; its annotation says what kind of value it gives.

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
        return Attribute(function, says, gives, is_english, of_training, stream)

    return made


def in_field(example: Example, field: str) -> Example | None:
    """The example with one of its text fields; nothing where it has no such field."""
    return (
        replace(example, fields={field: example.fields[field]}) if field in example.fields else None
    )


@lru_cache(maxsize=64)  # all attributes look at one item after the other
def tokens(text: str) -> tuple[str, ...]:
    """Tokens of a text."""
    return tuple(token_texts(text))


def tokens_of(example: Example) -> list[str]:
    """Tokens of all fields as they are written."""
    return [token for text in example.fields.values() for token in tokens(text)]


def lower_of(example: Example) -> list[str]:
    """Tokens of all fields in lower case, with straight apostrophes."""
    return [token.lower().replace("’", "'") for token in tokens_of(example)]


def words_of(example: Example) -> Iterator[str]:
    """Words of all fields in lower case, without marks."""
    return filter(is_word, lower_of(example))
