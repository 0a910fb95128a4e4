"""The competence diagnostic, which findings about language models presuppose."""

from collections.abc import Iterable
from typing import Final

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, NoParams, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.facts import MINIMAL_PAIRS, RUNNING_TEXT
from scrutiny.core.record import Measure, Row
from scrutiny.core.slice_syntax import slice_of_values
from scrutiny.core.task import Task
from scrutiny.diagnostics.competence.passages import (
    AGREEMENT_MEASURES,
    PASSAGE_MEASURES,
    agreement_rows,
    passage_rows,
)
from scrutiny.models.scoring.sentences import procedure

_CHANCE: Final = 0.5


class Competence(Diagnostic[NoParams]):
    """Whether a language model prefers grammatical sentences.

    Preference of a language model for grammatical sentences, and for sentences that follow.

    On minimal pairs: accuracy of preferring the grammatical sentence, by pseudo-log-likelihood in
    which a word's later pieces are masked with the earlier ones (masked models), or by
    log-likelihood (causal models); a tie is an error. On passages: mean surprisal of a token in
    nats, whose exponential is the (pseudo-)perplexity; and for models with a next-sentence head,
    the share of right answers to "does it follow?", once for the passage that does and once for
    one of another document.

    **Measures**: whether the model has learned enough for a finding about it to mean anything.

    **Misleads when**: the pairs share few templates (templates are resampled as a whole); sentences
    differ in their number of pieces; passages stood in the training text.

    **References**: Linzen et al. (2016), Assessing the ability of LSTMs to learn syntax-sensitive
    dependencies; Warstadt et al. (2020), BLiMP; Kauf & Ivanova (2023), A better way to do masked
    language model scoring.
    """

    id = "competence@1"
    needs = frozenset({"tokenizes"})
    wants = (MINIMAL_PAIRS, RUNNING_TEXT)
    measures = AGREEMENT_MEASURES
    scope = "dataset"  # the next passage is another item

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """Both likelihoods of a minimal pair; one number for a passage."""
        return PASSAGE_MEASURES if task.holds == RUNNING_TEXT.holds else AGREEMENT_MEASURES

    def design(self, params: NoParams, inputs: Inputs) -> Design:
        """Conditions, estimates and one claim for one family on one dataset."""
        name = procedure(inputs.subject.capabilities)
        if inputs.task.holds == RUNNING_TEXT.holds:
            return _passage_design(name, inputs)
        if name is None and (inputs.is_audit or "next_sentence" in inputs.subject.capabilities):
            return Design(notes=(f"{inputs.subject.name} gives no likelihoods of sentences.",))
        if name is None:
            raise PlanError(
                "competence@1 needs a language model with masked_logprobs or token_logprobs; this "
                f"one offers {', '.join(sorted(inputs.subject.capabilities)) or 'nothing'}."
            )
        return _agreement_design(name, inputs)

    def measure(self, params: NoParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """One row for each pair; for a passage, one for each test."""
        capabilities = ctx.model.capabilities
        name = procedure(capabilities)
        if ctx.task.holds == RUNNING_TEXT.holds:
            yield from passage_rows(batch.examples, name, capabilities, ctx)
        elif name is not None:
            yield from agreement_rows(batch.examples, name, ctx)
        else:
            lacking = Failure("no_likelihoods", status="skipped")
            yield from (RowKind().row(example.id, lacking) for example in batch.examples)


def _agreement_design(name: str, inputs: Inputs) -> Design:
    """Accuracy on all pairs, and on each construction."""
    condition = {"variant": name}
    constructions = inputs.data.columns.get("a_construction", {})
    return Design(
        conditions=(condition,),
        estimates=(
            EstimateSpec.of("agreement", "accuracy@1", condition),
            *(
                EstimateSpec.of(
                    f"agreement/{construction}",
                    "accuracy@1",
                    condition,
                    group=construction,
                    where=slice_of_values({"a_construction": construction}),
                )
                for construction in (constructions if len(constructions) > 1 else ())
            ),
        ),
        claims=(_claim("agreement", "grammatical sentences are preferred to ungrammatical ones"),),
        queries_per_item=2,
        notes=(f"Sentences are compared by {name}; a tie is an error.",),
    )


def _passage_design(name: str | None, inputs: Inputs) -> Design:
    """Surprisal, and next sentences if the model has that head."""
    estimates, claims = [], []
    if name is not None:
        estimates.append(EstimateSpec.of("surprisal", "mean@1", {"test": "surprisal"}))
    if "next_sentence" in inputs.subject.capabilities:
        estimates.append(EstimateSpec.of("next_sentence", "share@1", {"test": "next_sentence"}))
        claims.append(_claim("next_sentence", "passages that follow are told from others"))
    return Design(
        conditions=tuple(spec.condition for spec in estimates),
        estimates=tuple(estimates),
        claims=tuple(claims),
        queries_per_item=2,
        notes=(
            "Surprisal is the mean over passages of the mean negative log-likelihood of a token, "
            f"in nats{'' if name is None else f', by {name}'}.",
        ),
    )


def _claim(estimate: str, says: str) -> Claim:
    return Claim(
        id=estimate,
        says=says,
        components=(Component(estimate, _CHANCE, "reference"),),
        checks=("items", "seeds", "datasets"),
        needs_control=False,
    )
