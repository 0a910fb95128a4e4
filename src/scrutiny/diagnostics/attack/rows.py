"""Records of attacks: each unchanged item, after each attack, and after random change."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.attack.searching import LANGUAGE, UNANSWERED, Attempt
from scrutiny.diagnostics.attack.validity import JudgedText
from scrutiny.perturb.search.found import Found
from scrutiny.perturb.search.goal import label_of, single

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
)
#: Why a control of a rater has no value.
UNRATED: Final = "unrated"


def condition_of(recipe: str, draw: int) -> dict[str, object]:
    """Condition of an attack's records."""
    return {"recipe": recipe, "draw": draw}


def baseline_row(
    example: Example,
    answer: Prediction | Failure,
    labels: tuple[str, ...],
    *,
    width: int = len(MEASURES),
) -> Row:
    """Record of an unchanged item: only whether it is a hit, among ``width`` measures."""
    if example.gold is None:
        return Row(example.id, None, "baseline", "{}", "skipped", "no_gold", None)
    if isinstance(answer, Failure):
        return Row(example.id, None, "baseline", "{}", "failed", answer.reason, None)
    hit = float(label_of(answer, labels) == example.gold)
    return Row(example.id, None, "baseline", "{}", "ok", None, (hit, *[0.0] * (width - 1)))


def skipped_row(item: str, role: str, condition: str, reason: str) -> Row:
    """Record of an item that was not attacked."""
    return Row(item, None, role, condition, "skipped", reason, None)


def rated_row(item: str, valid: float | None, *, role: str, condition: str) -> Row:
    """Record of a text that was rated but not attacked; undefined if the rater cannot say."""
    if valid is None:
        return Row(item, None, role, condition, "undefined", UNRATED, None)
    known = {"rated": 1.0, "valid": valid}
    values = tuple(known.get(measure.name, 0.0) for measure in MEASURES)
    return Row(item, None, role, condition, "ok", None, values)


def unasked_rows(
    item: str, conditions: Sequence[str], roles: Sequence[str], reason: str
) -> Iterator[Row]:
    """Records of an item without queries; no denominator counts it."""
    yield skipped_row(item, "baseline", "{}", reason)
    for condition in conditions:
        for role in roles:
            yield skipped_row(item, role, condition, reason)


def attempt_rows(
    example: Example,
    attempt: Attempt,
    *,
    labels: tuple[str, ...],
    judged: Mapping[str, JudgedText],
    has_control: bool,
) -> Iterator[Row]:
    """Records of an item after one attack, and after random change at the same cost."""
    condition = canonical_json(condition_of(attempt.recipe, attempt.draw))
    item = example.id
    found = attempt.found.get(item)
    unasked = "no_gold" if example.gold is None else LANGUAGE
    if found is None:
        yield skipped_row(item, "measured", condition, unasked)
    else:
        said = judged.get(item)
        place = "measured", condition
        yield _row(example, found, place=place, labels=labels, judgment=said)
    if has_control:
        control = attempt.control.get(item)
        if control is not None:
            yield _row(example, control, place=("control", condition), labels=labels)
        elif found is None:
            yield skipped_row(item, "control", condition, unasked)
        else:  # no attack, so nothing was spent that random change could spend
            yield Row(item, None, "control", condition, found.status, found.reason, None)


def _row(
    example: Example,
    found: Found,
    *,
    place: tuple[str, str],
    labels: tuple[str, ...],
    judgment: JudgedText | None = None,
) -> Row:
    """Record of one search; ``place`` is its role and condition."""
    item, (role, condition) = example.id, place
    if found.status != "ok" or found.state is None:
        return Row(item, None, role, condition, found.status, found.reason, None)
    if found.n_failed and not found.is_success:  # the text that fools it may be among those
        return Row(item, None, role, condition, "failed", UNANSWERED, None)
    answer = None if found.answer is None else single(found.answer)
    hit = answer is not None and label_of(answer, labels) == example.gold
    state = found.state
    said = judgment or JudgedText()
    values = (
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
    )
    return Row(item, None, role, condition, "ok", None, values)


def _known(value: float | None) -> tuple[float, float]:
    """Whether a judge has answered, and the answer."""
    return (0.0, 0.0) if value is None else (1.0, value)
