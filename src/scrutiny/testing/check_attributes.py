"""Conformance of attributes: declared type, and dependence on the item only."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example
from scrutiny.data.attributes.attribute import Attribute, Training, Value
from scrutiny.testing.promises import SAMPLE_TEXTS, promise

_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "yes or no": (bool,),
    "a number": (int, float),
    "a word": (str,),
}


def check_attribute(attribute: Attribute, examples: Sequence[Example] = ()) -> None:
    """Raise unless an attribute fulfils its contract.

    Checked: it is one, and says what it is of; values are of the kind that its annotation states,
    also for empty texts and for several fields; the same item has the same value, whatever was
    looked at before; an attribute of English words has no value for other languages.

    Parameters
    ----------
    attribute
        What `scrutiny.data.attributes.attribute.attribute` made.
    examples
        Items to try it on, beside a few of all sorts.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    if not isinstance(attribute, Attribute):
        raise ConformanceError(
            f"{attribute!r} is no attribute: put @attribute(PHRASE) above a function of an example."
        )
    name = attribute.function.__name__
    promise(name, is_kept=bool(attribute.says.strip()), message="it has no phrase.")
    tried = [*examples, *_samples()]
    training = Training(tried)
    values = [_value(attribute, name, one, training) for one in tried]
    again = [attribute(one, training) for one in reversed(tried)][::-1]
    promise(
        name,
        is_kept=values == again,
        message="an item has another value when it is looked at again.",
    )
    foreign = [attribute(replace(one, language="de"), training) for one in tried]
    promise(
        name,
        is_kept=not attribute.is_english or set(foreign) == {None},
        message="it goes by English words, and German items have a value.",
    )


def _samples() -> list[Example]:
    """Items of all kinds."""
    one = [Example(f"i{k}", {"text": text}, "up") for k, text in enumerate(SAMPLE_TEXTS)]
    two = Example("two", {"premise": SAMPLE_TEXTS[1], "hypothesis": SAMPLE_TEXTS[2]}, "down")
    return [*one, two, Example("without gold", {"text": SAMPLE_TEXTS[1]})]


def _value(attribute: Attribute, name: str, example: Example, training: Training) -> Value | None:
    found = attribute(example, training)
    promise(
        name,
        is_kept=found is None or type(found) in _KINDS[attribute.gives],
        message=f"it gives {attribute.gives}, and {found!r} for {dict(example.fields)}.",
    )
    return found
