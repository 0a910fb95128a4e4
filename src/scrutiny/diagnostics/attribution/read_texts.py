"""Texts as attributions read them: their words, what the model says, and what is left of them."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.gradients import InputPiece
from scrutiny.core.randomness import Rng
from scrutiny.core.task import Prediction
from scrutiny.text.tokens import token_spans

#: Texts of fewer words have nothing to rank.
FEWEST: Final = 2


class AskedModel(Protocol):
    """A model that is asked: a `scrutiny.core.diagnostic.Context` is one."""

    @property
    def model(self) -> Model:
        """The model, for capabilities beyond `predict`."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Its labels in the data's words."""

    def predict(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        """Its answers."""

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Its answers to queries."""

    def rng(self, purpose: str, name: str, item: str, draw: int = 0) -> Rng:
        """Random generator of this name, the same for every model."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadText:
    """A text, or several of one item, with the answer whose words are weighed.

    Parameters
    ----------
    example
        The item.
    target
        The answer, in the data's words: it stays the target whatever is removed.
    score
        Probability of that answer.
    words
        Places of the words of all fields that may be changed, in order.
    is_own
        Whether the target is the answer of the very model that is asked.
    """

    example: Example
    target: str
    score: float
    words: tuple[InputPiece, ...]
    is_own: bool = True

    def __len__(self) -> int:
        return len(self.words)

    def without(self, removed: Collection[int]) -> Example:
        """The item without the words of these indices, and without the space before each.

        Examples
        --------
        >>> text = read_text(Example("1", {"text": "A good, long film"}), Prediction("a"), ["a"])
        >>> text.without({1, 2}).text, text.only({0, 4}).text
        ('A long film', 'A film')
        """
        fields = dict(self.example.fields)
        for name, text in fields.items():
            own = [i for i, word in enumerate(self.words) if word.field == name]
            if not own:
                continue
            kept, end = [], 0
            for i in own:
                start = end
                end = self.words[i].end
                if i not in removed:
                    kept.append(text[start:end])
            fields[name] = "".join([*kept, text[end:]]).strip()
        return self.example.with_fields(fields)

    def only(self, kept: Collection[int]) -> Example:
        """The item with the words of these indices alone."""
        return self.without(set(range(len(self.words))) - set(kept))

    def of_pieces(self, pieces: Iterable[InputPiece], values: Iterable[float]) -> Floats:
        """Score of each word: the sum over the pieces whose last letter stands in it."""
        found = np.zeros(len(self.words))
        places: dict[str, tuple[list[int], list[int]]] = {}
        for i, word in enumerate(self.words):
            starts, indices = places.setdefault(word.field, ([], []))
            starts.append(word.start)
            indices.append(i)
        for piece, value in zip(pieces, values, strict=True):
            starts, indices = places.get(piece.field, ([], []))
            at = bisect_right(starts, piece.end - 1) - 1
            if at >= 0 and piece.end > piece.start and piece.end <= self.words[indices[at]].end:
                found[indices[at]] += value
        return found


def read_text(
    example: Example, answer: Prediction | Failure, labels: Sequence[str], target: str = ""
) -> ReadText | Failure:
    """The text with its answer, or with a given one; a failure without one, or with few words."""
    if isinstance(answer, Failure):
        return answer
    words = tuple(
        InputPiece(name, start, end)
        for name, text in example.fields.items()
        if not example.is_closed(name)
        for start, end in (example.tokens or {}).get(name) or token_spans(text)
    )
    if len(words) < FEWEST:
        return Failure("one_word", "a text of one word has nothing to rank", "skipped")
    own = str(answer.answer)
    target = target or own
    return ReadText(example, target, _probability(answer, target, labels), words, target == own)


class Said(NamedTuple):
    """Probability of the original answer after a change, whether it stays, and the new answer."""

    score: float
    is_same: bool
    answer: Any


def ask_changed(asked: Sequence[tuple[ReadText, Example]], ctx: AskedModel) -> list[Said | Failure]:
    """What the model says of changed texts of items, all asked together."""
    answers = ctx.predict([changed for _, changed in asked])
    return [
        answer
        if isinstance(answer, Failure)
        else Said(
            _probability(answer, text.target, ctx.labels),
            answer.answer == text.target,
            answer.answer,
        )
        for (text, _), answer in zip(asked, answers, strict=True)
    ]


def ask_scores(
    texts: Sequence[ReadText], changed: Sequence[Sequence[Example]], ctx: AskedModel
) -> list[Floats | Failure]:
    """Probabilities ``(change,)`` of each text's answer after each of its changes."""
    flat = [(text, one) for text, own in zip(texts, changed, strict=True) for one in own]
    said = iter(ask_changed(flat, ctx))
    found: list[Floats | Failure] = []
    for own in changed:
        rows = [next(said) for _ in own]
        failed = next((one for one in rows if isinstance(one, Failure)), None)
        found.append(failed or np.array([one.score for one in rows if isinstance(one, Said)]))
    return found


def _probability(answer: Prediction, target: str, labels: Sequence[str]) -> float:
    """Probability of a label; 1 or 0 of a model that gives labels alone."""
    if answer.scores is None or target not in labels:
        return float(answer.answer == target)
    return float(answer.scores[list(labels).index(target)])
