"""Scores of rationales in a whole file of predictions, as ERASER's scorer gives them.

Annotations and documents are those of a folder that `scrutiny.data.readers.eraser` reads. Numbers
are those of the released scorer; where it does otherwise than its name or its paper says, both
stand here under names of their own:

==========================  ==================================================================
``iou_f1``                  recall counts gold spans that are met; ``iou_f1/released`` counts
                            predictions that meet one, so that its recall can exceed 1
``comprehensiveness_aopc``  mean over the thresholds; ``.../paper`` divides by one more, for the
                            bin of no word
``auprc``                   by trapezoids, not average precision, which stands beside it
==========================  ==================================================================

Intervals are over annotations, which are drawn as a whole (95 %, percentiles).

References
----------
J. DeYoung, S. Jain, N. F. Rajani, E. Lehman, C. Xiong, R. Socher, B. C. Wallace (2020). ERASER: a
benchmark to evaluate rationalized NLP models. ACL.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.stats import entropy, rankdata

from scrutiny.core.arrays import Booleans, Floats
from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.core.randomness import generator
from scrutiny.data.readers.eraser import documents_of, token_places
from scrutiny.diagnostics.attribution.plausibility import (
    WordSpan,
    area_under_precision,
    span_hits,
    token_scores,
    words_in,
)
from scrutiny.stats.intervals.interval import quantile_limits
from scrutiny.stats.resampling.resample import resample

_SOFT: Final = {"": "soft_rationale_predictions", "sentence_": "soft_sentence_predictions"}
_KINDS: Final = ("comprehensiveness", "sufficiency")
#: What one annotation adds to sums, by name.
Sums = dict[str, float]


class EraserScore(NamedTuple):
    """A score of a file of predictions.

    Parameters
    ----------
    name
        As in the module's table.
    value, low, high
        The score, and its 95 % limits; a share, or a probability.
    n
        Annotations, or pairs of an annotation and a document, that it is a mean over.
    """

    name: str
    value: float
    low: float
    high: float
    n: int


def eraser_scores(
    annotations: str | Path, predictions: str | Path, *, draws: int = 2_000
) -> list[EraserScore]:
    """Scores of predicted rationales: hard ones, soft ones, sentences, and how faithful they are.

    Parameters
    ----------
    annotations
        A file of annotations (``movies/val.jsonl``), with ``docs/`` or ``docs.jsonl`` beside it.
    predictions
        A file with a line for each annotation, in the form that the released scorer reads.
    draws
        Bootstrap resamples of the annotations.

    Returns
    -------
    list
        Those that the predictions have something for.

    Raises
    ------
    DataError
        If a file cannot be read, or both do not belong together.

    Notes
    -----
    **Measures**: agreement with people's rationales (plausibility), and what the rationales do to
    the model's answers (faithfulness), as published figures have them.

    **Misleads when**: compared across numbers of tokens that are named: a hard rationale of the
    whole text has a token recall of 1 and a sufficiency of 0. Published macro F1 is of mean
    precision and mean recall for spans, and a mean of F1 for tokens.
    """
    known = documents_of(Path(annotations).parent)
    gold = {str(one["annotation_id"]): one for one in _lines(annotations)}
    found = {str(one["annotation_id"]): one for one in _lines(predictions)}
    lost = [name for name in found if name not in gold]
    if lost or not found:
        said = f"annotation {lost[0]!r} is not in {annotations}" if lost else "it has no line"
        raise DataError(f"{predictions} does not belong to these annotations: {said}.")
    rows = []
    for name, one in found.items():
        try:
            rows.append(_sums(gold[name], one, known))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise DataError(
                f"{predictions}: the prediction for {name!r} cannot be scored: {error!r}."
            ) from None
    names = sorted({name for row in rows for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    return [
        _score(score, over, value, names, table, draws)
        for score, (over, value) in _SCORES.items()
        if over in names
    ]


def _score(
    score: str, over: str, value: "_Value", names: Sequence[str], table: Floats, draws: int
) -> EraserScore:
    """A score with its limits, from the sums of each annotation."""

    def of_sums(sums: Floats, _: Floats) -> Floats:
        at = sums[..., 0, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(value(lambda name: at[..., names.index(name)]))

    rng = generator(0, "eraser", name=score, item="")
    drawn = resample(table[None], of_sums, rng=rng, draws=draws)
    low, high = quantile_limits(drawn.draws[np.isfinite(drawn.draws[:, 0]), 0], 0.95)
    n = int(table[:, names.index(over)].sum())
    return EraserScore(score, float(drawn.point[0]), low, high, n)


_Get = Callable[[str], Floats]
_Value = Callable[[_Get], Floats]


def _mean(name: str) -> tuple[str, _Value]:
    """Mean of what is added up, over how often."""
    return f"n_{name}", lambda get: get(name) / get(f"n_{name}")


def _f1(precision: Floats, recall: Floats) -> Floats:
    """Harmonic means; 0 where both are 0."""
    total = precision + recall
    return np.where(total > 0, 2 * precision * recall / np.where(total > 0, total, 1.0), 0.0)


def _f1_of(precision: str, recall: str, own: str, other: str) -> tuple[str, _Value]:
    """F1 of two quotients of sums."""
    return own, lambda get: _f1(get(precision) / get(own), get(recall) / get(other))


#: How often each score's sum is counted, and the score of sums.
_SCORES: Final[Mapping[str, tuple[str, _Value]]] = {
    "accuracy": _mean("accuracy"),
    "iou_f1": _f1_of("span_p", "span_r", "n_span_p", "n_span_r"),
    "iou_f1/released": _f1_of("span_p", "span_r_released", "n_span_p", "n_span_r"),
    "iou_f1/micro": _f1_of("hits", "met", "spans", "gold_spans"),
    "token_precision": _mean("token_p"),
    "token_recall": _mean("token_r"),
    "token_f1": _mean("token_f1"),
    "token_f1/micro": _f1_of("both", "both", "tokens", "gold_tokens"),
    **{
        f"{kind}{name}": _mean(f"{kind}{name}")
        for kind in _SOFT
        for name in ("auprc", "average_precision", "roc_auc")
    },
    **{
        f"{kind}{end}": _mean(f"{kind}{end}")
        for kind in _KINDS
        for end in ("", "_aopc", "_aopc/paper", "_entropy", "_kl")
    },
    "tokens_to_flip": _mean("tokens_to_flip"),
}


def _lines(path: str | Path) -> Iterable[Mapping[str, Any]]:
    """Rows of a file of JSON lines."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return [parse_json(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as lines of JSON: {error}.") from None


