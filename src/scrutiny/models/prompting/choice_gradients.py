"""Gradients of a language model that answers by the likelihood of words.

A choice's score is a function of the log-probabilities of its tokens, so the slope of a label's
log-probability is a sum of slopes of log-probabilities: those the language model gives (capability
``logprob_slopes``), in the vectors of the pieces that come from the example. The same piece stands
in the filled text of every choice, and its slope is the sum over them.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import InputPiece, TokenGradients
from scrutiny.core.queries.language import Cloze
from scrutiny.models.hf.input_gradients import checked
from scrutiny.models.hf.word_pieces import without_space
from scrutiny.models.prompting.label_likelihoods import ChoiceQuestion, questions
from scrutiny.models.prompting.prompts import Prompt


class WantedSlopes(NamedTuple):
    """An example, and the derivative of the loss by each log-probability, by choice."""

    example: Example
    slopes: Sequence[Sequence[float]]


class _Reads(NamedTuple):
    """A sequence of an example, the positions to read, and the positions of its own tokens."""

    cloze: Cloze
    weights: tuple[float, ...]
    places: tuple[int, ...]


def gradients_of(
    model: Any, prompt: Prompt, wanted: Sequence[WantedSlopes], *, is_first_only: bool
) -> list[TokenGradients | Failure]:
    """Gradient of each example's loss at its own tokens, in order.

    Pieces of which a part is the template's are left out. An example whose pieces are not the same
    beside every choice fails (``pieces_differ``).

    Parameters
    ----------
    model
        A language model with the capability ``logprob_slopes``.
    prompt
        What it reads.
    wanted
        Examples that fit, with the slopes of their losses.
    is_first_only
        Whether only the first token of a choice counts.

    Raises
    ------
    ModelError
        If a choice has no tokens of its own.
    """
    asked = questions(model, prompt, [w.example for w in wanted], is_first_only=is_first_only)
    size = len(prompt.choices)
    found: list[TokenGradients | Failure] = []
    reads: list[tuple[int, _Reads]] = []  # number of the example
    for number, one in enumerate(wanted):
        blank, mine = _of_example(prompt, one, asked[number * size : (number + 1) * size])
        found.append(blank)
        reads += [(number, read) for read in mine]
    rows = model.logprob_slopes([r.cloze for _, r in reads], [r.weights for _, r in reads])
    for (number, read), slopes in zip(reads, rows, strict=True):
        before = found[number]
        if not isinstance(before, Failure):
            total = before.gradient + slopes[list(read.places)]
            found[number] = before._replace(gradient=total)
    return [
        one if isinstance(one, Failure) else checked(w.example, *one)
        for w, one in zip(wanted, found, strict=True)
    ]


def _of_example(
    prompt: Prompt, wanted: WantedSlopes, asked: Sequence[ChoiceQuestion]
) -> tuple[TokenGradients | Failure, list[_Reads]]:
    """Tokens of an example, with gradients still to be summed, and the positions to read."""
    example = wanted.example
    pieces = [_pieces(prompt, example, question) for question in asked]
    if len({tuple((piece, row) for piece, row, _ in one) for one in pieces}) > 1:
        why = f"the pieces of item {example.id!r} are others beside other choices"
        return Failure("pieces_differ", why), []
    places = [tuple(place for _, _, place in one) for one in pieces]
    own, rows = [piece for piece, _, _ in pieces[0]], [row for _, row, _ in pieces[0]]
    blank = TokenGradients(tuple(own), tuple(rows), np.zeros((len(own), 1), np.float32))
    # Distinct sequences of one example: choices of one token share theirs.
    clozes = [q.cloze for q in asked]
    found: dict[tuple[int, ...], _Reads] = {}
    for cloze, weights, stands in zip(clozes, wanted.slopes, places, strict=True):
        read = _Reads(cloze, tuple(weights), stands)
        before = found.get(cloze.ids)
        if before is not None:
            both = before.cloze, cloze
            joined = Cloze(
                cloze.ids,
                (*both[0].positions, *both[1].positions),
                (*both[0].targets, *both[1].targets),
            )
            read = _Reads(joined, (*before.weights, *weights), stands)
        found[cloze.ids] = read
    return blank, list(found.values())


def _pieces(
    prompt: Prompt, example: Example, question: ChoiceQuestion
) -> list[tuple[InputPiece, int, int]]:
    """Tokens of the example only: position in it, row in the vocabulary, position in the query.

    A token may begin with the space in front of its word, which is then the template's.
    """
    encoded = question.encoded
    before, after = prompt.around(example)
    text = before + "_" * question.gap + after  # no space where a choice or its masks stand
    text += "_" * (max((end for _, end in encoded.offsets), default=0) - len(text))
    fields = [
        (name, start, start + len(example.fields[name]))
        for name, start in prompt.starts(example, gap=question.gap)
    ]
    last = len(question.cloze.ids)
    found = []
    for i, (offsets, is_special) in enumerate(
        zip(encoded.offsets, encoded.is_special, strict=True)
    ):
        start, end = without_space(text, offsets)
        place = i + question.lead
        if is_special or start == end or place >= last:
            continue
        for name, first, behind in fields:
            if first <= start and end <= behind:
                found.append((InputPiece(name, start - first, end - first), encoded.ids[i], place))
    return found
