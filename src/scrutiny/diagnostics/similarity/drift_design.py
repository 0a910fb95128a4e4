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

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.diagnostics.similarity.drift_rows import OF_GOLD, OF_LOGPROBS, OF_SAMPLES

_ALPHA: Final = 0.05
_AGAIN: Final = "control: the reference asked again"
#: Of what stands beside the reference's own other runs.
_FLOOR: Final = "floor/"
_RUNS: Final = "control: the reference's own other runs"
Condition = Mapping[str, str]


def make_drift_design(looks: int, inputs: Inputs) -> Design:
    """Design for classifiers: by samples if either model is only known by samples."""
    if "samples" in inputs.subject.capabilities | inputs.second.capabilities:
        return _design_of_samples(looks, inputs)
    changes = OF_GOLD if inputs.data.chance > 0 else None
    return design_of_logprobs(looks, inputs, OF_LOGPROBS, changes=changes)


def design_of_logprobs(
    looks: int, inputs: Inputs, distances: Condition, *, changes: Condition | None
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
    components = [Component("farther", 0.0, _AGAIN), *_beyond_runs("distance", inputs)]
    return _design(looks, inputs, conditions, estimates, components)


def _design_of_samples(looks: int, inputs: Inputs) -> Design:
    """Design where models are known by samples of their answers."""
    estimates = [
        _spec("farther", "farther", OF_SAMPLES),
        _beside_again("farther_excess", "beyond(farther)", OF_SAMPLES),
        _spec("mmd", "label_mmd", OF_SAMPLES),
        _again("again/farther", "farther", OF_SAMPLES),
        _again("again/mmd", "label_mmd", OF_SAMPLES),
    ]
    beyond = _beyond_runs("farther", inputs) or [Component("farther_excess", 0.0, _AGAIN)]
    return _design(looks, inputs, [OF_SAMPLES], estimates, [Component("farther", 0.0), *beyond])


def _beyond_runs(name: str, inputs: Inputs) -> list[Component]:
    """Component for the difference from other runs of the reference, if it has any."""
    has_runs = not inputs.is_self and inputs.second.n_replicates > 1
    return [Component(f"{_FLOOR}{name}", 0.0, _RUNS)] if has_runs else []


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


def _design(
    looks: int,
    inputs: Inputs,
    conditions: Sequence[Condition],
    estimates: Sequence[EstimateSpec],
    components: Sequence[Component],
) -> Design:
    level, pair = _ALPHA / looks, f"{inputs.subject.name} differs from {inputs.second.name}"
    claim = Claim(
        id="told-apart",
        says=f"{pair} at level {level:.3g}: its answers differ from those of {inputs.second.name} "
        "by more than these differ when asked again",
        components=tuple(components),
        family="told-apart",
        level=1 - level,
        checks=("items", "seeds", "datasets"),
    )
    floors = (c.estimate for c in components if c.estimate.startswith(_FLOOR))
    return Design(
        conditions=tuple(conditions),
        estimates=tuple(estimates),
        claims=() if inputs.is_self else (claim,),
        queries_per_item=3,
        notes=tuple(_notes(looks, inputs)),
        families={"told-apart": f"{pair} on {inputs.data.name}"},
        contrasts=tuple(
            ContrastSpec(floor, name, name, minus="reference")
            for floor in floors
            for name in [floor.removeprefix(_FLOOR)]
        ),
    )


def _notes(looks: int, inputs: Inputs) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    yield (
        f"{inputs.second.name} was asked twice; its second answers come from the model and "
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
