"""Drift: whether a model is still the reference, by log-probabilities, samples, or whole answers.

=================  ================================================================================
farther            items that tell the target from the reference, beyond exchange: what is claimed
distance, excess   size in nats, or share of parts; beyond the reference asked again, with the test
change             of the log-probability of the right answer, with the sign-flip test
mmd                discrepancy of sampled labels, with the exchange test
again/...          the same of the reference beside the reference asked again: the control
floor/...          minus that of the reference's own other runs
=================  ================================================================================
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from scrutiny.core.boundary.parameters import between, shares
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, reference_of
from scrutiny.core.example import Example
from scrutiny.core.model import n_samples_of
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Row
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.similarity.drift_records import (
    EXCHANGE,
    MEASURES,
    OF_ANSWERS,
    OF_GOLD,
    OF_LOGPROBS,
    OF_SAMPLES,
    Answer,
    Counts,
    RowLayout,
    answer_rows,
    logprob_rows,
    of_samples,
)
from scrutiny.models.answers.compared_answers import LabelPair, predict_in_batches
from scrutiny.stats.distributions.output_distances import counts_of

_MOST_LOOKS: Final = 1000
_CHUNK: Final = 256  # texts asked a second time in one go
_NO_SHARES: Final = Failure("no_shares", status="undefined")


@dataclass(frozen=True, slots=True)
class DriftParams:
    """Number of planned tests, and the tolerance.

    Parameters
    ----------
    looks
        How many times this question is going to be asked of these models, stated before the
        first: each look has the level .05 / looks.
    tolerance
        Nats within which two distances of log-probabilities are equal, and shares of parts that
        differ: what batches of floats do.
    exchanges
        Exchanges of samples within an item; 1 / (exchanges + 1) is the smallest p.
    """

    looks: int = 1
    tolerance: float = 1e-5
    exchanges: int = 199

    def __post_init__(self) -> None:
        between(self, looks=(1, _MOST_LOOKS), exchanges=(19, 9999))
        shares(self, "tolerance")  # of a nat

    @property
    def table(self) -> RowLayout:
        """Layout of the rows."""
        lengths = {EXCHANGE: self.exchanges}
        return RowLayout(tuple(m.sized(lengths) for m in MEASURES), self.tolerance)


class Drift(Diagnostic[DriftParams]):
    """Whether a model's answers differ from the reference's, beyond its noise.

    Answers of a model, of a reference, and of the reference asked again, for each item.

    Where answers are probabilities, their logarithms are tracked: an item speaks for a difference
    if the model lies farther from the reference than the reference from itself. Where they are
    shares of samples, the discrepancy of the samples is held against exchanges of them. Other
    answers than labels (spans, arcs, clusters, extracts, texts) are compared as they are: an item
    speaks for a difference if more parts of the model's answer differ from the reference's than of
    the reference's second answer.

    **Measures**: whether one may say that the model is not the reference any more (another
    version, other weights, another engine), at a level that is stated beforehand.

    **Misleads when**: read as a size, or as harm: any change of any answer counts; see
    `similarity.outputs@1` for flips. The second answers come seconds after the first, so that a
    slow drift of the reference itself looks like the model. Samples of one item depend on each
    other. It is asked every day at .05. Log-probabilities of improbable labels decide.

    **References**: Gretton et al. (2012), A kernel two-sample test; Gao, Liang & Guestrin (2024),
    Model equality testing: which model is this API serving?; Chauvin et al. (2025), Log
    probability tracking of LLM APIs; Phipson & Smyth (2010).
    """

    id = "similarity.drift@1"
    needs = frozenset({"predict"})
    measures = MEASURES
    scope = "dataset"  # whether samples are repeated shows on many
    wants_reference = True
    pairs_apart = True

    def lengths(self, params: DriftParams) -> Mapping[str, int]:
        """Exchanges of an item."""
        return {EXCHANGE: params.exchanges}

    def design(self, params: DriftParams, inputs: Inputs) -> Design:
        """Estimates and the claim; of samples if either model is known by its samples alone."""
        if not inputs.task.gives_labels:
            name = "answer_distance"
            return design_of_distances(params.looks, inputs, OF_ANSWERS, metric=name)
        if "samples" in inputs.subject.capabilities | inputs.second.capabilities:
            estimates = [
                _spec("farther", "farther", OF_SAMPLES),
                _beside_again("farther_excess", "beyond(farther)", OF_SAMPLES),
                _spec("mmd", "label_mmd", OF_SAMPLES),
                _again("again/farther", "farther", OF_SAMPLES),
                _again("again/mmd", "label_mmd", OF_SAMPLES),
            ]
            beyond = _beyond_runs("farther", inputs) or [Component("farther_excess", 0.0, _AGAIN)]
            components = [Component("farther", 0.0), *beyond]
            return _design(params.looks, inputs, [OF_SAMPLES], estimates, components)
        changes = OF_GOLD if inputs.data.chance > 0 else None
        return design_of_distances(params.looks, inputs, OF_LOGPROBS, changes=changes)

    def measure(self, params: DriftParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """Rows of all three answers, item by item."""
        reference = reference_of(ctx)
        labels = LabelPair(reference.labels, ctx.labels)
        a, b = reference.predict(batch.examples), ctx.predict(batch.examples)
        # answers of a model without the cache, in the order of its own labels
        examples: Sequence[Example] = batch.examples
        if reference.model.has_stored_answers_only:
            examples = [replace(e, attributes={**e.attributes, "variant": ""}) for e in examples]
        again = predict_in_batches(reference.model, examples, _CHUNK)
        sizes = n_samples_of(reference.model), n_samples_of(ctx.model)
        asked, table = zip(batch.examples, a, b, again, strict=True), params.table
        if not ctx.task.gives_labels:
            for example, *answers in asked:
                yield from answer_rows(example, answers, table)
        elif sizes == (None, None):
            for example, *answers in asked:
                yield from logprob_rows(example, answers, labels, table)
        else:
            yield from _Sampled(batch.examples, labels, sizes, ctx).rows(params, a, b, again)


@dataclass(frozen=True, slots=True)
class _Sampled:
    """Models known by samples: the number of samples of each, and their labels."""

    examples: Sequence[Example]
    labels: LabelPair
    sizes: tuple[int | None, int | None]
    ctx: Context

    def rows(
        self, params: DriftParams, a: Sequence[Answer], b: Sequence[Answer], again: Sequence[Answer]
    ) -> Iterator[Row]:
        """Two rows an item: of the target, and of the reference asked again."""
        is_repeated = {"measured": _is_repeated(a, b), "control": _is_repeated(a, again)}
        same = LabelPair(self.labels.reference, self.labels.reference)
        own = replace(self, labels=same, sizes=(self.sizes[0], self.sizes[0]))
        table = params.table
        for number, example in enumerate(self.examples):
            for role, side, other in (("measured", self, b), ("control", own, again)):
                found: Any = side.counts(a[number], other[number])
                if is_repeated[role]:
                    found = Failure("same_samples", status="undefined")
                if not isinstance(found, Failure):
                    rng = self.ctx.rng("exchange", f"{stream_of(Drift)}/{role}", example.id)
                    found = of_samples(*found, exchanges=params.exchanges, rng=rng)
                yield table.row(example.id, role, OF_SAMPLES, found)

    def counts(self, one: Answer, other: Answer) -> tuple[Counts, Counts] | Failure:
        """Counts of both sides in the reference's order, or why there are none."""
        both = self.labels.distributions(one, other)
        if isinstance(both, Failure) and both.status == "failed":
            return both
        if None in self.sizes:
            return Failure("one_side_sampled", status="undefined")
        n, m = (int(size or 0) for size in self.sizes)
        if min(n, m) < 2:
            return Failure("few_samples", status="refused")
        if isinstance(both, Failure):
            return both if self.labels.order is None else _NO_SHARES
        first, second = counts_of(both[0].tolist(), n), counts_of(both[1].tolist(), m)
        return _NO_SHARES if first is None or second is None else (first, second)


