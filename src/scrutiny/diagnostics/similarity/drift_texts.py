"""Drift of a language model: whether log-probabilities of given texts have changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from scrutiny.core.boundary.parameters import between, shares
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import (
    Batch,
    Cell,
    Context,
    Diagnostic,
    Failure,
    reference_of,
)
from scrutiny.core.facts import RUNNING_TEXT
from scrutiny.core.model import Model
from scrutiny.core.record import Measure, Row
from scrutiny.diagnostics.similarity.drift import design_of_distances
from scrutiny.diagnostics.similarity.drift_records import MEASURES, RowLayout
from scrutiny.models.answers.language_answers import ask_or_fail
from scrutiny.models.scoring.sentence_likelihoods import likelihoods, procedure

OF_TEXTS: Final = {"of": "texts"}
_MEASURES: Final = (Measure("distance", unit="nats"), *MEASURES[1:5])
_CHUNK: Final = 256

Found = float | Failure


@dataclass(frozen=True, slots=True)
class DriftTextsParams:
    """Number of planned tests, and the tolerance.

    Parameters
    ----------
    looks
        How many times this is going to be asked of these models; each look has the level
        .05 / looks.
    tolerance
        Nats within which two distances are equal: what batches of floats do to a whole text.
    """

    looks: int = 1
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        between(self, looks=(1, 1000))
        shares(self, "tolerance")  # of a nat


class DriftTexts(Diagnostic[DriftTextsParams]):
    """Whether a language model's likelihoods differ from the reference's.

    Log-likelihoods of texts by a language model, a reference, and the reference asked again.

    A text's log-likelihood is a sum over its tokens, so that models with other tokenizers can be
    compared; of masked models it is the pseudo-log-likelihood. A text speaks for a difference if
    the model lies farther from the reference than the reference from itself.

    **Measures**: whether one may say that the model is not the reference any more, and whether it
    finds these texts likelier or less likely.

    **Misleads when**: read as a size: where answers repeat exactly, any other weights are told
    apart at once, and the distance in nats says how far they are. Long texts differ by more.
    Tokenizers differ: how a text is cut changes its likelihood. It is asked every day at .05.

    **References**: Chauvin et al. (2025), Log probability tracking of LLM APIs (there the first
    token of an answer); Fisher (1935), The Design of Experiments; Salazar et al. (2020), Masked
    language model scoring.
    """

    id = "similarity.drift-texts@1"
    needs = frozenset({"tokenizes"})
    wants = (RUNNING_TEXT,)
    measures = _MEASURES
    wants_reference = True
    pairs_apart = True

    def design(self, params: DriftTextsParams, inputs: Inputs) -> Design:
        """Estimates and the claim for one family beside its reference."""
        if procedure(inputs.subject.capabilities & inputs.second.capabilities) is None:
            return Design(
                notes=(
                    f"{inputs.subject.name} and {inputs.second.name} have no likelihood in common: "
                    "masked_logprobs of both are needed, or token_logprobs of both.",
                )
            )
        return design_of_distances(params.looks, inputs, OF_TEXTS, changes=OF_TEXTS)

    def measure(
        self, params: DriftTextsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """Two rows for each text: of the target, and of the reference asked again."""
        table, reference = RowLayout(_MEASURES, params.tolerance), reference_of(ctx)
        first, second = cast("Any", reference.model), cast("Any", ctx.model)
        name = procedure(first.capabilities & second.capabilities)
        if name is None:
            lacking = Failure("no_likelihoods", status="skipped")
            for example in batch.examples:
                for role in ("measured", "control"):
                    yield table.row(example.id, role, OF_TEXTS, lacking)
            return
        texts = [example.text for example in batch.examples]
        asked = (first, reference.ask), (second, ctx.ask), (first, partial(_uncached, first))
        read = (likelihoods(model, texts, name, ask)[0] for model, ask in asked)
        for example, *found in zip(batch.examples, *read, strict=True):
            a, b, again = found
            missing = [f for f in found if isinstance(f, Failure)]
            if isinstance(a, Failure) or isinstance(again, Failure):
                for role in ("measured", "control"):
                    yield table.row(example.id, role, OF_TEXTS, missing[0])
                continue
            floor = abs(again - a)
            numbers: Any = b
            if not isinstance(b, Failure):
                apart = abs(b - a)
                numbers = {"distance": apart, "logp_a": a, "logp_b": b, **table.signs(apart, floor)}
            yield table.row(example.id, "measured", OF_TEXTS, numbers)
            control = {"distance": floor, "logp_a": a, "logp_b": again}
            yield table.row(example.id, "control", OF_TEXTS, control)


def _uncached(model: Model, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
    """Answers of the model without the cache."""
    starts = range(0, len(queries), _CHUNK)
    return [a for s in starts for a in ask_or_fail(model, capability, queries[s : s + _CHUNK])]
