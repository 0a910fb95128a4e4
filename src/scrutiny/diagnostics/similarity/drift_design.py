"""Estimates and claims of drift.

=================  ================================================================================
farther            items that tell the target from the reference, beyond exchange: what is claimed
distance, excess   size in nats; beyond the reference asked again, with the exchange test
change             of the log-probability of the right answer, with the sign-flip test
mmd                discrepancy of sampled labels, with the exchange test
again/...          the same of the reference beside the reference asked again: the control
floor/...          minus that of the reference's own other runs
=================  ================================================================================
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from scrutiny.core.claim import Claim, Component
from scrutiny.core.diagnostic import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.diagnostics.similarity.drift_rows import OF_GOLD, OF_LOGPROBS, OF_SAMPLES

_ALPHA: Final = 0.05
_AGAIN: Final = "control: the reference asked again"
_RUNS: Final = "control: the reference's own other runs"
Condition = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DriftQuestion:
    """The number of planned tests, and what is compared."""

    looks: int
    inputs: Inputs

    @property
    def has_runs(self) -> bool:
        """Whether the reference has other runs to compare with."""
        return not self.inputs.is_self and self.inputs.second.n_replicates > 1


@dataclass(frozen=True, slots=True)
class _Parts:
    """Estimates, those of the claim, and ``floors``, which have a contrast."""

    conditions: tuple[Condition, ...]
    estimates: tuple[EstimateSpec, ...]
    components: tuple[Component, ...]
    floors: tuple[str, ...]


def make_drift_design(asked: DriftQuestion) -> Design:
    """Design for classifiers: by samples if either model is only known by samples."""
    if "samples" in asked.inputs.subject.capabilities | asked.inputs.second.capabilities:
        return design_of_samples(asked)
    has_gold = asked.inputs.data.chance > 0
    return design_of_logprobs(asked, OF_LOGPROBS, changes=OF_GOLD if has_gold else None)


def design_of_logprobs(
    asked: DriftQuestion, distances: Condition, *, changes: Condition | None
) -> Design:
    """Design for known log-probabilities; ``changes`` are the rows of the tracked values."""
    estimates = [
        _spec("farther", "farther", distances),
        _spec("distance", "logprob_distance", distances),
        _beside_again("excess", "beyond(logprob_distance)", distances),
        _again("again/distance", "logprob_distance", distances),
    ]
    conditions = [distances]
    if changes is not None:
        estimates.append(_spec("change", "logprob_change", changes))
        estimates.append(_again("again/change", "logprob_change", changes))
        conditions += [changes] if changes != distances else []
    floors = ("distance",) if asked.has_runs else ()
    components = [Component("farther", 0.0, _AGAIN)]
    components += [Component(f"floor/{name}", 0.0, _RUNS) for name in floors]
    return _design(
        asked, _Parts(tuple(conditions), tuple(estimates), tuple(components), floors=floors)
    )


def design_of_samples(asked: DriftQuestion) -> Design:
    """Design where models are known by samples of their answers."""
    estimates = (
        _spec("farther", "farther", OF_SAMPLES),
        _beside_again("farther_excess", "beyond(farther)", OF_SAMPLES),
        _spec("mmd", "label_mmd", OF_SAMPLES),
        _again("again/farther", "farther", OF_SAMPLES),
        _again("again/mmd", "label_mmd", OF_SAMPLES),
    )
    floors = ("farther",) if asked.has_runs else ()
    beyond = Component("farther_excess", 0.0, _AGAIN)
    if floors:
        beyond = Component("floor/farther", 0.0, _RUNS)
    components = (Component("farther", 0.0), beyond)
    return _design(asked, _Parts((OF_SAMPLES,), estimates, components, floors=floors))


def _spec(name: str, metric: str, condition: Condition) -> EstimateSpec:
    return EstimateSpec(name, f"{metric}@1", {"": Selector("measured", condition)})


def _beside_again(name: str, metric: str, condition: Condition) -> EstimateSpec:
    sides = {"": Selector("measured", condition), "control": Selector("control", condition)}
    return EstimateSpec(name, f"{metric}@1", sides)


def _again(name: str, metric: str, condition: Condition) -> EstimateSpec:
    """Estimate for the reference with itself; measured, so that it has its test as well."""
    where = {**condition, "beside": "the reference asked again"}
    sides = {"": Selector("control", condition)}
    return EstimateSpec(name, f"{metric}@1", sides, condition=where)


def _design(asked: DriftQuestion, parts: _Parts) -> Design:
    inputs, level = asked.inputs, _ALPHA / asked.looks
    pair = f"{inputs.subject.name} differs from {inputs.second.name}"
    claim = Claim(
        id="told-apart",
        says=f"{pair} at level {level:.3g}: its answers differ from those of {inputs.second.name} "
        "by more than these differ when asked again",
        components=parts.components,
        family="told-apart",
        level=1 - level,
        checks=("items", "seeds", "datasets"),
    )
    return Design(
        conditions=tuple(dict(condition) for condition in parts.conditions),
        estimates=parts.estimates,
        claims=() if asked.inputs.is_self else (claim,),
        queries_per_item=3,
        notes=tuple(_notes(asked)),
        families={"told-apart": f"{pair} on {inputs.data.name}"},
        contrasts=tuple(
            ContrastSpec(f"floor/{name}", name, name, minus="reference") for name in parts.floors
        ),
    )


def _notes(asked: DriftQuestion) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    looks = asked.looks
    yield (
        f"{asked.inputs.second.name} was asked twice; its second answers come from the model and "
        "not from the cache. Without drift the answers of both models to an item can be exchanged."
    )
    if looks == 1:
        yield (
            "The level of .05 is for one test. If you test k times, state looks = k before the "
            "first test: each test then has the level .05 / k."
        )
    else:
        yield f"This is one of {looks} tests: each has the level .05 / {looks} (Bonferroni)."
    yield "No detected difference is not a proof of equality: see the detectable effect."
