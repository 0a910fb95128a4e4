"""Validation of a rater on known cases: the unchanged item, and another item's text.

A rater that calls everything valid makes every success a valid one, and one that calls nothing
valid makes a model look robust. So a model that rates is asked about two texts of every item of
which nobody has to be asked, just as if an attack had found them; what it says of the others counts
only if it tells these two apart. Ratings of a file have no such controls of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from scrutiny.core.boundary.canonical import digest
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.edit import Edit
from scrutiny.core.example import Example
from scrutiny.core.record import Row
from scrutiny.diagnostics.attack.params import AttackParams
from scrutiny.diagnostics.attack.rows import rated_row
from scrutiny.diagnostics.attack.validity import rater_of
from scrutiny.perturb.search import Origin, State

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
    others = dict(_others(examples))
    same = rater.rate(NAME, [_state(example) for example in examples])
    paired = [example for example in examples if example.id in others]
    said = rater.rate(NAME, [_state(e, others[e.id]) for e in paired]) if paired else []
    other = dict(zip([e.id for e in paired], said, strict=True))
    return {e.id: RaterAnswers(p, other.get(e.id)) for e, p in zip(examples, same, strict=True)}


def _others(examples: Sequence[Example]) -> Iterator[tuple[str, str]]:
    """For each item, the last field of another item: the next one by the hash of names."""
    ranked = sorted(examples, key=lambda example: digest(NAME, example.id))
    texts = [example.fields[_last(example)] for example in ranked]
    for place, example in enumerate(ranked):
        for step in range(1, len(ranked)):
            text = texts[(place + step) % len(ranked)]
            if text != texts[place]:
                yield example.id, text
                break


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
    params: AttackParams, item: str, known: RaterAnswers | None, lacking: Failure
) -> Iterator[Row]:
    """Records of an item's two known cases; skipped with a reason if it was not rated."""
    if not is_controlled(params):
        return
    for kind, value in zip(_KINDS, known or (None, None), strict=True):
        yield kind.row(item, lacking) if known is None else rated_row(item, value, kind)


def rater_estimates(params: AttackParams) -> Iterator[EstimateSpec]:
    """Estimates of both ratings, and of their difference."""
    if not is_controlled(params):
        return
    same, other = Selector("control", UNCHANGED), Selector("null", OTHER)
    yield EstimateSpec.of("rater_unchanged", "mean(valid)@1", UNCHANGED, role="control")
    yield EstimateSpec.of("rater_other", "mean(valid)@1", OTHER, role="null")
    yield EstimateSpec(
        "rater_separation",
        "rater_separation@1",
        {"after": same, "control": other},
        condition=UNCHANGED,
    )


def gate(params: AttackParams) -> tuple[tuple[str, float], ...]:
    """Gates of the estimates of validity."""
    return (("rater_separation", LEAST_SEPARATION),) if is_controlled(params) else ()


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
