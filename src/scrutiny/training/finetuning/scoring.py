"""Dev score: the task's own score of the network's predictions."""

from collections.abc import Sequence
from typing import Any, Final, cast

from scrutiny.core.example import Example
from scrutiny.models.hf.batching import by_length
from scrutiny.tasks.scored import level_of
from scrutiny.training.finetuning.anchored.skill import skill_record
from scrutiny.training.finetuning.anchored.target import EncodedFrames, PieceTarget
from scrutiny.training.finetuning.batches import padded
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
    rows = _answers(parted, encoded, tags=target.tags)
    if isinstance(target, PieceTarget):
        return target.score(cast("EncodedFrames", encoded), rows)
    triples = zip(examples, rows, encoded.offsets or [[]] * len(examples), strict=True)
    predicted = [target.answer(example, row, own) for example, row, own in triples]
    return level_of(target.task, examples, predicted, labels=target.labels)


def dev_chance(
    target: Target | PieceTarget, examples: Sequence[Example], encoded: EncodedExamples
) -> float:
    """Score on these examples without skill."""
    if isinstance(target, PieceTarget):
        return target.chance(cast("EncodedFrames", encoded))
    return target.task.chance(examples)


def held_out_record(
    parted: Parted, target: Target | PieceTarget, examples: Sequence[Example]
) -> dict[str, Any] | None:
    """Competence record on held-out examples; ``None`` if the task has none."""
    if not isinstance(target, PieceTarget):
        return None
    encoded = target.encode(parted.tokenizer, examples, longest=parted.longest)
    return skill_record(target, encoded, _answers(parted, encoded, tags=True))


def _answers(parted: Parted, encoded: EncodedExamples, *, tags: bool) -> list[Any]:
    """Probabilities of each text, or the best tag at each position; in order."""
    import torch

    from scrutiny.models.hf.labeled import logits_of  # it imports torch

    network = parted.network.eval()
    found: dict[int, Any] = {}
    with torch.inference_mode():
        for batch in by_length(encoded.lengths, _BATCH):
            inputs, _ = padded(encoded, batch, pads=parted.pads, device=network.device)
            # (text, label), (text, piece, tag), or (text, start or end, piece)
            logits = logits_of(network(**inputs)).float()
            scores: Any = logits.argmax(-1) if tags else torch.softmax(logits, -1)
            found.update(zip(batch, scores.tolist(), strict=True))
    return [found[i] for i in range(len(encoded.lengths))]
