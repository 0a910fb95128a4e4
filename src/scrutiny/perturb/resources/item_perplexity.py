"""Perplexity of items, an attribute: all texts are asked at once when the data are read.

The data string names the language model, ``#perplexity=smollm2``, and each item has its value as
a column that runs keep: neither a page nor a gate asks the model again.
"""

from collections.abc import Sequence
from typing import Final

from scrutiny.core.example import Example
from scrutiny.data.attribute import Value, attribute
from scrutiny.perturb.resources.loading import load_resource

#: Digits that batches of other sizes leave alone.
_DIGITS: Final = 5


def perplexities(examples: Sequence[Example], spec: str) -> list[Value | None]:
    """Perplexity of the texts of each item in a row; None where the model says nothing of them.

    Of a text of one token it gives 1, for a first token is not predicted, and nothing of no text.

    Parameters
    ----------
    examples
        The items.
    spec
        The model, as of the resource ``perplexity`` (`scrutiny.perturb.resources.loading`).
    """
    texts = [" ".join(example.fields.values()).strip() for example in examples]
    asked = list(dict.fromkeys(filter(None, texts)))
    known = dict(zip(asked, load_resource("perplexity", spec).perplexity(asked), strict=True))
    told = {text: float(f"{value:.{_DIGITS}g}") for text, value in known.items() if value != 1.0}
    return [told.get(text) for text in texts]


@attribute(
    "perplexity of the texts, for the language model that the data string names",
    of_all=perplexities,
)
def perplexity(example: Example) -> float | None:
    """Perplexity of the item's texts, from `#perplexity=MODEL` of its data string.

    **Measures** how usual the words of a text are to a language model: the eighth subpopulation
    of TextFlint.

    **Misleads when** texts are short (the perplexity of a few words is hardly a number), in another
    language than the model's, or were in what it learned from.

    Examples
    --------
    >>> perplexity(Example("1", {"text": "It rains."}, attributes={"a_perplexity": 31.5}))
    31.5
    """
    found = example.attributes.get("a_perplexity")
    return None if found is None else float(found)