def _is_repeated(a: Sequence[Answer], again: Sequence[Answer]) -> bool:
    """Whether the second samples repeat the first ones instead of being new.

    So answers of the cache, or of an object that draws the same again, are. Items on which all
    samples are equal say nothing: a sure model repeats itself.
    """
    telling = [
        (one.scores, other.scores)
        for one, other in zip(a, again, strict=True)
        if isinstance(one, Prediction) and isinstance(other, Prediction)
        if one.scores and max(one.scores) < 1
    ]
    return bool(telling) and all(one == other for one, other in telling)


_ALPHA: Final = 0.05
_AGAIN: Final = "control: the reference asked again"
#: Of what stands beside the reference's own other runs.
_FLOOR: Final = "floor/"
_RUNS: Final = "control: the reference's own other runs"
Condition = Mapping[str, str]


def design_of_distances(
    looks: int,
    inputs: Inputs,
    distances: Condition,
    *,
    changes: Condition | None = None,
    metric: str = "logprob_distance",
) -> Design:
    """Design for known distances; ``changes`` are the rows of tracked log-probabilities."""
    estimates = [
        _spec("farther", "farther", distances),
        _spec("distance", metric, distances),
        _beside_again("excess", f"beyond({metric})", distances),
        _again("again/distance", metric, distances),
    ]
    conditions = [distances]
    if changes is not None:
        estimates.append(_spec("change", "logprob_change", changes))
        estimates.append(_again("again/change", "logprob_change", changes))
        conditions += [changes] if changes != distances else []
    components = [Component("farther", 0.0, _AGAIN), *_beyond_runs("distance", inputs)]
    return _design(looks, inputs, conditions, estimates, components)


