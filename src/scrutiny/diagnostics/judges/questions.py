"""What a judge is asked beside an item: the answers exchanged, longer, formatted, changed."""

import re
from dataclasses import replace
from typing import Final

from scrutiny.core.example import Example, Span
from scrutiny.core.randomness import Rng

#: Sentences that add nothing to an answer.
PADDING: Final = (
    "To put it in one place, what is said above is my complete answer to the question that was "
    "asked. It says what there is to say about the question, and it is meant as an answer to it. "
    "I hope that this answer is what was asked for."
)
#: Ways to show the same words otherwise.
FORMATS: Final = ("bullets", "bold", "heading")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")
_PAIR: Final = ("answer_a", "answer_b")


def answers_of(example: Example) -> tuple[str, ...]:
    """Fields of the answers that are judged: one, or two."""
    return tuple(name for name in example.fields if name.startswith("answer"))


def swapped(example: Example) -> Example:
    """The same question with both answers exchanged.

    Examples
    --------
    >>> swapped(Example("1", {"question": "q", "answer_a": "x", "answer_b": "y"})).fields
    {'question': 'q', 'answer_a': 'y', 'answer_b': 'x'}
    """
    first, second = (example.fields[name] for name in _PAIR)
    return example.with_fields({**example.fields, _PAIR[0]: second, _PAIR[1]: first})


def padded(example: Example, field: str) -> Example:
    """The item with sentences behind one answer that add nothing to it."""
    text = example.fields[field].rstrip()
    return example.with_fields({**example.fields, field: f"{text} {PADDING}".lstrip()})


def formatted(example: Example, field: str, how: str) -> Example:
    r"""The item with one answer shown otherwise, in the same words.

    Examples
    --------
    >>> item = Example("1", {"question": "q", "answer": "It rains. Stay in."})
    >>> [formatted(item, "answer", how).fields["answer"] for how in FORMATS]
    ['- It rains.\n- Stay in.', '**It rains.** Stay in.', '## Answer\n\nIt rains. Stay in.']
    """
    sentences = _SENTENCE_END.split(example.fields[field].strip())
    text = {
        "bullets": "\n".join(f"- {sentence}" for sentence in sentences),
        "bold": " ".join([f"**{sentences[0]}**", *sentences[1:]]),
        "heading": f"## Answer\n\n{' '.join(sentences)}",
    }[how]
    return example.with_fields({**example.fields, field: text})


def only(example: Example, field: str) -> Example:
    """The item of which a change may touch one answer alone."""
    closed = [
        Span(name, 0, len(text)) for name, text in example.fields.items() if name != field and text
    ]
    return replace(example, protected=(*example.protected, *closed))


def one_answer(example: Example, rng: Rng, better: str = "") -> str:
    """Field of the answer that is changed: the better one where it is known, else drawn."""
    fields = answers_of(example)
    if better in fields:
        return better
    return fields[int(rng.integers(len(fields)))]
