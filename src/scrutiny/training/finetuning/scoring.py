"""Dev score: the task's own score of the network's predictions."""

from collections.abc import Sequence
from typing import Any, Final, cast

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.core.task import Prediction, Task
from scrutiny.reliability.metrics import metric_of
from scrutiny.training.finetuning.anchored.skill import skill_record
from scrutiny.training.finetuning.anchored.target import EncodedFrames, PieceTarget
from scrutiny.training.finetuning.batches import by_length, padded
from scrutiny.training.finetuning.network import Parted
from scrutiny.training.finetuning.targets import EncodedExamples, Target

_BATCH: Final = 64


def dev_score(
    parted: Parted,
    target: Target | PieceTarget,
    examples: Sequence[Example],
    encoded: EncodedExamples,
) -> float:
    """Level of the task's score on these examples (accuracy, entity F1); 0 if undefined.

    The network is left in evaluation mode. Answers are made in float32, as they are when the
    checkpoint is diagnosed.
    """
    rows = answers(parted, encoded, tags=target.tags)
    if isinstance(target, PieceTarget):
        return target.score(cast("EncodedFrames", encoded), rows)
    pieces = encoded.offsets or [[]] * len(examples)
    triples = zip(examples, rows, pieces, strict=True)
    predicted = [target.answer(example, row, own) for example, row, own in triples]
    return score_of_answers(target.task, target.labels, examples, predicted)


def dev_chance(
    target: Target | PieceTarget, examples: Sequence[Example], encoded: EncodedExamples
) -> float:
    """Score on these examples without skill."""
    if isinstance(target, PieceTarget):
        return target.chance(cast("EncodedFrames", encoded))
    return target.task.chance([example.gold for example in examples])


def held_out_record(
    parted: Parted, target: Target | PieceTarget, examples: Sequence[Example]
) -> dict[str, Any] | None:
    """Competence record on held-out examples; ``None`` if the task has none."""
    if not isinstance(target, PieceTarget):
        return None
    encoded = target.encode(parted.tokenizer, examples, longest=parted.longest)
    return skill_record(target, encoded, answers(parted, encoded, tags=True))


def score_of_answers(
    task: Task, labels: Sequence[str], examples: Sequence[Example], answers: Sequence[Prediction]
) -> float:
    """Level of a task's score over predictions; 0 if undefined.

    Raises
    ------
    PlanError
        If the task is not scored.
    """
    import numpy as np

    statistic = task.scored_by and metric_of(task.scored_by.level)
    if not isinstance(statistic, AdditiveStatistic):
        raise PlanError(f"The task {task.name!r} has no labels, so it has no score.")
    names = [measure.name for measure in task.measures]
    rows = [task.score(e.gold, a, labels=labels) for e, a in zip(examples, answers, strict=True)]
    columns = [names.index(need) for need in statistic.needs]
    measures = np.array(rows, dtype=np.float64)[:, columns]  # (example, need)
    sums = statistic.components(measures).sum(axis=0)[None]  # (cell, component)
    value = float(statistic.value(sums, np.ones(1)))
    return value if np.isfinite(value) else 0.0


def answers(parted: Parted, encoded: EncodedExamples, *, tags: bool) -> list[Any]:
    """Class probabilities of each text, or the best tag at each position; in order."""
    import torch

    network = parted.network.eval()
    found: dict[int, Any] = {}
    with torch.inference_mode():
        for batch in by_length(encoded.lengths, _BATCH):
            inputs, _ = padded(encoded, batch, pads=parted.pads, device=network.device)
            logits = network(**inputs).logits.float()  # (text, label) or (text, piece, tag)
            scores: Any = logits.argmax(-1) if tags else torch.softmax(logits, -1)
            found.update(zip(batch, scores.tolist(), strict=True))
    return [found[i] for i in range(len(encoded.lengths))]