def _beyond_runs(name: str, inputs: Inputs) -> list[Component]:
    """Component for the difference from other runs of the reference, if it has any."""
    has_runs = not inputs.is_self and inputs.second.n_replicates > 1
    return [Component(f"{_FLOOR}{name}", 0.0, _RUNS)] if has_runs else []


def _spec(name: str, metric: str, condition: Condition) -> EstimateSpec:
    return EstimateSpec(name, f"{metric}@1", sides={"": Selector("measured", condition)})


def _beside_again(name: str, metric: str, condition: Condition) -> EstimateSpec:
    sides = {"": Selector("measured", condition), "control": Selector("control", condition)}
    return EstimateSpec(name, f"{metric}@1", sides=sides)


def _again(name: str, metric: str, condition: Condition) -> EstimateSpec:
    """Estimate for the reference with itself; measured, so that it has its test as well."""
    where = {**condition, "beside": "the reference asked again"}
    sides = {"": Selector("control", condition)}
    return EstimateSpec(name, f"{metric}@1", where, sides=sides)


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
    one_of = f"This is one of {looks} tests: each has the level .05 / {looks} (Bonferroni)."
    if looks == 1:
        one_of = (
            "The level of .05 is for one test. If you test k times, state looks = k before the "
            "first test: each test then has the level .05 / k."
        )
    floors = (c.estimate for c in components if c.estimate.startswith(_FLOOR))
    return Design(
        conditions=tuple(conditions),
        estimates=tuple(estimates),
        claims=() if inputs.is_self else (claim,),
        queries_per_item=3,
        notes=(
            f"{inputs.second.name} was asked twice; its second answers come from the model and not "
            "from the cache. Without drift the answers of both models to an item can be exchanged.",
            one_of,
            "No detected difference is not a proof of equality: see the detectable effect.",
        ),
        families={"told-apart": f"{pair} on {inputs.data.name}"},
        contrasts=tuple(
            ContrastSpec(floor, name, name, minus="reference")
            for floor in floors
            for name in [floor.removeprefix(_FLOOR)]
        ),
    )
