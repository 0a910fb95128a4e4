"""A live model against itself: the noise floor where there is one replicate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.diagnostic import Failure
from scrutiny.core.model import has_stored_answers_only
from scrutiny.core.record import Counts
from scrutiny.core.task import Prediction, Task
from scrutiny.diagnostics.similarity.answers import Labels
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.run.comparing.agreement import marked, numbers_of, values_of
from scrutiny.run.comparing.flips import UNKNOWN, Noise, noise_of_runs
from scrutiny.run.comparing.sides import Answers, Sides, f1_of_items
from scrutiny.run.estimating.contrasts import Meeting
from scrutiny.run.planning.loading import load_replicate
from scrutiny.run.planning.resolved import Resolved
from scrutiny.stats.resampling.weights import Units
from scrutiny.store.run_folder import RunFolder

MOST_ASKED: Final = 200
#: What a manifest says where every adapter promises exact answers in any batch.
EXACT_RECORDS: Final = "records are byte-identical"


def noise_when_asked_again(
    resolved: Resolved, *, family: str, data: str, most: int = MOST_ASKED
) -> Noise:
    """Share of items that flip where a single model is asked twice.

    The second time in the reverse order, so that what goes into a batch differs. A model that
    promises exact answers in any batch is not asked; stored answers cannot be asked again.

    Parameters
    ----------
    resolved
        The plan.
    family, data
        Which model on which data.
    most
        Items that are asked, at most.
    """
    replicates = resolved.families[family].replicates
    task, dataset = resolved.tasks[data], resolved.datasets[data]
    if len(replicates) > 1 or task.scored_by is None:
        return UNKNOWN
    model = load_replicate(replicates[0].source, task, resolved.options)
    if has_stored_answers_only(model):
        return UNKNOWN
    examples = [one for one in dataset.examples if one.gold is not None][:most]
    if not examples:
        return UNKNOWN
    if model.is_batch_invariant:
        return Noise("exact", 0.0, n_items=len(examples))
    asked = zip(
        examples,
        predict_or_fail(model, examples),
        predict_or_fail(model, examples[::-1])[::-1],
        strict=True,
    )
    pairing = resolved.pairings[family, data]
    known, twice, values = [], [], []
    for one, *answers in asked:
        both = [a for a in answers if not isinstance(a, Failure)]
        if len(both) == len(answers):
            gold = _renamed(one.gold, pairing.labels.mapping)
            known.append(replace(one, gold=gold))
            twice.append(both)
            values.append([_right(gold, a, task) for a in both])
    if not known:
        return UNKNOWN
    first, second = np.moveaxis(np.array(values, dtype=np.float64), 1, 0)[:, None]
    metric = "accuracy@1"
    if first.shape[-1] > 1:  # counts of a tagger
        first, second, metric = f1_of_items(first), f1_of_items(second), "mean@1"
    n = len(known)
    sides = Sides(
        Meeting((first, second), ((None,), (None,)), Counts(n=n), Units.of(n), None),
        tuple(known),
        metric,
        is_paired=True,
        resampling=resolved.plan.resampling,
        seed=resolved.plan.seed,
        answers=(_answers([a for a, _ in twice]), _answers([b for _, b in twice])),
        labels=(Labels(pairing.model_labels, pairing.model_labels),) * n,
    )
    agreement = values_of(sides, numbers_of(sides, marked(sides), sides.pairs()))
    return replace(noise_of_runs(sides), how="asked again", agreement=agreement)


def _renamed(gold: Any, names: Mapping[str, str]) -> Any:
    """Gold answer in the model's words."""
    if isinstance(gold, tuple):
        return tuple(span._replace(label=names.get(span.label, span.label)) for span in gold)
    return names.get(str(gold))


def _right(gold: Any, answer: Prediction, task: Task) -> tuple[float, ...]:
    """Whether a label is right; of tags, those found, made up and missed."""
    if answer.spans is None:
        return (float(answer.label == gold),)
    return task.score(gold, answer, labels=())


def _answers(several: Sequence[Prediction]) -> Answers:
    """Answers of one time."""
    are_spans = any(one.spans is not None for one in several)
    labels = np.empty((1, len(several)), dtype=object)
    for k, one in enumerate(several):
        labels[0, k] = canonical_json(sorted(one.spans or ())) if are_spans else one.label
    scores = [one.scores for one in several if one.scores]
    is_whole = len(scores) == len(several) and len(set(map(len, scores))) == 1
    return Answers(labels, np.array([scores]) if is_whole else None, are_spans)


def noise_of_promise(folder: RunFolder) -> dict[str, Noise]:
    """No noise on any dataset where a run's adapters promised exact answers: its manifest says."""
    manifest = folder.manifest
    if manifest.get("promise") != EXACT_RECORDS:
        return {}
    return {name: Noise("exact", 0.0, n_items=d["items"]) for name, d in manifest["data"].items()}
