"""Stored verdicts, ``verdicts:data#labels=bad|good``: a judge that stands beside the answers.

The columns ``verdict``, ``swapped`` (the answers exchanged) and ``again`` (the same, asked again)
of the data hold them. A judge of two answers says ``A``, ``B`` or ``tie`` unless its labels are
stated.
"""

from collections.abc import Sequence
from typing import Final

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.answers.returned_labels import answered_label
from scrutiny.models.strings.adapters import Adapter
from scrutiny.models.strings.model_strings import ModelSource
from scrutiny.tasks.judgments import HOLDS, STORED

#: The only target: the data that are judged.
_TARGET: Final = "data"
_OF_PAIRS: Final = ("A", "B", "tie")


class StoredVerdicts(Model):
    """Judge that only knows the verdicts in the data; without a fingerprint, for none is kept."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict", "no_probabilities"})
    has_stored_answers_only = True
    answers_other_texts = False

    def __init__(self, task: Task, source: ModelSource) -> None:
        self.source = source.text
        self.task = task.name
        self.labels = source.labels() or (_OF_PAIRS if len(task.fields) > 2 else ())

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Stored verdicts, in order.

        Raises
        ------
        AnswerError
            ``no_prediction`` where there is none, ``unparsed`` where it is no label.
        """
        return [self._verdict(example) for example in examples]

    def _verdict(self, example: Example) -> Prediction:
        stored = example.attributes.get(f"a_{STORED[0]}", "")
        if stored == "":
            raise AnswerError("no_prediction", f"item {example.id!r} has no stored verdict")
        label = answered_label(stored)
        if label not in self.labels:
            raise AnswerError("unparsed", f"{label!r:.60} is none of {', '.join(self.labels)}")
        return Prediction(label)


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Judge whose verdicts stand in the data, in the column ``verdict``.

    Raises
    ------
    ModelError
        For data of another task, or a judge of one answer whose labels are not stated.
    """
    source.refuse_unknown_options(("labels",))
    if task.holds != HOLDS:
        raise ModelError(f"{source.text!r} reads verdicts on answers, and this is {task.name}.")
    found = StoredVerdicts(task, source)
    if not found.labels:
        raise ModelError(
            f"{source.text!r} does not say what its verdicts are. Add them, the worst first: "
            "verdicts:data#labels=bad|good."
        )
    return found


def _must_be_the_data(source: ModelSource) -> None:
    """Refuse another target than the data themselves."""
    if source.target != _TARGET:
        raise ModelError(f"{source.text!r}: verdicts stand in the data; write verdicts:{_TARGET}.")


ADAPTER: Final = Adapter(load, must_be_there=_must_be_the_data)
