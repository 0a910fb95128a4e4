"""Competence record of a tuned checkpoint: its score on held-out sentences."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.intervals.bootstrap import bootstrap
from scrutiny.stats.intervals.scale import wilson
from scrutiny.stats.resampling.weights import Units
from scrutiny.tasks.annotated.anchored_spans import AnchoredSpans
from scrutiny.training.finetuning.anchored.scores import (
    accuracy,
    accuracy_of_commonest,
    f1_of_all,
    label_counts,
    target_counts,
    target_f1,
)
from scrutiny.training.finetuning.anchored.target import EncodedFrames, PieceTarget

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
        found["f1"] = _skill(by_truth, target_f1, f1_of_all, sentences=sentences) | {
            **_precision_recall(by_truth),
            "without_skill": "every piece is a target",
        }
    if target.metric == "accuracy":
        skill = _skill(by_label, accuracy, accuracy_of_commonest, sentences=sentences)
        found["accuracy"] = _with_wilson(skill, by_label)
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
    value = _interval(counts, score, sentences=sentences)
    gain = _interval(counts, lambda sums: score(sums) - without(sums), sentences=sentences)
    if value is None or gain is None:
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


def _interval(
    counts: Floats, score: Callable[[Any], Any], *, sentences: Sequence[str]
) -> dict[str, float] | None:
    """Value with its interval over sentences; ``None`` if undefined."""
    units = Units.of(len(counts), sentences)
    try:
        found = bootstrap(
            counts,
            lambda sums, _weight: score(sums[..., 0, :]),
            rng=np.random.default_rng(0),
            draws=DRAWS,
            units=units,
            level=LEVEL,
        )
    except StatisticsError:
        return None
    return {"value": found.point, "low": found.low, "high": found.high}


def _precision_recall(counts: Floats) -> dict[str, float | None]:
    """Precision and recall of targets; ``None`` if undefined."""
    right, predicted, gold, _ = counts.sum(axis=0).tolist()
    return {
        "precision": right / predicted if predicted else None,
        "recall": right / gold if gold else None,
    }


def _with_wilson(skill: dict[str, Any], counts: Floats) -> dict[str, Any]:
    """Skill with Wilson's interval, as if pieces were independent; both must exceed chance."""
    more: dict[str, Any] = {"without_skill": "the commonest label"}
    if skill["value"] is not None:
        right, n = int(counts[:, 0].sum()), int(counts[:, 2].sum())
        found = wilson(right, n, level=LEVEL)
        more["wilson"] = {"low": found.low, "high": found.high, "level": LEVEL, "n": n}
        more["is_above"] = skill["is_above"] and found.low > skill["baseline"]
    return skill | more
