"""Data augmentation: training texts changed by label-preserving recipes, anew in each epoch."""

from collections.abc import Sequence
from typing import Final

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.randomness import generator
from scrutiny.core.task import Task
from scrutiny.perturb.engine.apply import Setting
from scrutiny.perturb.engine.batch import perturb_stream
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.text.edits.apply import apply_edits

_STREAM: Final = "augment@1"


def must_keep_labels(recipes: Sequence[str], task: Task, *, labels: str = "kept") -> None:
    """Refuse recipes that change the labels which augmented texts are fine-tuned with.

    Parameters
    ----------
    recipes
        In their written form.
    task
        Whose labels are meant.
    labels
        With ``assumed``, recipes that *may* change the answer will do as well.

    Raises
    ------
    PlanError
        For the first that does not keep them: its texts would be trained with the wrong label.
    """
    allowed = ("keeps", "may change") if labels == "assumed" else ("keeps",)
    for recipe in map(parse_recipe, recipes):
        effect = recipe.effect(task.facts)
        if effect not in allowed:
            hint = (
                " With augment_labels = assumed, old labels are taken for right."
                if effect == "may change"
                else ""
            )
            raise PlanError(
                f"augment: {recipe.name} does not keep the labels of {task.name} (it says: "
                f"{effect}), so its texts would be trained with wrong ones. `scrutiny show NAME` "
                f"says what a transformation does to the label.{hint}"
            )


def augmented(
    examples: Sequence[Example],
    recipes: Sequence[str],
    *,
    share: float,
    seed: int,
    epoch: int,
    task: Task,
    labels: str = "kept",
) -> tuple[list[Example], int]:
    """Examples of one epoch, some of them changed, and the number changed.

    Parameters
    ----------
    examples
        The training part.
    recipes
        Each example that is to be changed gets one of them, drawn at random.
    share
        How likely an example is to be changed.
    seed
        Of the run.
    epoch
        From 1; another one changes other examples in other ways.
    task
        Name of the task: a variant whose gold answer is not kept is not used.
    labels
        With ``assumed``, the old answer stands for that of a variant which may have another.
    """
    seen = list(examples)
    if not recipes:
        return seen, 0
    rng = generator(seed, "augment", name=_STREAM, item="which", draw=epoch)
    is_changed = rng.random(len(seen)) < share
    which = rng.integers(len(recipes), size=len(seen))
    n_changed = 0
    setting = Setting(seed, draw=epoch, facts=task.facts)
    for number, recipe in enumerate(recipes):
        places = [i for i in range(len(seen)) if is_changed[i] and which[i] == number]
        stream = perturb_stream((seen[i] for i in places), [recipe], setting)
        for place, (example, variants) in zip(places, stream, strict=True):
            variant = variants[0]
            if variant.status == "ok" and (variant.gold is not None or labels == "assumed"):
                seen[place] = apply_edits(example, variant.edits)
                n_changed += 1
    return seen, n_changed
