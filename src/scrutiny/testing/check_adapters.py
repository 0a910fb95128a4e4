"""Conformance of models, as loaded by adapters."""

from collections.abc import Sequence
from typing import Any, Final

from scrutiny.core.answers.answer import type_of
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import MEMBERS, Model, PlainModel, as_model
from scrutiny.core.queries.gradients import FOLLOWED
from scrutiny.models.answers.checked import BAD, predict_or_fail
from scrutiny.models.answers.compared_answers import check_determinism
from scrutiny.tasks.tasks import load_task
from scrutiny.testing.check_attention import check_attends, check_intervenes
from scrutiny.testing.check_gradients import check_followed, check_gradients
from scrutiny.testing.check_language import LANGUAGE, check_language_model
from scrutiny.testing.checking import (
    FIELDS,
    SAMPLE_TEXTS,
    Promises,
    promise,
    promises,
    require_members,
)

# the others are called as their capability
_METHODS: Final = {
    "tokenizes": "encode",
    "head_interventions": "intervened",
    "shuffled_weights": "with_shuffled_weights",
}


def check_adapter(model: PlainModel, examples: Sequence[Example] | None = None) -> None:
    """Raise unless a model fulfills the contract of its base class.

    Checked: members and their types, with those that may be left out (`Model` declares them); a
    fingerprint that stays the same; batches that hold each example once; an empty list of examples;
    sound answers in order; examples that are not changed; equal answers when asked again, one by
    one, in other batches and in reverse, to the last bit where that is promised. A model without
    ``predict`` among its capabilities is asked no examples; a language model is checked by
    `check_language_model`, what it says of its attention by `check_attends` and
    `check_intervenes`, and its gradients by `check_gradients` and `check_followed`.

    Parameters
    ----------
    model
        Model loaded by an adapter: a `Model`, or an object with the members of a `PlainModel`.
    examples
        Examples to predict; default: thirteen unusual texts.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    require_members(model, MEMBERS, what="model")
    model = as_model(model)
    promises(model.source, _check_members(model))
    if model.capabilities & LANGUAGE:
        check_language_model(model)
    if "attentions" in model.capabilities:
        check_attends(model)
        if "head_interventions" in model.capabilities:
            check_intervenes(model)
    if "predict" not in model.capabilities:
        return
    asked = list(examples) if examples is not None else sample_examples(model.task)
    batches = model.batches(asked)
    promise(
        model.source,
        "batches(examples) must give each index once, or None.",
        batches is None or sorted(i for b in batches for i in b) == [*range(len(asked))],
    )
    try:
        promises(model.source, _check_answers(model, asked))
    except ModelError as error:
        raise ConformanceError(f"{model.source}: an answer is malformed. {error}") from error
    if "gradients" in model.capabilities:
        check_gradients(model, asked)
    if model.capabilities & {*FOLLOWED}:
        check_followed(model, asked)


def sample_examples(task: str) -> list[Example]:
    """Unusual texts as examples of a task."""
    names = FIELDS.get(task.partition("@")[0], ("text",))
    return [
        Example(id=f"sample-{i}", fields=dict.fromkeys(names, text))
        for i, text in enumerate(SAMPLE_TEXTS)
    ]


def _check_members(model: Model) -> Promises:
    """Raise unless the members are of the right types."""
    name = model.source
    yield "source must be a text.", bool(name) and isinstance(name, str)
    yield "task must be the name of a task.", isinstance(model.task, str) and bool(model.task)
    is_names = isinstance(model.labels, tuple) and all(isinstance(x, str) for x in model.labels)
    yield "labels must be a tuple of texts.", is_names
    yield f"labels must be distinct: {model.labels}.", len(set(model.labels)) == len(model.labels)
    yield "capabilities must be a frozenset of names.", isinstance(model.capabilities, frozenset)
    for capability in sorted(model.capabilities):
        yield (
            f"it claims the capability {capability!r} and has no such method.",
            callable(getattr(model, _METHODS.get(capability, capability), None)),
        )
    yield (
        "it claims neither the capability 'predict' nor one of a language model.",
        model.capabilities & (LANGUAGE | {"predict", "attentions"}),
    )
    yield "is_batch_invariant must be True or False.", isinstance(model.is_batch_invariant, bool)
    yield from _check_optional(model)
    yield from _check_fingerprint(model)


def _check_optional(model: Model) -> Promises:
    """Raise unless optional members are the defaults or have the right type."""
    shape: Any = (0, 0) if model.attention_shape is None else model.attention_shape
    is_pair = isinstance(shape, tuple) and len(shape) == 2
    flags = (model.has_stored_answers_only, model.is_of_the_user, model.is_causal)
    kept = {
        "n_samples must be None or a number from 1 on.": _is_count(
            model.n_samples, 1, or_none=True
        ),
        "limit must be None or a number from 1 on.": _is_count(model.limit, 1, or_none=True),
        "n_layers must be a number from 0 on.": _is_count(model.n_layers, 0),
        "attention_shape must be None or numbers of layers and heads.": (
            is_pair and all(_is_count(number, 0) for number in shape)
        ),
        "has_stored_answers_only, is_of_the_user and is_causal must be True or False.": (
            all(isinstance(flag, bool) for flag in flags)
        ),
    }
    yield from kept.items()


def _is_count(value: object, least: int, *, or_none: bool = False) -> bool:
    """Whether a value is a whole number of at least ``least``, or None if allowed."""
    if value is None:
        return or_none
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _check_fingerprint(model: Model) -> Promises:
    """Raise unless the fingerprint is a text or None, and constant."""
    first: Any = model.fingerprint()
    yield (
        "fingerprint() must give a digest of eight characters or more, or None.",
        first is None or (isinstance(first, str) and len(first) >= 8),
    )
    yield "fingerprint() gave two values for one model.", model.fingerprint() == first


def _check_answers(model: Model, examples: list[Example]) -> Promises:
    """Raise unless answers are sound, in order, and the same in any batch."""
    yield "predict([]) must give an empty list.", list(model.predict([])) == []
    before = [_contents(example) for example in examples]
    answers = predict_or_fail(model, examples)
    yield (
        "predict changed the examples that it was given.",
        [_contents(example) for example in examples] == before,
    )
    for example, answer in zip(examples, answers, strict=True):
        if isinstance(answer, Failure) and answer.reason == BAD:
            raise ConformanceError(f"{model.source}: an answer is malformed. {answer.message}")
        if isinstance(answer, Failure):
            raise ConformanceError(
                f"{model.source}: it failed on {example.text[:40]!r}: {answer.message}"
            )
        # raise unless an answer is of the task's kind
        wanted = load_task(model.task).answer_type
        likeliest = model.labels[0] if answer.answer is None and answer.scores else answer.answer
        is_kept = wanted is None or (likeliest is not None and type_of(likeliest) is wanted)
        name = "" if wanted is None else wanted.name
        yield f"the task {model.task} needs {name}.", is_kept
    report = check_determinism(model, examples)
    yield f"answers depend on the batch. {report}", report.is_kept


def _contents(example: Example) -> str:
    """Everything in an example that a model could have modified."""
    return canonical_json([dict(example.fields), example.gold, dict(example.attributes)])
