"""Pipelines of transformers as a user's object: what they are asked, and which labels they have.

A pipeline by itself tells the likeliest label alone and fails on a text that is too long; it is
asked for all labels, with truncation. One that tags gives its pieces joined to entities. What its
user has set stays as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

_MODULE: Final = "transformers.pipelines"
_CLASSIFIES: Final = "TextClassificationPipeline"
_TAGS: Final = "TokenClassificationPipeline"


def is_pipeline(obj: Any, kind: str = "Pipeline") -> bool:
    """Whether an object is a pipeline of transformers, of a kind."""
    return any(
        base.__name__ == kind and base.__module__.startswith(_MODULE) for base in type(obj).__mro__
    )


def labels_of_pipeline(pipeline: Any) -> tuple[str, ...]:
    """Labels of a pipeline that classifies texts, in the order of its outputs; none of others."""
    if not is_pipeline(pipeline, _CLASSIFIES):
        return ()
    names = pipeline.model.config.id2label
    return tuple(str(names[index]) for index in sorted(names))


def ask_pipeline(pipeline: Any, given: Sequence[Any]) -> Any:
    """Answers of a pipeline to a list of texts, or of pairs of texts."""
    inputs = [_pair(one) if isinstance(one, tuple) else one for one in given]
    return pipeline(inputs, **_settings(pipeline))


def _pair(texts: Sequence[str]) -> Mapping[str, str]:
    """Two texts as a pipeline takes them."""
    first, second = texts
    return {"text": first, "text_pair": second}


def _settings(pipeline: Any) -> dict[str, Any]:
    """Settings of a call that its user has not chosen."""
    if is_pipeline(pipeline, _CLASSIFIES):
        stated = getattr(pipeline, "_preprocess_params", {})
        return {"top_k": None} | ({} if "truncation" in stated else {"truncation": True})
    if is_pipeline(pipeline, _TAGS):
        stated = getattr(pipeline, "_postprocess_params", {})
        how = str(stated.get("aggregation_strategy", "none"))  # or AggregationStrategy.NONE
        is_joined = how.rpartition(".")[2].lower() != "none"
        return {} if is_joined else {"aggregation_strategy": "simple"}
    return {}
