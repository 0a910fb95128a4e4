"""Texts as attributions read them: their words, what the model says, and what is left of them."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.edit import Edit
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.gradients import InputPiece
from scrutiny.core.randomness import Rng
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attribution.targets import (
    is_kept,
    may_be_removed,
    stretches_that_stay,
    sureness,
    target_of,
)
from scrutiny.text.edits import apply_edits
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
        What is explained, in the data's words (`scrutiny.diagnostics.attribution.targets`): it
        stays the target whatever is removed.
    score
        Probability of it, or how sure the model is of it.
    words
        Places of the words of all fields that may be removed, in order.
    is_own
        Whether the target is of the answer of the very model that is asked.
    fixed
        Places of the words that stay: those of the tag or extract that is explained, and what no
        change may touch.
    """

    example: Example
    target: Any
    score: float
    words: tuple[InputPiece, ...]
    is_own: bool = True
    fixed: tuple[InputPiece, ...] = ()

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
        ends: dict[str, list[int]] = {}
        for word in (*self.words, *self.fixed):
            ends.setdefault(word.field, []).append(word.end)
        every = {name: sorted(own) for name, own in ends.items()}
        cuts: dict[str, list[tuple[int, int]]] = {}
        for i in sorted(removed):
            word = self.words[i]
            own = every[word.field]
            before = bisect_left(own, word.end)
            start = own[before - 1] if before else 0
            cuts.setdefault(word.field, []).append((start, word.end))
        for name, places in cuts.items():
            fields[name] = _kept(fields[name], places).strip()
        example = self.example
        if not cuts or not (example.spans or example.protected or example.tokens):
            return example.with_fields(fields)
        edits = [edit for name, own in cuts.items() for edit in _edits(name, example, own)]
        return apply_edits(replace(example, gold=None), edits)

    def only(self, kept: Collection[int]) -> Example:
        """The item with the words of these indices, and those that stay, alone."""
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


def _kept(text: str, cuts: Sequence[tuple[int, int]]) -> str:
    """Text without stretches, which are in order."""
    kept, done = [], 0
    for start, end in cuts:
        kept.append(text[done:start])
        done = end
    return "".join([*kept, text[done:]])


def _edits(field: str, example: Example, cuts: Sequence[tuple[int, int]]) -> list[Edit]:
    """Deletions of stretches, and of the blanks that they leave at both ends of the text."""
    text = example.fields[field]
    is_left = np.ones(len(text), dtype=bool)
    for start, end in cuts:
        is_left[start:end] = False
    left = np.flatnonzero(is_left).tolist()
    stripped = "".join(text[i] for i in left)
    n_first = len(stripped) - len(stripped.lstrip())
    for i in (*left[:n_first], *left[len(stripped.rstrip()) :]):
        is_left[i] = False
    borders = np.flatnonzero(np.diff(np.concatenate([[True], is_left, [True]]).astype(int)))
    pairs = zip(borders[::2].tolist(), borders[1::2].tolist(), strict=True)
    return [Edit(field, start, end, "") for start, end in pairs]


def read_text(
    example: Example, answer: Prediction | Failure, labels: Sequence[str], target: Any = None
) -> ReadText | Failure:
    """The text with its answer, or with a given one; a failure without one, or with few words."""
    if isinstance(answer, Failure):
        return answer
    own = target_of(answer, example, labels)
    if isinstance(own, Failure) and target is None:
        return own
    target = own if target is None else target
    stays = stretches_that_stay(target, example)
    words: list[InputPiece] = []
    fixed: list[InputPiece] = []
    for name, text in example.fields.items():
        if example.is_closed(name) or not may_be_removed(target, name):
            continue
        for start, end in (example.tokens or {}).get(name) or token_spans(text):
            word = InputPiece(name, start, end)
            is_fixed = any(f == name and a < end and start < b for f, a, b in stays)
            (fixed if is_fixed else words).append(word)
    if len(words) < FEWEST:
        return Failure("one_word", "a text of one word has nothing to rank", "skipped")
    score = sureness(answer, target, example, labels)
    return ReadText(example, target, score, tuple(words), target == own, tuple(fixed))


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
            sureness(answer, text.target, text.example, ctx.labels, changed),
            is_kept(answer, text.target, text.example, ctx.labels, changed),
            answer.answer,
        )
        for (text, changed), answer in zip(asked, answers, strict=True)
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
