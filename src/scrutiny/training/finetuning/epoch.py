"""One epoch of a fine-tuning: augmented texts, AdamW steps, and the dev score.

Some texts are changed by label-preserving recipes, anew in each epoch; the score is the task's own.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, cast

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.randomness import generator
from scrutiny.core.record import grouped
from scrutiny.core.task import Task
from scrutiny.perturb.engine.apply import Setting
from scrutiny.perturb.engine.batch import perturb_stream
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.resources.other_items import with_items
from scrutiny.tasks.scores import level_of
from scrutiny.text.edits import apply_edits
from scrutiny.training.finetuning.encoders import Parted
from scrutiny.training.finetuning.held_out_sentences import skill_record
from scrutiny.training.finetuning.piece_targets import EncodedFrames, PieceTarget
from scrutiny.training.finetuning.recipe import FinetuningRecipe
from scrutiny.training.finetuning.targets import EncodedExamples, Target
from scrutiny.training.trainer import has_bfloat16, step_taken

_STREAM: Final = "augment@1"


def must_keep_labels(recipe: FinetuningRecipe, task: Task) -> None:
    """Refuse recipes that change the labels which augmented texts are fine-tuned with.

    Parameters
    ----------
    recipe
        With the changes; if their labels are ``assumed``, those that *may* change the answer will
        do as well.
    task
        Whose labels are meant.

    Raises
    ------
    PlanError
        For the first that does not keep them: its texts would be trained with the wrong label.
    """
    allowed = ("keeps", "may change") if recipe.augment_labels == "assumed" else ("keeps",)
    for change in map(parse_recipe, recipe.augment):
        change.must_suit(task.facts, ())
        effect = change.effect(task.facts)
        if effect not in allowed:
            hint = (
                " With augment_labels = assumed, old labels are taken for right."
                if effect == "may change"
                else ""
            )
            raise PlanError(
                f"augment: {change.name} does not keep the labels of {task.name} (it says: "
                f"{effect}), so its texts would be trained with wrong ones. `scrutiny show NAME` "
                f"says what a transformation does to the label.{hint}"
            )


def augmented(
    examples: Sequence[Example], recipe: FinetuningRecipe, *, seed: int, epoch: int, task: Task
) -> tuple[list[Example], int]:
    """Examples of one epoch, some of them changed, and the number changed.

    Parameters
    ----------
    examples
        The training part.
    recipe
        Each example that is to be changed gets one of its changes, drawn at random; with labels
        that are ``assumed``, the old answer stands for that of a variant which may have another.
    seed
        Of the run.
    epoch
        From 1; another one changes other examples in other ways.
    task
        A variant whose gold answer is not kept is not used.
    """
    seen = list(examples)
    if not recipe.augment:
        return seen, 0
    rng = generator(seed, "augment", name=_STREAM, item="which", draw=epoch)
    is_changed = rng.random(len(seen)) < recipe.augment_share
    which = rng.integers(len(recipe.augment), size=len(seen))
    n_changed = 0
    setting = Setting(seed, draw=epoch, resources=with_items({}, examples), facts=task.facts)
    for number, change in enumerate(recipe.augment):
        places = [i for i in range(len(seen)) if is_changed[i] and which[i] == number]
        stream = perturb_stream((seen[i] for i in places), [change], setting)
        for place, (example, variants) in zip(places, stream, strict=True):
            variant = variants[0]
            is_right = variant.gold is not None or recipe.augment_labels == "assumed"
            if variant.status == "ok" and is_right:
                seen[place] = apply_edits(example, variant.edits)
                n_changed += 1
    return seen, n_changed


#: Parameters up to which casting costs a processor more than it saves.
_SMALL_NETWORK: Final = 8_000_000
_NO_DECAY: Final = ("bias", "LayerNorm", "layer_norm", "layernorm", ".norm")


def optimizer_of(parted: Parted, recipe: FinetuningRecipe, *, rate: float) -> Any:
    """AdamW with a higher rate for the head, and weight decay of matrices only.

    Parameters
    ----------
    parted
        The network.
    recipe
        Decay, and how much faster the head is.
    rate
        Peak rate of the encoder.
    """
    import torch

    groups = grouped(
        ((name in parted.head, not any(part in name for part in _NO_DECAY)), parameter)
        for name, parameter in parted.network.named_parameters()
    )
    made = [
        {
            "params": parameters,
            "peak": rate * (recipe.head_lr_factor if is_head else 1.0),
            "weight_decay": recipe.weight_decay if is_decayed else 0.0,
        }
        for (is_head, is_decayed), parameters in groups.items()
    ]
    # one kernel for all tensors: a tiny network would otherwise wait for Python
    return torch.optim.AdamW(made, lr=rate, fused=True)


def train_epoch(
    parted: Parted,
    optimizer: Any,
    encoded: EncodedExamples,
    batches: Sequence[Sequence[int]],
    *,
    recipe: FinetuningRecipe,
    done: int,
    steps: int,
) -> Iterator[float]:
    """Loss of each step of one epoch; a step is taken when its loss is requested.

    Parameters
    ----------
    parted, optimizer
        Changed in place.
    encoded, batches
        The epoch's texts, and which of them share a step.
    recipe
        Schedule, clipping, precision.
    done, steps
        Steps before this epoch, and of the whole run.

    Raises
    ------
    ModelError
        If the loss is not finite.
    """
    from scrutiny.models.hf.forward_passes import logits_of  # it imports torch

    network = parted.network.train()
    forward = encoded.forward(network, parted.tokenizer, batch=recipe.batch)
    casting = _casting(recipe, parted)
    for number, batch in enumerate(batches):
        rate = recipe.share_at(done + number, steps=steps)
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * rate
        with casting():
            given = forward.inputs(encoded.columns, encoded.rows(batch))
            logits = logits_of(network(**given))
        loss = encoded.loss(logits.float(), batch)
        where, hint = f" at step {done + number + 1}", ", or precision float32"
        yield step_taken(loss, optimizer, network, clip=recipe.clip, where=where, hint=hint)


def precision_on(recipe: FinetuningRecipe, parted: Parted) -> str:
    """Precision of a recipe for a network on its device: "float32" or "bfloat16".

    A processor with instructions for bfloat16 takes 0.63 of the time for 22 M parameters, and 1.4
    times as long for 5 M (`docs/finetuning.md`), so small networks stay in float32.
    """
    if recipe.precision != "auto":
        return recipe.precision
    device = parted.network.device.type
    is_worth_it = device == "cuda" or parted.n_parameters > _SMALL_NETWORK
    return "bfloat16" if is_worth_it and has_bfloat16(device) else "float32"


def _casting(recipe: FinetuningRecipe, parted: Parted) -> Callable[[], AbstractContextManager[Any]]:
    """Factory of the autocast context in which the network runs."""
    import torch

    if precision_on(recipe, parted) == "float32":
        return nullcontext
    return lambda: torch.autocast(parted.network.device.type, dtype=torch.bfloat16)


_SCORED_AT_ONCE: Final = 64


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
    """What an answer is read off, or the best tag at each position; by example, in order."""
    network, tokenizer = parted.network.eval(), parted.tokenizer
    forward = encoded.forward(network, tokenizer, batch=_SCORED_AT_ONCE)
    found: dict[int, Any] = {}
    for answered in forward.logits(encoded.columns):
        logits = answered.answer  # (text, label), (text, piece, tag), (text, start or end, piece)
        scores: Any = logits.argmax(-1) if tags else encoded.shares(logits)
        found.update(zip(answered.indices, scores.tolist(), strict=True))
    return encoded.by_example([found[i] for i in range(len(found))])
