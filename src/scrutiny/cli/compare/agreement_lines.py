"""How far two sides agree beyond chance, in lines of at most 80 columns."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from scrutiny.cli.compare.words import KEPT, bounds, wrapped

if TYPE_CHECKING:
    from scrutiny.run.comparing.agreement import Agreed, SidesAgreement

#: What each measure is called; all but the first and the last three stand in the terminal.
NAMES: Final[Mapping[str, str]] = {
    "agreement@1": "same answer",
    "kappa@1": "kappa",
    "error_consistency@1": "error consistency",
    "capa@1": "CAPA",
    "capa_of_labels@1": "CAPA of labels",
    "jsd@1": "JSD",
    "tv@1": "total variation",
    "kl_ab@1": "KL from the first",
    "kl_ba@1": "KL from the second",
}
UNITS: Final[Mapping[str, str]] = {"jsd@1": "bits", "kl_ab@1": "nats", "kl_ba@1": "nats"}
_IN_LINES: Final = ("kappa@1", "error_consistency@1", "capa@1", "capa_of_labels@1", "jsd@1")
#: Why there is no value, by its code.
_REASONS: Final[Mapping[str, str]] = {
    "no_probabilities": "neither side has probabilities",
    "one_sided_probabilities": "one side alone has probabilities",
    "no_distribution": "what stands for probabilities does not sum to 1",
    "other_labels": "both have other labels",
    "other_order": "the order of the labels is not known",
    "other_choices": "both had other choices",
    "several_datasets": "labels of several datasets",
    "several_sets": "items have different numbers of choices",
}
#: Why a measure cannot be had of answers that it could be had of.
_NO_VALUE: Final[Mapping[str, str]] = {
    "kappa@1": "one label from both",
    **dict.fromkeys(
        ("error_consistency@1", "capa@1", "capa_of_labels@1"), "both always right, or always wrong"
    ),
}
_FLOORS: Final[Mapping[str, str]] = {
    "replicates": "the first model between its replicates",
    "another run": "the first model between two runs of it",
    "asked again": "the first model asked again",
    "exact": "the first model asked again, whose answers are exact",
    "unknown": "the same answers of the first model twice",
}


def agreement_lines(found: "SidesAgreement") -> Iterator[str]:
    """Kappa, error consistency, CAPA and JSD, each with the first model's own value."""
    shown = [one for one in found.rows if one.measure in _IN_LINES]
    if not shown:
        return
    words = [_words(one, is_known=found.floor_of != "unknown") for one in shown]
    yield from wrapped("agreement", ", ".join(word.replace(" ", KEPT) for word in words))


def _words(one: "Agreed", *, is_known: bool) -> str:
    """A measure with its interval, or why there is none."""
    name = NAMES[one.measure]
    if one.estimate is None or one.estimate.value is None:
        return f"no {name} ({why_not(one)})"
    unit = f" {UNITS[one.measure]}" if one.measure in UNITS else ""
    floor = ""
    if one.floor is not None:
        floor = f" ({'floor' if is_known else 'with itself'} {one.floor:.3f})"
    return f"{name} {bounds(one.estimate)}{unit}{floor}"


def why_not(one: "Agreed") -> str:
    """Why a measure has no value."""
    if one.reason == "no_value":
        return _NO_VALUE.get(one.measure, "no value")
    return _REASONS.get(one.reason, one.reason.replace("_", " "))


def floor_words(found: "SidesAgreement") -> str:
    """How the first model was held against itself; "" where it was not at all."""
    if all(one.floor is None for one in found.rows):
        return ""
    return _FLOORS[found.floor_of]
