"""Records of attacks and of their control, and of known texts on which a rater is validated.

A rater that calls everything valid makes every success a valid one, and one that calls nothing
valid makes a model look robust. So a model that rates is asked about two texts of every item of
which nobody has to be asked, just as if an attack had found them; what it says of the others counts
only if it tells these two apart. Ratings of a file have no such controls of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.core.diagnostic import Context, Failure, RowKind
from scrutiny.core.edit import Edit
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction, Task
from scrutiny.diagnostics.attack.attempts import LANGUAGE, UNANSWERED, AttackParams, Attempt
from scrutiny.diagnostics.attack.validity import JudgedText, rater_of
from scrutiny.perturb.search import Origin, State
from scrutiny.perturb.search.judging import Found, single
from scrutiny.reliability.metrics import metric_of
from scrutiny.tasks.scores import score_of

MEASURES: Final = (
    Measure("hit", unit="items"),
    Measure("attacked", unit="items"),
    Measure("success", unit="items"),
    Measure(
        "asked",
        unit="texts",
        says="texts asked",
        scale="amount",
        among=("attacked",),
        drawn_as=(("mean", "mean_texts_asked@1"), ("median", "median_texts_asked@1")),
    ),
    Measure("asked_to_success", unit="texts"),
    Measure("considered", unit="texts"),
    Measure("changed_words", unit="words"),
    Measure("words", unit="words"),
    Measure("score"),
    Measure("rated", unit="items"),
    Measure(
        "valid",
        unit="probability",
        says="texts that the rater calls valid",
        scale="logit",
        among=("rated",),
        drawn_as=(("mean", "rater_validity@1"),),
    ),
    Measure("compared", unit="items"),
    Measure(
        "similarity",
        unit="cosine",
        says="cosine to the original",
        scale="coefficient",
        among=("success", "compared"),
        drawn_as=(("mean", "attack_similarity@1"),),
    ),
    Measure("scored", unit="items"),
    Measure("log_perplexity_ratio", unit="nats"),
    Measure("tried", unit="texts"),
    Measure("proofread", unit="items"),
    Measure(
        "mistakes",
        unit="mistakes",
        says="new mistakes in a text",
        scale="amount",
        among=("success", "proofread"),
    ),
)
#: Records of the unchanged items.
BASELINE: Final = RowKind(role="baseline")
#: Why a control of a rater has no value.
_UNRATED: Final = Failure("unrated", status="undefined")


def condition_of(recipe: str, draw: int) -> dict[str, object]:
    """Condition of an attack's records."""
    return {"recipe": recipe, "draw": draw}


def level_measures(task: Task) -> tuple[Measure, ...]:
    """Measures of an answer by itself, which stand first: whether a label is right, or a score.

    Of other answers than labels, those of the task that its level is computed of.
    """
    if task.gives_labels:
        return MEASURES[:1]
    needs = metric_of(score_of(task).level).needs
    return tuple(measure for measure in task.measures if measure.name in needs)


def level_metric(task: Task) -> str:
    """Metric of these measures."""
    return "accuracy@1" if task.gives_labels else score_of(task).level


def level_values(example: Example, answer: Prediction | None, ctx: Context) -> Iterator[float]:
    """Values of `level_measures` of one answer to an item, or to its changed text."""
    if ctx.task.gives_labels:
        yield float(answer is not None and answer.label_among(ctx.labels) == example.gold)
    elif answer is not None:
        values = ctx.task.score(example.gold, answer, labels=ctx.labels)
        wanted = level_measures(ctx.task)
        yield from (v for m, v in zip(ctx.task.measures, values, strict=True) if m in wanted)


def unattacked_row(
    example: Example, answer: Prediction | Failure, ctx: Context, *, further: int
) -> Row:
    """Record of an item before it is attacked: its level, and so many further measures."""
    found: Failure | tuple[float, ...]
    if example.gold is None:
        found = Failure("no_gold", status="skipped")
    elif isinstance(answer, Failure):
        found = answer
    else:
        found = (*level_values(example, answer, ctx), *[0.0] * further)
    return BASELINE.row(example.id, found)


def attempt_rows(
    example: Example,
    attempt: Attempt,
    *,
    ctx: Context,
    judged: Mapping[str, JudgedText],
    has_control: bool,
) -> Iterator[Row]:
    """Records of an item after one attack, and after random change at the same cost."""
    condition, item = condition_of(attempt.recipe, attempt.draw), example.id
    found = attempt.found.get(item)
    measured: Failure | tuple[float, ...] = Failure(
        "no_gold" if example.gold is None else LANGUAGE, status="skipped"
    )
    if found is not None:
        measured = _values(found, ctx, judged.get(item))
    yield RowKind.of(condition).row(item, measured)
    if has_control:
        control = attempt.control.get(item)
        if control is not None:
            measured = _values(control, ctx)
        elif found is not None:  # no attack, so nothing was spent that random change could spend
            measured = Failure(found.reason or "", status=found.status)
        yield RowKind.of(condition, "control").row(item, measured)


