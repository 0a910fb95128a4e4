"""Parts of annotated data: for training, for choosing the epoch, and held out."""

from collections.abc import Sequence

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.data.dataset import Dataset
from scrutiny.data.hashes import letters_hash
from scrutiny.tasks.held_out import COLUMN, is_held_out, sentence_place
from scrutiny.tasks.names import load_task
from scrutiny.training.finetuning.anchored.recipe import PieceRecipe
from scrutiny.training.finetuning.anchored.task_gradient import TRUTHS, Learned, PieceTask
from scrutiny.training.finetuning.parts import DataParts, limited_training
from scrutiny.training.finetuning.shared_rows import refuse_shared

Examples = tuple[Example, ...]


def piece_parts(
    task: PieceTask,
    recipe: PieceRecipe,
    *,
    data: Dataset,
    dev: Dataset | None = None,
    reported: Sequence[Dataset] = (),
) -> DataParts:
    """Training, dev and held-out parts, no two of which share a sentence.

    Parameters
    ----------
    task, recipe
        Task and recipe.
    data
        Annotated sentences. Those are held out that the data's own column ``a_heldout`` says, or
        the fifth that `scrutiny.tasks.held_out` decides.
    dev
        Data for choosing the epoch; else ``dev_share`` of the sentences.
    reported
        Data sets that will be measured. Where they have labels to score, no row of them may be
        trained on; a probe of attention may read them all, and a note counts what it reads.

    Raises
    ------
    PlanError
        If rows are trained on whose labels are reported on.
    DataError
        If a sentence is on both sides, or there are fewer than two labels.
    """
    chosen, n_left = limited_training(data.examples, recipe.limit)
    notes = [f"{n_left:,} of {len(data):,} rows were left out by the limit."] if n_left else []
    train, chooses, held_out = split_sentences(chosen, 0.0 if dev else recipe.dev_share)
    if dev is not None:
        notes += refuse_shared(chosen, data, dev, what="The dev data")
        chooses = dev.examples
    for one in reported:
        if load_task(one.task).must_be_answered:
            notes += refuse_shared((*train, *chooses), data, one, what="The reported data")
        else:
            notes.append(_probed_note(one, train, chooses, held_out=held_out))
    parts = DataParts(
        task=load_task(data.task),
        labels=(),
        train=train,
        dev=chooses,
        sources=(data.source, "" if dev is None else dev.source),
        fingerprints=tuple(one.fingerprint for one in (data, dev) if one is not None),
        notes=tuple(notes),
        held_out=held_out,
        learned=Learned.of(task, recipe, (*train, *chooses, *held_out)),
    )
    _refuse_nothing(parts, data)
    return parts


def split_sentences(
    examples: Sequence[Example], dev_share: float
) -> tuple[Examples, Examples, Examples]:
    """Training, dev and held-out examples, split by sentence.

    Raises
    ------
    DataError
        If the data's own column puts one sentence on both sides.
    """
    own = any(COLUMN in example.attributes for example in examples)
    sides: dict[int, str] = {}
    parts: dict[str, list[Example]] = {"train": [], "dev": [], "held out": []}
    for example in examples:
        side = _side(example, dev_share, has_own=own)
        if sides.setdefault(letters_hash(example.text), side) != side:
            raise DataError(
                f"{example.source or example.id}: this sentence is held out in one row and not in "
                f"another; {COLUMN} is 'yes' or 'no' for all rows of a sentence."
            )
        parts[side].append(example)
    return tuple(parts["train"]), tuple(parts["dev"]), tuple(parts["held out"])


def _side(example: Example, dev_share: float, *, has_own: bool) -> str:
    """Part of an example's sentence."""
    held = example.attributes.get(COLUMN) == "yes" if has_own else is_held_out(example.text)
    if held:
        return "held out"
    return "dev" if sentence_place(example.text) < dev_share else "train"


def _probed_note(
    probed: Dataset,
    train: Sequence[Example],
    dev: Sequence[Example],
    *,
    held_out: Sequence[Example],
) -> str:
    """Note on how many probed sentences were trained on, compared by letters."""
    places = {
        name: {letters_hash(example.text) for example in part}
        for name, part in (("trained on", train), ("chosen by", dev), ("held out", held_out))
    }
    hashes = [letters_hash(example.text) for example in probed.examples]
    counts = {name: sum(h in known for h in hashes) for name, known in places.items()}
    return (
        f"{probed.name}: all {len(probed):,} items are probed; {counts['trained on']:,} are in "
        f"sentences that are trained on, {counts['chosen by']:,} on those that choose the epoch, "
        f"{counts['held out']:,} on those held out ({COLUMN} = yes)."
    )


def _refuse_nothing(parts: DataParts, data: Dataset) -> None:
    """Raise unless there are at least two labels."""
    learned = parts.learned
    assert learned is not None
    found = {f for frame in learned.frames(parts.train) for f in frame.labels if f is not None}
    wanted = TRUTHS if learned.task.names else learned.truths
    if len(found) < 2:
        raise DataError(
            f"{data.source}: the {len(parts.train)} examples to train on have "
            f"{', '.join(sorted(found)) or 'no label'} only; training needs two labels or "
            f"more ({', '.join(wanted[:6])}). {len(parts.dev)} choose the epoch, "
            f"{len(parts.held_out)} are held out."
        )
