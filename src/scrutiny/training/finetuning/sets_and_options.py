"""Targets of several labels, and of a choice among options.

Both learn what their heads answer: a sigmoid for each label; a score for each option, behind the
texts of its item, of which the highest is taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from scrutiny.core.answers.choices import LabelSet, Option, options_in
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction, Task
from scrutiny.training.finetuning.targets import EncodedExamples, Target

CHOOSES: Final = "AutoModelForMultipleChoice"


@dataclass(frozen=True, slots=True)
class EncodedSets(EncodedExamples):
    """Texts with their label sets; a target has 1 for each label that is right, else 0."""

    def loss(self, logits: Any, batch: Sequence[int]) -> Any:
        """Mean over texts and labels of minus the log-probability of what is right of each."""
        import torch

        targets = torch.tensor([self.targets[i] for i in batch], device=logits.device)
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, targets)

    def shares(self, logits: Any) -> Any:
        """Probability of each label by itself."""
        return logits.sigmoid()


class SeveralTarget(Target):
    """Conversion between label sets and the network's outputs, each a label of its own."""

    def __init__(self, task: Task, labels: Sequence[str]) -> None:
        super().__init__(task, labels)
        self.problem = "multi_label_classification"

    def encode(self, tokenizer: Any, examples: Sequence[Example], *, longest: int) -> EncodedSets:
        """Tokenize examples, with their label sets."""
        _, columns, n_cut = self._tokenized(tokenizer, examples, longest=longest)
        targets = [[float(name in e.gold) for name in self.labels] for e in examples]
        return EncodedSets(columns, targets, [], n_cut)

    def answer(
        self, example: Example, scores: Sequence[Any], pieces: Sequence[tuple[int, int]]
    ) -> Prediction:
        """Labels with a probability of a half or more."""
        from scrutiny.models.hf.sets_and_options import ENOUGH  # it imports torch

        pairs = zip(self.labels, scores, strict=True)
        return Prediction(LabelSet(name for name, share in pairs if share >= ENOUGH))


@dataclass(frozen=True, slots=True)
class EncodedOptions(EncodedExamples):
    """Items with options, of which each is a row of its own.

    ``counts`` are the options of each item.
    """

    counts: tuple[int, ...]

    @property
    def lengths(self) -> list[int]:
        """Number of pieces of the longest row of each item."""
        ids = self.columns["input_ids"]
        return [max(len(ids[row]) for row in rows) for rows in self._ranges()]

    def _ranges(self) -> Iterator[range]:
        """Rows of each item."""
        ends = accumulate(self.counts)
        return (range(end - n, end) for end, n in zip(ends, self.counts, strict=True))

    def rows(self, batch: Sequence[int]) -> list[int]:
        """Rows of all options of these items, one item after the other."""
        ranges = list(self._ranges())
        return [row for i in batch for row in ranges[i]]

    def forward(self, network: Any, tokenizer: Any, *, batch: int) -> Any:
        """What runs rows through a head for multiple choice, each as the one option of a text."""
        from scrutiny.models.hf.sets_and_options import OptionForward  # it imports torch

        return OptionForward(network, tokenizer, limit=None, batch=batch)

    def loss(self, logits: Any, batch: Sequence[int]) -> Any:
        """Mean over items of minus the log-probability of the right option among its item's."""
        import torch

        counts = [self.counts[i] for i in batch]
        each = torch.split(logits[:, 0], counts)
        padded = torch.nn.utils.rnn.pad_sequence(
            list(each), batch_first=True, padding_value=float("-inf")
        )  # (item, option)
        targets = torch.tensor([self.targets[i] for i in batch], device=logits.device)
        return torch.nn.functional.cross_entropy(padded, targets)

    def shares(self, logits: Any) -> Any:
        """Score of each row's option."""
        return logits[:, 0]

    def by_example(self, rows: Sequence[Any]) -> list[Any]:
        """Scores of the options of each item."""
        return [[rows[i] for i in own] for own in self._ranges()]


class ChoosingTarget(Target):
    """Conversion between right options and the network's score for each option.

    A row is cut as it is when the checkpoint is asked: the longer segment first.
    """

    def __init__(self, task: Task, labels: Sequence[str] = ()) -> None:
        super().__init__(task, labels)
        self.names = ("score",)
        self.maker = CHOOSES
        self.problem = None

    def encode(
        self, tokenizer: Any, examples: Sequence[Example], *, longest: int
    ) -> EncodedOptions:
        """Tokenize each option of each example behind its texts, with the right places."""
        from scrutiny.models.hf.sets_and_options import option_rows  # it imports torch

        rows = [*option_rows(examples)]
        _, columns, n_cut = self._tokenized(tokenizer, rows, longest=longest)
        counts = tuple(len(options_in(e.fields)) for e in examples)
        return EncodedOptions(columns, [int(e.gold) for e in examples], [], n_cut, counts)

    def answer(
        self, example: Example, scores: Sequence[Any], pieces: Sequence[tuple[int, int]]
    ) -> Prediction:
        """Option with the highest score, the first of equal ones."""
        return Prediction(Option(max(range(len(scores)), key=scores.__getitem__)))