def _sums(gold: Mapping[str, Any], one: Mapping[str, Any], known: Mapping[str, str]) -> Sums:
    """Scores of one annotation with its prediction."""
    sums: Sums = {}
    spans: dict[str, set[WordSpan]] = {}
    lines: dict[str, set[WordSpan]] = {}
    for mark in (mark for group in gold["evidences"] for mark in group):
        own = spans.setdefault(str(mark["docid"]), set())
        own.add((int(mark["start_token"]), int(mark["end_token"])))
        if int(mark.get("start_sentence", -1)) >= 0:
            own = lines.setdefault(str(mark["docid"]), set())
            own.add((int(mark["start_sentence"]), int(mark["end_sentence"])))
    rationales = {str(part["docid"]): part for part in one["rationales"]}
    has_hard = any(part.get("hard_rationale_predictions") for part in rationales.values())
    for name in {*spans, *rationales} if has_hard else ():
        hard = rationales.get(name, {}).get("hard_rationale_predictions") or ()
        predicted = {(int(p["start_token"]), int(p["end_token"])) for p in hard}
        _add(sums, _of_spans(sorted(spans.get(name, ())), sorted(predicted)))
    for name, part in rationales.items():
        for kind, key in _SOFT.items():
            if part.get(key) is None:
                continue
            scores = np.asarray(part[key], dtype=np.float64)
            document = known[name]
            size = document.count("\n") + (not document.endswith("\n"))
            if not kind:
                size = len(token_places(document))
            if len(scores) != size:
                raise ValueError(f"{len(scores)} scores of {name}, which has {size}")
            marked = words_in((spans if not kind else lines).get(name, ()))
            _add(sums, _of_scores(kind, [i in marked for i in range(size)], scores))
    _add(sums, _of_answers(gold, one, known, spans))
    return sums


