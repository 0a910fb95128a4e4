"""Claims about heads that hold in every preset, and against every other family."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, EstimateSpec, Subtracted

#: The preset that no claim has to survive: it is read literally, and halves what heads score.
_LITERAL: Final = "as_published"
#: Accuracy of the head that is chosen on the other half, and beyond the baseline chosen there.
SELECTED: Final = "selected_head(accuracy)"
OVER: Final = "selected_head_over_baseline(accuracy)"
#: Families that a family is beside, as its contrasts name them.
_OTHERS: Final[Sequence[tuple[str, Subtracted]]] = (
    ("untrained", "null"),
    ("control", "control"),
    ("base", "base"),
)


def claimed_presets(names: Sequence[str]) -> list[str]:
    """Presets of the claims: all except the literal one, unless it is the only one.

    Examples
    --------
    >>> claimed_presets(["default", "as_published"]), claimed_presets(["as_published"])
    (['default'], ['as_published'])
    """
    return [name for name in names if name != _LITERAL] or [names[0]]


def specs_of(
    condition: Mapping[str, object], metrics: Mapping[str, tuple[str, ...]]
) -> Iterator[EstimateSpec]:
    """Estimates of attention with the same condition.

    Parameters
    ----------
    condition
        Of the records; its values are what identifiers begin with.
    metrics
        Axes that each metric is computed along.
    """
    for metric, along in metrics.items():
        name = "/".join([*map(str, condition.values()), metric])
        yield EstimateSpec.of(name, f"{metric}@1", condition, along=along)


def preset_claim(
    name: str,
    says: str,
    parts: Sequence[tuple[str, str, str]],
    choices: Mapping[str, str],
    *,
    margin: float,
    **stated: Any,
) -> Claim:
    """Claim about attention: every part exceeds the margin in every preset of counting.

    Parameters
    ----------
    name, says
        Of the claim.
    parts
        Metric, what it is against, and where its estimate stands: ``untrained/{}``.
    choices
        What identifiers of estimates begin with, by preset; the first is the reference.
    margin
        Smallest difference worth the claim.
    stated
        What else the claim says.
    """
    components = tuple(
        Component(
            place.format(f"{start}/{metric}"),
            margin,
            against if position == 0 else f"choice: preset {preset}, {against}",
        )
        for position, (preset, start) in enumerate(choices.items())
        for metric, against, place in parts
    )
    checks = Claim.checks_with(preset=choices)
    return Claim(id=name, says=says, components=components, checks=checks, **stated)


def of_accuracy(head: tuple[str, ...], baseline: str) -> dict[str, tuple[str, ...]]:
    """Metrics of attention's accuracy by their axes: of heads, baselines, chosen ones."""
    chosen = ("mean_head", "best_head", "selected_head", "selected_baseline")
    names = (*chosen, "selected_head_over_baseline")
    each = {"head(accuracy)": head, "baseline(accuracy)": (baseline,)}
    return {**each, **{f"{name}(accuracy)": () for name in names}}


def attention_contrasts(specs: Iterable[str]) -> Iterator[ContrastSpec]:
    """Contrasts of attention: with untrained networks, with controls, with the base network."""
    named = list(specs)
    for who, minus in _OTHERS:
        for spec in named:
            yield ContrastSpec(f"{who}/{spec}", spec, spec, minus=minus)
