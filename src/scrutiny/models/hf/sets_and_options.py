"""Classifiers of several labels, and heads that choose among options."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from scrutiny.core.answers.choices import GAP, LabelSet, Option, is_option_field, options_in
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.models.hf.text_classifier import Columns, Forward, HfLabeled, chunks_of
from scrutiny.models.hf.transformer import HfModel, HfParts

#: Probability from which on a label is given.
ENOUGH = 0.5


class HfLabelSets(HfLabeled):
    """A sequence classifier whose outputs are labels of their own, each with a sigmoid.

    A label is given from a probability of a half on. Texts longer than the network's limit are
    truncated.
    """

    truncates = True

    def __init__(self, parts: HfParts, forward: Forward, names: tuple[str, ...]) -> None:
        super().__init__(parts, forward, names)
        self.labels = names
        self.capabilities -= {"gradients"}

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Labels of each example, in order; none is an answer, too."""
        found = []
        for part in chunks_of(examples):
            columns: Columns = self._forward.encode(examples[part], truncate=True)
            given: dict[int, LabelSet] = {}
            for answered in self._forward.logits(columns):
                are_given = (torch.sigmoid(answered.answer) >= ENOUGH).tolist()  # (text, label)
                for i, row in zip(answered.indices, are_given, strict=True):
                    given[i] = LabelSet(
                        name for name, is_one in zip(self.labels, row, strict=True) if is_one
                    )
            found += [Prediction(given[i]) for i in range(len(given))]
        return found

    def truncated(self, examples: Sequence[Example]) -> int:
        """How many of the examples have more tokens than the network takes."""
        return self._forward.too_long(examples)


class OptionForward(Forward):
    """A network that reads ``(text, option, token)``: each row is the one option of a text."""

    def inputs(self, columns: Columns, batch: Sequence[int]) -> dict[str, Any]:
        """Padded tensors ``(row, 1, token)``."""
        found = super().inputs(columns, batch)
        return {name: rows[:, None] for name, rows in found.items()}


class HfChooser(HfModel):
    """A head for multiple choice: each option is read behind the item's texts, and scored.

    The first segment is the first text, the second one the other texts (a question) and the option;
    in a text with a gap, the option also stands in the gap. What is too long is truncated, the
    longer segment first, so that options stay whole.
    """

    def __init__(self, parts: HfParts, forward: Forward) -> None:
        super().__init__(parts)
        self.capabilities = frozenset({"predict"})
        self._forward = forward

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Option with the highest score for each example, and its share by softmax."""
        found = []
        for part in chunks_of(examples):
            own = examples[part]
            columns: Columns = self._forward.encode([*option_rows(own)], truncate=True)
            scores: dict[int, float] = {}
            for answered in self._forward.logits(columns):
                scores |= zip(answered.indices, answered.answer[:, 0].tolist(), strict=True)
            rest = (scores[i] for i in range(len(scores)))
            for example in own:
                logits = torch.tensor([next(rest) for _ in options_in(example.fields)])
                shares = torch.softmax(logits, dim=0).tolist()
                best = shares.index(max(shares))
                found.append(Prediction(Option(best), (shares[best],)))
        return found

    def truncated(self, examples: Sequence[Example]) -> int:
        """How many of the examples have an option that does not fit with their texts."""
        return sum(bool(self._forward.too_long([*option_rows([e])])) for e in examples)


def option_rows(examples: Sequence[Example]) -> Iterator[Example]:
    """Two segments for each option of each example, as heads are given them.

    Examples
    --------
    >>> own = {"text": "It rained.", "question": "Did it?", "option_1": "yes", "option_2": "no"}
    >>> [row.fields["text_pair"] for row in option_rows([Example("1", own)])]
    ['Did it? yes', 'Did it? no']
    """
    for example in examples:
        first, *others = (t for name, t in example.fields.items() if not is_option_field(name))
        for option in options_in(example.fields):
            text = first.replace(GAP, option) if first.count(GAP) == 1 and not others else first
            yield example.with_fields({"text": text, "text_pair": " ".join([*others, option])})