def _add(sums: Sums, more: Mapping[str, float]) -> None:
    """Add to sums by name."""
    for name, value in more.items():
        sums[name] = sums.get(name, 0.0) + value


def _of_spans(gold: Sequence[WordSpan], found: Sequence[WordSpan]) -> Sums:
    """Sums of a hard rationale of one document."""
    hits, met = span_hits(gold, found)
    words, named = words_in(gold), words_in(found)
    precision, recall, f1 = token_scores(words, named)
    return {
        **{"hits": hits, "met": met, "spans": len(found), "gold_spans": len(gold)},
        **{"both": len(words & named), "tokens": len(named), "gold_tokens": len(words)},
        **{"span_p": hits / len(found) if found else 0.0, "n_span_p": bool(found)},
        **{"span_r": met / len(gold) if gold else 0.0, "n_span_r": bool(gold)},
        "span_r_released": hits / len(gold) if gold else 0.0,
        **{"token_p": precision, "token_r": recall, "token_f1": f1},
        **{"n_token_p": 1, "n_token_r": 1, "n_token_f1": 1},
    }


def _of_scores(kind: str, gold: Sequence[bool], scores: Floats) -> Sums:
    """Sums of a soft rationale of one document; two of the numbers need words of both classes."""
    sums: Sums = {f"{kind}auprc": area_under_precision(gold, scores), f"n_{kind}auprc": 1}
    if any(gold) and not all(gold):
        is_gold = np.asarray(gold, dtype=bool)
        for name, value in (
            ("average_precision", _average_precision(is_gold, scores)),
            ("roc_auc", _roc_auc(is_gold, scores)),
        ):
            sums |= {f"{kind}{name}": value, f"n_{kind}{name}": 1}
    return sums


def _average_precision(gold: Booleans, scores: Floats) -> float:
    """Precision at each step of the recall, equal scores together."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(gold[order])
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    steps = np.diff(np.concatenate([[0], hits[last]])) / hits[-1]
    return float((steps * hits[last] / (last + 1)).sum())


def _roc_auc(gold: Booleans, scores: Floats) -> float:
    """Share of the pairs of a marked word and another in which the first has the higher score."""
    n, rest = int(gold.sum()), int((~gold).sum())
    return float((rankdata(scores)[gold].sum() - n * (n + 1) / 2) / (n * rest))


def _of_answers(
    gold: Mapping[str, Any],
    one: Mapping[str, Any],
    known: Mapping[str, str],
    spans: Mapping[str, object],
) -> Sums:
    """Sums of what the model answers to texts without rationales, and to rationales alone."""
    sums: Sums = {}
    answer = one.get("classification")
    if answer is None:
        return sums
    sums |= {"accuracy": float(answer == gold["classification"]), "n_accuracy": 1}
    whole = one.get("classification_scores")
    for kind in _KINDS:
        key = f"{kind}_classification_scores"
        if whole and one.get(key):
            left = [float(one[key][label]) for label in whole]
            had = [float(whole[label]) for label in whole]
            sums |= {kind: float(whole[answer]) - float(one[key][answer]), f"n_{kind}": 1}
            sums |= {f"{kind}_entropy": float(entropy(had) - entropy(left))}
            sums |= {f"{kind}_kl": float(entropy(left, had))}
            sums |= {f"n_{kind}_entropy": 1, f"n_{kind}_kl": 1}
        if whole and one.get("thresholded_scores"):
            bins = [float(whole[answer]) - float(b[key][answer]) for b in one["thresholded_scores"]]
            sums |= {f"{kind}_aopc": sum(bins) / len(bins), f"n_{kind}_aopc": 1}
            sums |= {f"{kind}_aopc/paper": sum(bins) / (len(bins) + 1), f"n_{kind}_aopc/paper": 1}
    if one.get("tokens_to_flip") is not None and spans:
        size = sum(len(token_places(known[name])) for name in spans)
        sums |= {"tokens_to_flip": float(one["tokens_to_flip"]) / size, "n_tokens_to_flip": 1}
    return sums
