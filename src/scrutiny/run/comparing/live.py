"""A live model against itself: the noise floor where there is one replicate."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from scrutiny.core.canonical import canonical_json
from scrutiny.core.diagnostic import Failure
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.run.comparing.agreement import numbers_of, values_of
from scrutiny.run.comparing.flips import UNKNOWN, Noise
from scrutiny.run.comparing.marks import marks_of
from scrutiny.run.comparing.sides import Answers
from scrutiny.run.planning.loading import load_replicate
from scrutiny.run.planning.resolved import Resolved
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
    if getattr(model, "has_stored_answers_only", False):
        return UNKNOWN
    examples = [one for one in dataset.examples if one.gold is not None][:most]
    if not examples:
        return UNKNOWN
    if model.is_batch_invariant:
        return Noise("exact", 0.0, n_items=len(examples))
    names = resolved.pairings[family, data].labels.mapping
    answers = [
        predict_or_fail(model, examples),
        predict_or_fail(model, examples[::-1])[::-1],
    ]
    hits = [
        [
            None if isinstance(answer, Failure) else _how_right(one.gold, answer, names)
            for one, answer in zip(examples, several, strict=True)
        ]
        for several in answers
    ]
    both = [(a, b) for a, b in zip(*hits, strict=True) if a is not None and b is not None]
    if not both:
        return UNKNOWN
    return Noise(
        "asked again",
        sum(a != b for a, b in both) / len(both),
        n_items=len(both),
        n_pairs=1,
        agreement=_agreement(answers, [names.get(str(one.gold)) for one in examples]),
    )


def _agreement(
    answers: Sequence[Sequence[Prediction | Failure]], golds: Sequence[str | None]
) -> dict[str, float]:
    """Measures of agreement of both times, on the items that got an answer each time."""
    known = [
        (a, b, gold)
        for a, b, gold in zip(*answers, golds, strict=True)
        if not (isinstance(a, Failure) or isinstance(b, Failure))
    ]
    right = [gold for *_, gold in known]
    both = _side([a for a, *_ in known]), _side([b for _, b, _ in known])
    has_hits = not any(one.are_spans for one in both)
    hits = tuple((one.labels == np.array(right, dtype=object)).astype(np.float64) for one in both)
    marked = marks_of(both, (hits[0], hits[1]) if has_hits else None, golds=right)
    return values_of(numbers_of(marked.first, marked.second, marked, pairs=[(0, 0)]))


def _side(several: Sequence[Prediction]) -> Answers:
    """Answers of one time."""
    are_spans = any(one.spans is not None for one in several)
    labels = np.empty((1, len(several)), dtype=object)
    for k, one in enumerate(several):
        labels[0, k] = canonical_json(sorted(one.spans or ())) if are_spans else one.label
    scores = [one.scores for one in several if one.scores]
    is_whole = len(scores) == len(several) and len({len(one) for one in scores}) == 1
    return Answers(labels, np.array([scores]) if is_whole else None, are_spans)


def noise_of_promise(folder: RunFolder) -> dict[str, Noise]:
    """No noise on any dataset where a run's adapters promised exact answers: its manifest says."""
    manifest = folder.manifest
    if manifest.get("promise") != EXACT_RECORDS:
        return {}
    return {name: Noise("exact", 0.0, n_items=d["items"]) for name, d in manifest["data"].items()}


def _how_right(gold: Any, answer: Prediction, names: Mapping[str, str]) -> object:
    """Whether a label is right; of tags, how many are right of how many found."""
    if answer.spans is None or not isinstance(gold, tuple):
        return answer.label == names.get(str(gold))
    wanted = {span._replace(label=names.get(span.label, span.label)) for span in gold}
    return len(wanted & set(answer.spans)), len(set(answer.spans))
