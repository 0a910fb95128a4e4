"""Held-out sentences of annotated data: split off before training, scored for the record after.

One part is for training, one for choosing the epoch; a tuned checkpoint's competence record is of
the sentences that are held out.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.data.dataset import Dataset
from scrutiny.data.hashes import letters_hash
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.interval import wilson
from scrutiny.stats.intervals.one_factor import bootstrap
from scrutiny.stats.resampling.weights import Units
from scrutiny.tasks.annotated import AnchoredSpans
from scrutiny.tasks.item_hashes import COLUMN, is_held_out, sentence_place
from scrutiny.tasks.tasks import load_task
from scrutiny.training.finetuning.piece_targets import (
    EncodedFrames,
    PieceTarget,
    accuracy,
    accuracy_of_commonest,
    f1_of_all,
    label_counts,
    target_counts,
    target_f1,
)
from scrutiny.training.finetuning.piece_tasks import TRUTHS, Learned, PieceTask
from scrutiny.training.finetuning.recipe import PieceRecipe
from scrutiny.training.finetuning.training_data import DataParts, limited_training, refuse_shared

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
        the fifth that `scrutiny.tasks.item_hashes` decides.
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
    chosen, notes = limited_training(tuple(data.examples), recipe.limit)
    train, chooses, held_out = split_sentences(chosen, 0.0 if dev else recipe.dev_share)
    if dev is not None:
        notes += refuse_shared(chosen, data, dev, what="The dev data")
        chooses = tuple(dev.examples)
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
    # raise unless there are at least two labels
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
        # part of an example's sentence
        held = example.attributes.get(COLUMN) == "yes" if own else is_held_out(example.text)
        if held:
            side = "held out"
        else:
            side = "dev" if sentence_place(example.text) < dev_share else "train"
        if sides.setdefault(letters_hash(example.text), side) != side:
            raise DataError(
                f"{example.source or example.id}: this sentence is held out in one row and not in "
                f"another; {COLUMN} is 'yes' or 'no' for all rows of a sentence."
            )
        parts[side].append(example)
    return tuple(parts["train"]), tuple(parts["dev"]), tuple(parts["held out"])


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


#: Gate that claims about a tuned family presuppose.
GATE: Final = "task_skill"
LEVEL: Final = 0.95
DRAWS: Final = 2000
#: Held-out sentences below this number carry no interval.
FEWEST_SENTENCES: Final = 5


def skill_record(
    target: PieceTarget, encoded: EncodedFrames, rows: Sequence[Sequence[int]]
) -> dict[str, Any]:
    """Competence record: score on held-out frames, score without skill, and the gate.

    Parameters
    ----------
    target
        Learned labels.
    encoded
        Held-out frames.
    rows
        The checkpoint's answers at all positions of each.

    **Measures**: whether a checkpoint does what it was tuned to do, on sentences that neither
    trained nor chose it. Tagging an annotation: F1 above that of calling every piece a target. A
    control task, a mixture, relations: accuracy above that of the commonest label, of a control
    task on types that occur in training. The gate asks for the whole interval of the difference to
    lie above 0 (resampling sentences), and of an accuracy for Wilson's as well.

    **Misleads when**: read as quality; it is a lowest bar. Of a mixture nobody can score the whole,
    since nothing tells which annotations keep their true labels.

    **References**: Hewitt & Liang (2019); Wilson (1927).
    """
    frames = encoded.frames
    sentences = [frame.sentence for frame in frames]
    by_truth = target_counts(frames, rows)
    by_label = label_counts(frames, rows, types=target.scored_types)
    found: dict[str, Any] = {}
    if target.learned.task.reads == AnchoredSpans.name:
        right, predicted, gold, _ = by_truth.sum(axis=0).tolist()
        found["f1"] = _skill(by_truth, target_f1, f1_of_all, sentences=sentences) | {
            "precision": right / predicted if predicted else None,
            "recall": right / gold if gold else None,
            "without_skill": "every piece is a target",
        }
    if target.metric == "accuracy":
        skill = _skill(by_label, accuracy, accuracy_of_commonest, sentences=sentences)
        # skill with Wilson's interval, as if pieces were independent; both must exceed chance
        more: dict[str, Any] = {"without_skill": "the commonest label"}
        if skill["value"] is not None:
            hits, n = int(by_label[:, 0].sum()), int(by_label[:, 2].sum())
            more["wilson"] = wilson_interval(hits, n)
            more["is_above"] = skill["is_above"] and more["wilson"]["low"] > skill["baseline"]
        found["accuracy"] = skill | more
    own = found[target.metric]
    return {
        "format": 1,
        "gates": {GATE: own["is_above"]},
        GATE: {"task": target.learned.task.name, "metric": target.metric, **own},
        "other": {name: skill for name, skill in found.items() if name != target.metric},
        "held_out": {
            "sentences": len(set(sentences)),
            "frames": len(frames),
            "pieces": int(by_truth[:, 3].sum()),
            "scored": int((by_label if target.metric == "accuracy" else by_truth)[:, -1].sum()),
        },
        "labels": _labels(target),
    }


def _labels(target: PieceTarget) -> dict[str, Any]:
    """Description of a control task's labels."""
    control = target.control
    if control is None:
        return {}
    return {
        "rate": control.rate,
        "true_share": control.true_share,
        "types": getattr(target.learned.recipe, "types", "words"),
        "seed": str(control.seed),
        "seen_types": len(target.seen),
    }


def interval_of_units(
    table: NDArray[Any], statistic: Callable[[Any], Any], units: Units
) -> dict[str, float]:
    """Value of a statistic of summed rows ``(..., column)``, with its bootstrap interval.

    Parameters
    ----------
    table
        (row, column) that is summed.
    statistic
        Of the sums.
    units
        Clusters of the rows, which are resampled.
    """
    found = bootstrap(
        table,
        lambda sums, _weight: statistic(sums[..., 0, :]),
        rng=np.random.default_rng(0),
        draws=DRAWS,
        units=units,
        level=LEVEL,
    )
    return {"value": found.point, "low": found.low, "high": found.high}


def wilson_interval(hits: int, n: int) -> dict[str, float]:
    """Wilson's interval of a share, as if all rows were independent."""
    found = wilson(hits, n, level=LEVEL)
    return {"low": found.low, "high": found.high, "level": LEVEL, "n": n}


def _skill(
    counts: Floats,
    score: Callable[[Any], Any],
    without: Callable[[Any], Any],
    *,
    sentences: Sequence[str],
) -> dict[str, Any]:
    """Score with its interval, score without skill, and the interval of the difference."""
    n_sentences = len(set(sentences))
    if n_sentences < FEWEST_SENTENCES or not counts[:, -1].sum():
        return {"value": None, "is_above": False, "reason": "too little is held out"}
    units = Units.of(len(counts), sentences)
    try:
        value = interval_of_units(counts, score, units)
        gain = interval_of_units(counts, lambda sums: score(sums) - without(sums), units)
    except StatisticsError:
        return {"value": None, "is_above": False, "reason": "no score: no target is predicted"}
    return {
        **value,
        "level": LEVEL,
        "method": "percentile bootstrap over sentences",
        "n_units": n_sentences,
        "baseline": float(without(counts.sum(axis=0))),
        "gain": gain,
        "is_above": gain["low"] > 0,
    }
