"""A run in the format of Every Eval Ever (0.3): an aggregate, and samples, a row a score."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from scrutiny.blocks.run_view import RunView
from scrutiny.core.answers.answer import answer_of
from scrutiny.core.boundary.json_text import canonical_json, json_line, plain
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate
from scrutiny.reliability.assignment import Assignment, assignments_in
from scrutiny.store.run_folder import RunFolder

_VERSION: Final = "0.3.0"
#: What the tools of logs are called there.
_LIBRARIES: Final[Mapping[str, str]] = {"lm-eval": "lm_eval", "inspect": "inspect_ai"}
#: Metrics whose value is the mean of one measure of an item, with the names of that measure.
_MEANS: Final[Mapping[str, tuple[str, ...]]] = {
    "accuracy@1": ("hit",),
    "mean@1": ("value",),
}
Object = dict[str, Any]


def render_aggregate(view: RunView) -> str:
    """Return the aggregate: every number of the whole data, with its interval.

    Raises
    ------
    PlanError
        If the run has several models: a file of this format has one.
    """
    manifest, facts = view.manifest, view.facts
    model, tool = _model(view), manifest.get("imported", "")
    known = {canonical_json(plain(one.key)): one for one in view.estimates}
    found = [(one, known.get(canonical_json(plain(one.key)))) for one in _numbers(view)]
    results = [
        _result(view, one, number)
        for one, number in found
        if number is not None and number.value is not None
    ]
    version = "unknown" if tool else facts.version or "unknown"
    value = {
        "schema_version": _VERSION,
        "evaluation_id": _identity(view, model),
        "retrieved_timestamp": _made(view),
        "source_metadata": {
            "source_name": f"scrutiny {'import' if tool else 'run'}",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": _LIBRARIES.get(tool, tool) or "scrutiny", "version": version},
        "model_info": {
            "name": model,
            "id": model,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": results,
    }
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def render_samples(view: RunView) -> str:
    """Return the samples as JSON lines: each item, replicate and score is a row.

    A sample without a score has its reason as ``error``, and the score 0 that the format asks for.

    Raises
    ------
    PlanError
        If the run has several models, or no score of single items.
    """
    model, folder = _model(view), view.records.folder
    rows = [] if folder is None else [*_samples(view, folder, model)]
    if not rows:
        raise PlanError(
            f"{view.facts.path!r} has no right or wrong answers, or scores, of single items, which "
            "samples of Every Eval Ever are."
        )
    return "".join(f"{json_line(row)}\n" for row in rows)


def _model(view: RunView) -> str:
    subjects = list(dict.fromkeys(one.subject for one in _numbers(view)))
    if len(subjects) != 1:
        raise PlanError(
            f"{view.facts.path!r} has {len(subjects)} models with numbers, and a file of Every "
            "Eval Ever has one: run or import each model by itself."
        )
    return subjects[0]


def _numbers(view: RunView) -> Iterator[Assignment]:
    """Numbers of a model on the whole data."""
    for one in assignments_in(view.manifest):
        is_whole = one.group == "all" and not (one.where or one.at or one.along or one.beside)
        if one.role == "measured" and one.reference is None and is_whole:
            yield one


def _identity(view: RunView, model: str) -> str:
    return f"scrutiny/{model}/{view.manifest.get('identity', '')}"


def _made(view: RunView) -> str:
    """Seconds since 1970 at which the run was finished; the run itself keeps no time."""
    folder = view.records.folder
    path = None if folder is None else folder.path / "manifest.json"
    return str(int(path.stat().st_mtime)) if path is not None and path.is_file() else "0"


def _metric(one: Assignment) -> str:
    """Name of a number: the score of a log, or the metric and its condition."""
    condition = [str(value) for value in one.whole_condition.values()]
    own = [] if "metric" in one.whole_condition else [one.metric.partition("@")[0]]
    return " ".join([*own, *condition])


def _lower_is_better(view: RunView, one: Assignment) -> bool:
    data = view.manifest["data"].get(one.dataset, {})
    is_so_in_log = one.condition.get("metric") in data.get("lower_is_better", ())
    return is_so_in_log or one.statistic.higher_is == "worse"


def _result(view: RunView, one: Assignment, found: Estimate) -> Object:
    """Number with its interval."""
    name, is_share = _metric(one), one.metric == "accuracy@1"
    uncertainty: Object = {"num_samples": found.counts.n}
    if found.low is not None and found.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": found.low,
            "upper": found.high,
            "confidence_level": found.level,
            "method": found.method,
        }
    details = {"replicates": str(found.n_replicates), "planned_items": str(found.counts.planned)}
    return {
        "evaluation_result_id": f"{one.dataset}/{name}",
        "evaluation_name": one.dataset,
        "source_data": {"dataset_name": one.dataset, "source_type": "other"},
        "metric_config": {
            "metric_id": name,
            "metric_name": name,
            "lower_is_better": _lower_is_better(view, one),
            "score_type": "continuous",
            "min_score": 0.0 if is_share else "-Infinity",
            "max_score": 1.0 if is_share else "Infinity",
        },
        "score_details": {"score": found.value, "details": details, "uncertainty": uncertainty},
    }


def _samples(view: RunView, folder: RunFolder, model: str) -> Iterator[Object]:
    """Rows of all scores of single items."""
    items = {(row["dataset"], row["item"]): row for row in folder.items().to_pylist()}
    answers = {
        (row["dataset"], row["item"], row["replicate"]): row
        for row in folder.table("outputs").to_pylist()
        if row["variant"] is None
    }
    records = folder.records().to_pylist()
    for one in _numbers(view):
        measures = [measure.name for measure in one.measures]
        named = next((name for name in _MEANS.get(one.metric, ()) if name in measures), None)
        if named is None:
            continue
        place, condition = measures.index(named), canonical_json(one.whole_condition)
        for row in records:
            own = row["kind"] == one.kind and row["dataset"] == one.dataset
            is_level = row["role"] == "measured" and row["variant"] is None
            if not (own and is_level and row["condition"] == condition):
                continue
            if row["status"] == "skipped":
                continue
            key = row["dataset"], row["item"]
            said = answers.get((*key, row["replicate"]), {})
            score = row["values"][place] if row["status"] == "ok" else None
            yield {
                "schema_version": _VERSION,
                "evaluation_id": _identity(view, model),
                "model_id": model,
                "evaluation_name": one.dataset,
                "evaluation_result_id": f"{one.dataset}/{_metric(one)}",
                "sample_id": row["item"],
                "interaction_type": "single_turn",
                **_texts(items[key], said, has_texts=view.has_texts),
                "evaluation": {"score": score or 0.0, "is_correct": score == 1.0},
                "error": None if score is not None else row["reason"] or row["status"],
                "metadata": {
                    name.removeprefix("a_"): value
                    for name, value in items[key].items()
                    if name.startswith("a_") and value is not None
                },
            }


def _texts(item: Mapping[str, Any], said: Mapping[str, Any], *, has_texts: bool) -> Object:
    """What was asked, what is right, and what was answered; empty where texts are kept back."""
    fields = json.loads(item["fields"])
    asked = next(iter(fields.values())) if len(fields) == 1 else canonical_json(fields)
    gold, answer = _plain(item["gold"]), _plain(said.get("answer"))
    written = said.get("said") if isinstance(said.get("said"), str) else answer
    if not has_texts:
        asked, gold, answer, written = "", None, None, None
    choices = item.get("choices")
    taken = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": answer,
        "extraction_method": "custom",
        "is_terminal": True,
    }
    return {
        "input": {
            "raw": asked,
            "reference": [] if gold is None else [gold],
            "choices": json.loads(choices) if choices and has_texts else None,
        },
        "output": {"raw": [] if written is None else [written]},
        "answer_attribution": [] if answer is None else [taken],
    }


def _plain(text: str | None) -> str | None:
    """Answer as it would be written: a label or a text as such, any other in JSON."""
    if text is None or text == "null":
        return None
    value = answer_of(text)
    if isinstance(value, str):
        return value
    inner = getattr(value, "text", None)
    return inner if isinstance(inner, str) else text
