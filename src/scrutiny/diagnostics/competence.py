"""The competence diagnostic, which findings about language models presuppose.

Passages have a surprisal; of minimal pairs the preferred sentence counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, NoParams, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import MINIMAL_PAIRS, RUNNING_TEXT
from scrutiny.core.queries.language import SentencePair, Tokenizes
from scrutiny.core.record import Measure, Row
from scrutiny.core.slice_syntax import slice_of_values
from scrutiny.core.task import Task
from scrutiny.models.scoring.likelihood_questions import Question, answer_all
from scrutiny.models.scoring.sentence_likelihoods import likelihoods, procedure

_CHANCE: Final = 0.5
_NO_LIKELIHOODS: Final = Failure("no_likelihoods", status="skipped")
AGREEMENT_MEASURES: Final = (
    Measure("hit", unit="pairs"),
    Measure("neutral", unit="pairs"),
    Measure("loglik_good", unit="nats"),
    Measure("loglik_bad", unit="nats"),
    Measure("margin", unit="nats"),
    Measure("tokens_good", unit="pieces"),
    Measure("tokens_bad", unit="pieces"),
    Measure("same_length", unit="pairs"),
)


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
            yield from (RowKind().row(e.id, _NO_LIKELIHOODS) for e in batch.examples)


def _agreement_design(name: str, inputs: Inputs) -> Design:
    """Accuracy on all pairs, and on each construction."""
    condition = {"variant": name}
    constructions = inputs.data.columns.get("a_construction", {})
    return Design(
        conditions=(condition,),
        estimates=(
            EstimateSpec("agreement", "accuracy@1", condition),
            *(
                EstimateSpec(
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
        estimates.append(EstimateSpec("surprisal", "mean@1", {"test": "surprisal"}))
    if "next_sentence" in inputs.subject.capabilities:
        estimates.append(EstimateSpec("next_sentence", "share@1", {"test": "next_sentence"}))
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


#: Nats for surprisal; for next sentences the share of two answers that are right.
PASSAGE_MEASURES: Final = (Measure("value"),)
_SURPRISAL: Final = RowKind.of({"test": "surprisal"})
_NEXT: Final = RowKind.of({"test": "next_sentence"})


def passage_rows(
    examples: Sequence[Example], name: str | None, capabilities: frozenset[str], ctx: Context
) -> Iterator[Row]:
    """Rows of each passage, one for each test that the model supports."""
    tests = []
    if name is not None:
        texts = [example.text for example in examples]
        found, tokens = likelihoods(cast("Tokenizes", ctx.model), texts, name, ctx.ask)
        measured = zip(examples, found, tokens, strict=True)
        tests.append(
            [  # the mean negative log-likelihood of a token
                _SURPRISAL.row(e.id, value if isinstance(value, Failure) else (-value / count,))
                for e, value, count in measured
            ]
        )
    if "next_sentence" in capabilities:
        tests.append(_next(examples, ctx))
    if not tests:
        tests.append([RowKind().row(e.id, _NO_LIKELIHOODS) for e in examples])
    for rows in zip(*tests, strict=True):
        yield from rows


def _next(examples: Sequence[Example], ctx: Context) -> list[Row]:
    """Correct answers to "does it follow?": for the next passage, and for another document's."""
    candidates = [_candidates(examples, i, ctx) for i in range(len(examples))]
    pairs = [
        SentencePair(example.text, text)
        for example, two in zip(examples, candidates, strict=True)
        for text in two
    ]
    asked = [Question((("next_sentence", pair),), lambda found: float(found[0])) for pair in pairs]
    answers = iter(answer_all(asked, ctx.ask))
    rows = []
    for example, two in zip(examples, candidates, strict=True):
        found = [next(answers) for _ in two]  # of the following passage, and of another one
        values = [answer for answer in found if not isinstance(answer, Failure)]
        failed = [answer for answer in found if isinstance(answer, Failure)]
        if len(values) == 2:
            right = ((values[0] > 0.5) + (values[1] < 0.5)) / 2
            rows.append(_NEXT.row(example.id, (right,)))
        else:
            lacking = Failure("no_next_passage", status="skipped")
            rows.append(_NEXT.row(example.id, failed[0] if failed else lacking))
    return rows


def _candidates(examples: Sequence[Example], place: int, ctx: Context) -> tuple[str, ...]:
    """Text of the following passage, and of one of another document; `None` without both."""
    example = examples[place]
    document = example.attributes.get("u_document")
    others = [e for e in examples if e.attributes.get("u_document") != document]
    after = examples[place + 1] if place + 1 < len(examples) else None
    if document is None or after is None or not others:
        return ()
    if after.attributes.get("u_document") != document:
        return ()
    rng = ctx.rng("competence", "next_sentence@1", example.id)
    return after.text, others[int(rng.integers(len(others)))].text


def agreement_rows(examples: Sequence[Example], name: str, ctx: Context) -> Iterator[Row]:
    """Competence in agreement: one row for each pair, by the likelihood with this name."""
    texts = [example.fields[field] for example in examples for field in ("good", "bad")]
    found, tokens = likelihoods(cast("Tokenizes", ctx.model), texts, name, ctx.ask)
    kind = RowKind.of({"variant": name})
    for i, example in enumerate(examples):
        good, bad = found[2 * i : 2 * i + 2]
        lengths = tokens[2 * i : 2 * i + 2]
        if isinstance(good, Failure):
            yield kind.row(example.id, good)
        elif isinstance(bad, Failure):
            yield kind.row(example.id, bad)
        else:
            values = (float(good > bad), float(good == bad), good, bad, good - bad)
            counts = (*map(float, lengths), float(lengths[0] == lengths[1]))
            yield kind.row(example.id, (*values, *counts))
