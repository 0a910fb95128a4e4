"""Records of attacks: each unchanged item, after each attack, and after random change."""

from collections.abc import Iterator, Mapping
from typing import Final

from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attack.searching import LANGUAGE, UNANSWERED, Attempt
from scrutiny.diagnostics.attack.validity import JudgedText
from scrutiny.perturb.search.found import Found
from scrutiny.perturb.search.goal import single

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
)
#: Records of the unchanged items.
BASELINE: Final = RowKind(role="baseline")
#: Why a control of a rater has no value.
UNRATED: Final = "unrated"


def condition_of(recipe: str, draw: int) -> dict[str, object]:
    """Condition of an attack's records."""
    return {"recipe": recipe, "draw": draw}


def unattacked_row(
    example: Example,
    answer: Prediction | Failure,
    labels: tuple[str, ...],
    *,
    width: int = len(MEASURES),
) -> Row:
    """Record of an item before it is attacked: whether it is a hit, among ``width`` measures."""
    found: Failure | tuple[float, ...]
    if example.gold is None:
        found = Failure("no_gold", status="skipped")
    elif isinstance(answer, Failure):
        found = answer
    else:
        found = (answer.label_among(labels) == example.gold, *[0.0] * (width - 1))
    return BASELINE.row(example.id, found)


def rated_row(item: str, valid: float | None, kind: RowKind) -> Row:
    """Record of a text that was rated but not attacked; undefined if the rater cannot say."""
    if valid is None:
        return kind.row(item, Failure(UNRATED, status="undefined"))
    known = {"rated": 1.0, "valid": valid}
    return kind.row(item, (known.get(measure.name, 0.0) for measure in MEASURES))


def attempt_rows(
    example: Example,
    attempt: Attempt,
    *,
    labels: tuple[str, ...],
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
        measured = _values(example, found, labels, judged.get(item))
    yield RowKind.of(condition).row(item, measured)
    if has_control:
        control = attempt.control.get(item)
        if control is not None:
            measured = _values(example, control, labels)
        elif found is not None:  # no attack, so nothing was spent that random change could spend
            measured = Failure(found.reason or "", status=found.status)
        yield RowKind.of(condition, "control").row(item, measured)


def _values(
    example: Example, found: Found, labels: tuple[str, ...], judgment: JudgedText | None = None
) -> Failure | tuple[float, ...]:
    """Measures of one search."""
    if found.status != "ok" or found.state is None:
        return Failure(found.reason or "", status=found.status)
    if found.n_failed and not found.is_success:  # the text that fools it may be among those
        return Failure(UNANSWERED)
    answer = None if found.answer is None else single(found.answer)
    hit = answer is not None and answer.label_among(labels) == example.gold
    state = found.state
    said = judgment or JudgedText()
    return (
        float(hit),
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
    )


def _known(value: float | None) -> tuple[float, float]:
    """Whether a judge has answered, and the answer."""
    return (0.0, 0.0) if value is None else (1.0, value)
