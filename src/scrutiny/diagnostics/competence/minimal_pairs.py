"""Records of minimal pairs."""

from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.core.canonical import canonical_json
from scrutiny.core.diagnostic import Context
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.diagnostics.competence.procedures import likelihoods
from scrutiny.models.scoring import Unscored

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
    """One row for each pair, by the likelihood of this name."""
    texts = [example.fields[field] for example in examples for field in ("good", "bad")]
    found, tokens = likelihoods(texts, name, ctx)
    condition = canonical_json({"variant": name})
    for i, example in enumerate(examples):
        good, bad = found[2 * i : 2 * i + 2]
        if isinstance(good, Unscored):
            yield _missing(example, condition, good)
        elif isinstance(bad, Unscored):
            yield _missing(example, condition, bad)
        else:
            values = _measures(good, bad, tokens[2 * i : 2 * i + 2])
            yield Row(example.id, None, "measured", condition, "ok", None, values)


def _measures(good: float, bad: float, tokens: Sequence[int]) -> tuple[float, ...]:
    """Verdict, likelihoods and piece counts of one pair."""
    return (
        float(good > bad),
        float(good == bad),
        good,
        bad,
        good - bad,
        *(float(count) for count in tokens),
        float(tokens[0] == tokens[1]),
    )


def _missing(example: Example, condition: str, why: Unscored) -> Row:
    return Row(example.id, None, "measured", condition, why.status, why.reason, None)
