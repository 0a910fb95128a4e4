"""Records of passages and minimal pairs: surprisal, and the preferred sentence."""

from collections.abc import Iterator, Sequence
from typing import Final, cast

from scrutiny.core.diagnostic import Context, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.queries.language import SentencePair, Tokenizes
from scrutiny.core.record import Measure, Row
from scrutiny.models.scoring.question import Question, answer_all
from scrutiny.models.scoring.sentences import likelihoods

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
        tests.append(_surprisal(examples, name, ctx))
    if "next_sentence" in capabilities:
        tests.append(_next(examples, ctx))
    if not tests:
        lacking = Failure("no_likelihoods", status="skipped")
        tests.append([RowKind().row(e.id, lacking) for e in examples])
    for rows in zip(*tests, strict=True):
        yield from rows


def _surprisal(examples: Sequence[Example], name: str, ctx: Context) -> list[Row]:
    """Mean negative log-likelihood of a token of each passage."""
    found, tokens = likelihoods(
        cast("Tokenizes", ctx.model), [example.text for example in examples], name, ctx.ask
    )
    return [
        _SURPRISAL.row(example.id, value if isinstance(value, Failure) else (-value / count,))
        for example, value, count in zip(examples, found, tokens, strict=True)
    ]


def _next(examples: Sequence[Example], ctx: Context) -> list[Row]:
    """Correct answers to "does it follow?": for the next passage, and for another document's."""
    candidates = [_candidates(examples, i, ctx) for i in range(len(examples))]
    asked = [_question(examples[i].text, text) for i, two in enumerate(candidates) for text in two]
    answers = iter(answer_all(asked, ctx.ask))
    return [
        _judged(example, [next(answers) for _ in two])
        for example, two in zip(examples, candidates, strict=True)
    ]


def _question(first: str, second: str) -> Question:
    queries = (("next_sentence", SentencePair(first, second)),)
    return Question(queries, lambda found: float(found[0]))


def _judged(example: Example, answers: Sequence[float | Failure]) -> Row:
    """Row of the answers to the following passage and to another one."""
    values = [answer for answer in answers if not isinstance(answer, Failure)]
    if len(values) == 2:
        return _NEXT.row(example.id, (((values[0] > 0.5) + (values[1] < 0.5)) / 2,))
    why = next((answer for answer in answers if isinstance(answer, Failure)), None)
    return _NEXT.row(example.id, why or Failure("no_next_passage", status="skipped"))


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


def agreement_rows(examples: Sequence[Example], name: str, ctx: Context) -> Iterator[Row]:
    """Competence in agreement: one row for each pair, by the likelihood with this name."""
    texts = [example.fields[field] for example in examples for field in ("good", "bad")]
    found, tokens = likelihoods(cast("Tokenizes", ctx.model), texts, name, ctx.ask)
    kind = RowKind.of({"variant": name})
    for i, example in enumerate(examples):
        good, bad = found[2 * i : 2 * i + 2]
        yield kind.row(example.id, _measures(good, bad, tokens[2 * i : 2 * i + 2]))


def _measures(
    good: float | Failure, bad: float | Failure, tokens: Sequence[int]
) -> tuple[float, ...] | Failure:
    """Preference, likelihoods and token counts of one pair."""
    if isinstance(good, Failure):
        return good
    if isinstance(bad, Failure):
        return bad
    return (
        float(good > bad),
        float(good == bad),
        good,
        bad,
        good - bad,
        *(float(count) for count in tokens),
        float(tokens[0] == tokens[1]),
    )