def _values(
    found: Found, ctx: Context, judgment: JudgedText | None = None
) -> Failure | tuple[float, ...]:
    """Measures of one search."""
    if found.status != "ok" or found.state is None:
        return Failure(found.reason or "", status=found.status)
    if found.n_failed and not found.is_success:  # the text that fools it may be among those
        return Failure(UNANSWERED)
    answer = None if found.answer is None else single(found.answer)
    state = found.state
    said = judgment or JudgedText()
    return (
        *level_values(state.example, answer, ctx),
        1.0,
        float(found.is_success),
        float(found.n_asked),
        float(found.asked_to_success() or 0),
        float(found.n_considered),
        float(state.words_changed),
        float(state.origin.word_count),
        float(found.score),
        *_known(said.valid),
        *_known(said.similarity),
        *_known(said.log_perplexity_ratio),
        float(found.n_tried),
        *_known(said.mistakes),
    )


def _known(value: float | None) -> tuple[float, float]:
    """Whether a judge has answered, and the answer."""
    return (0.0, 0.0) if value is None else (1.0, value)


#: Conditions of the records, with their roles: the item as it is, and another item's text.
UNCHANGED: Final[Mapping[str, object]] = {"rater": "unchanged"}
OTHER: Final[Mapping[str, object]] = {"rater": "other item"}
_KINDS: Final = (RowKind.of(UNCHANGED, "control"), RowKind.of(OTHER, "null"))
#: How much more of the unchanged texts than of the others must be called valid, on average.
LEAST_SEPARATION: Final = 0.5
NAME: Final = "rater"  # under which the texts are rated, as if this were an attack


class RaterAnswers(NamedTuple):
    """Ratings of an unchanged item and of another item's text; `None` if it cannot rate."""

    unchanged: float | None
    other: float | None


def is_controlled(params: AttackParams) -> bool:
    """Whether a model rates; people's ratings are not validated."""
    return bool(params.rater or "nli" in params.resources)


def known_by_rater(params: AttackParams, examples: Sequence[Example]) -> dict[str, RaterAnswers]:
    """Ratings of the known cases of each item; empty if no model rates."""
    rater = rater_of(params) if is_controlled(params) else None
    if rater is None or not examples:
        return {}
    # for each item, the last field of another one: the next by the hash of names that differs
    ranked = sorted(examples, key=lambda example: digest(NAME, example.id))
    texts = [example.fields[_last(example)] for example in ranked]
    others = {}
    for place, example in enumerate(ranked):
        behind = (texts[(place + step) % len(ranked)] for step in range(1, len(ranked)))
        other = next((text for text in behind if text != texts[place]), None)
        if other is not None:
            others[example.id] = other
    same = rater.rate(NAME, [_state(example) for example in examples])
    paired = [example for example in examples if example.id in others]
    said = rater.rate(NAME, [_state(e, others[e.id]) for e in paired]) if paired else []
    of_other = dict(zip([e.id for e in paired], said, strict=True))
    return {e.id: RaterAnswers(p, of_other.get(e.id)) for e, p in zip(examples, same, strict=True)}


def _state(example: Example, text: str | None = None) -> State:
    """An unchanged item, or with its last field replaced."""
    start = State.start(Origin(Example(example.id, example.fields)))
    if text is None:
        return start
    name = _last(example)
    return State.of(start.origin, [Edit(name, 0, len(example.fields[name]), text)])


def _last(example: Example) -> str:
    """Name of the last field that may be changed."""
    return [name for name in example.fields if not example.is_closed(name)][-1]


def rater_rows(
    params: AttackParams, item: str, known: RaterAnswers | None, lacking: Failure, *, task: Task
) -> Iterator[Row]:
    """Records of an item's two known cases; skipped with a reason if it was not rated.

    They are undefined where the rater cannot say.
    """
    if not is_controlled(params):
        return
    measures = (*level_measures(task), *MEASURES[1:])
    for kind, value in zip(_KINDS, known or (None, None), strict=True):
        why = lacking if known is None else _UNRATED
        found = why if value is None else {"rated": 1.0, "valid": value}
        yield kind.named_row(item, measures, found)


_SEPARATION: Final = EstimateSpec(
    "rater_separation",
    "rater_separation@1",
    UNCHANGED,
    sides={"after": Selector("control", UNCHANGED), "control": Selector("null", OTHER)},
)


def rater_estimates(params: AttackParams) -> Iterator[EstimateSpec]:
    """Estimates of both ratings, and of their difference."""
    if not is_controlled(params):
        return
    yield EstimateSpec("rater_unchanged", "mean(valid)@1", UNCHANGED, role="control")
    yield EstimateSpec("rater_other", "mean(valid)@1", OTHER, role="null")
    yield _SEPARATION


def gate(params: AttackParams) -> tuple[tuple[EstimateSpec, float], ...]:
    """Gates of the estimates of validity."""
    return ((_SEPARATION, LEAST_SEPARATION),) if is_controlled(params) else ()


def rater_note(params: AttackParams) -> str:
    """Sentence for "how this was measured"."""
    if is_controlled(params):
        return (
            "A model rates which texts keep their meaning. As a check, it also rated every "
            "unchanged item, and another item's text instead of it; unless the difference of its "
            f"ratings is at least {LEAST_SEPARATION:g}, no share of valid texts is stated."
        )
    return (
        "Ratings of a file are not checked: mix unchanged texts and other items' texts into the "
        "material of the raters."
    )
