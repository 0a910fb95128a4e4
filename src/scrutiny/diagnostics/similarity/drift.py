"""Drift: whether a model is still the reference, by log-probabilities or samples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scrutiny.core.boundary.limits import between, shares
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, reference_of
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS
from scrutiny.core.model import Model, n_samples_of
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Row
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.similarity.drift_design import make_drift_design
from scrutiny.diagnostics.similarity.drift_rows import (
    EXCHANGE,
    MEASURES,
    OF_SAMPLES,
    Answer,
    Counts,
    RowLayout,
    logprob_rows,
    of_samples,
)
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.answers.label_pair import Labels
from scrutiny.stats.distributions.sampled import counts_of

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
        Nats within which two distances of log-probabilities are equal: what batches of floats do.
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
        return RowLayout(self.exchanges, self.tolerance)


class Drift(Diagnostic[DriftParams]):
    """Whether a model's answers differ from the reference's, beyond its noise.

    Answers of a model, of a reference, and of the reference asked again, for each item.

    Where answers are probabilities, their logarithms are tracked: an item speaks for a difference
    if the model lies farther from the reference than the reference from itself. Where they are
    shares of samples, the discrepancy of the samples is held against exchanges of them.

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
    wants = (LABELS,)
    measures = MEASURES
    scope = "dataset"  # whether samples are repeated shows on many
    wants_reference = True
    pairs_apart = True

    def lengths(self, params: DriftParams) -> Mapping[str, int]:
        """Exchanges of an item."""
        return {EXCHANGE: params.exchanges}

    def design(self, params: DriftParams, inputs: Inputs) -> Design:
        """Estimates and the claim for one family beside its reference."""
        return make_drift_design(params.looks, inputs)

    def measure(self, params: DriftParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """Rows of all three answers, item by item."""
        reference = reference_of(ctx)
        labels = Labels(reference.labels, ctx.labels)
        a, b = reference.predict(batch.examples), ctx.predict(batch.examples)
        again = _asked_again(reference.model, batch.examples)
        sizes = n_samples_of(reference.model), n_samples_of(ctx.model)
        if sizes == (None, None):
            for example, *answers in zip(batch.examples, a, b, again, strict=True):
                yield from logprob_rows(example, answers, labels, params.table)
        else:
            yield from _Sampled(batch.examples, labels, sizes, ctx).rows(params, a, b, again)


@dataclass(frozen=True, slots=True)
class _Sampled:
    """Models known by samples: the number of samples of each, and their labels."""

    examples: Sequence[Example]
    labels: Labels
    sizes: tuple[int | None, int | None]
    ctx: Context

    def rows(
        self, params: DriftParams, a: Sequence[Answer], b: Sequence[Answer], again: Sequence[Answer]
    ) -> Iterator[Row]:
        """Two rows an item: of the target, and of the reference asked again."""
        is_repeated = {"measured": _is_repeated(a, b), "control": _is_repeated(a, again)}
        same = Labels(self.labels.reference, self.labels.reference)
        own = replace(self, labels=same, sizes=(self.sizes[0], self.sizes[0]))
        for number, example in enumerate(self.examples):
            for role, side, other in (("measured", self, b), ("control", own, again)):
                found = side.counts(a[number], other[number])
                if is_repeated[role]:
                    found = Failure("same_samples", status="undefined")
                if isinstance(found, Failure):
                    yield params.table.row(example.id, role, OF_SAMPLES, found)
                    continue
                rng = self.ctx.rng("exchange", f"{stream_of(Drift)}/{role}", example.id)
                numbers = of_samples(*found, exchanges=params.exchanges, rng=rng)
                yield params.table.row(example.id, role, OF_SAMPLES, numbers)

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


def _asked_again(model: Model, examples: Sequence[Example]) -> list[Answer]:
    """Answers of a model without the cache, in the order of its own labels."""
    if model.has_stored_answers_only:
        examples = [replace(e, attributes={**e.attributes, "variant": ""}) for e in examples]
    starts = range(0, len(examples), _CHUNK)
    return [a for s in starts for a in predict_or_fail(model, examples[s : s + _CHUNK])]
