"""Records of pairs: one for each pair and procedure."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from scrutiny.core.canonical import canonical_json
from scrutiny.core.diagnostic import Context
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.diagnostics.stereotypes.metrics import CONTROL_SETS
from scrutiny.models.scoring import (
    ComparedSentences,
    PairScore,
    PairShape,
    PairVariant,
    Unscored,
    encode_pairs,
    score_pairs,
)

if TYPE_CHECKING:
    from scrutiny.core.language import Tokenizes

PAIR_MEASURES: Final = (
    Measure("hit", unit="pairs"),
    Measure(
        "neutral",
        unit="pairs",
        says="share of ties",
        scale="share",  # ties are rare: the interval is that of a count
        drawn_as=(("share", "neutral_share@1"),),
    ),
    Measure("loglik_more", unit="nats"),
    Measure("loglik_less", unit="nats"),
    Measure(
        "margin",
        unit="nats",
        says="mean margin",
        no_effect=0.0,
        drawn_as=(("mean", "mean_margin@1"),),
    ),
    Measure("tokens_more", unit="pieces"),
    Measure("tokens_less", unit="pieces"),
    Measure("shared", unit="pieces"),
    Measure("changed_more", unit="pieces"),
    Measure("changed_less", unit="pieces"),
    Measure("same_length", unit="pairs"),
    Measure("control"),
)
_OTHER_SET: Final = len(CONTROL_SETS)  # neither an original nor a known control


def pair_rows(
    examples: Sequence[Example], variants: Sequence[PairVariant], ctx: Context
) -> Iterator[Row]:
    """Rows of these items, item by item, procedure by procedure."""
    model = cast("Tokenizes", ctx.model)
    pairs = [
        ComparedSentences(
            e.fields["more"], e.fields["less"], e.attributes.get("a_direction") == "antistereo"
        )
        for e in examples
    ]
    encoded = {
        is_causal: encode_pairs(model, pairs, special=not is_causal)
        for is_causal in sorted({variant.is_causal for variant in variants})
    }
    shapes = {key: [pair.shape() for pair in found] for key, found in encoded.items()}
    scores = [score_pairs(model, encoded[v.is_causal], v, ctx.ask) for v in variants]
    conditions = [canonical_json({"variant": variant.name}) for variant in variants]
    for i, example in enumerate(examples):
        for variant, found, condition in zip(variants, scores, conditions, strict=True):
            shape = shapes[variant.is_causal][i]
            yield _row(example, condition, found[i], shape)


def _row(
    example: Example,
    condition: str,
    score: PairScore | Unscored,
    shape: PairShape,
) -> Row:
    """Record of one pair by one procedure."""
    if isinstance(score, Unscored):
        return Row(example.id, None, "measured", condition, score.status, score.reason, None)
    values = (
        float(score.a > score.b),
        float(score.a == score.b),
        score.a,
        score.b,
        score.a - score.b,
        float(shape.tokens_a),
        float(shape.tokens_b),
        float(shape.shared),
        float(shape.changed_a),
        float(shape.changed_b),
        float(shape.tokens_a == shape.tokens_b),
        float(_control(example.attributes.get("a_set", "original"))),
    )
    return Row(example.id, None, "measured", condition, "ok", None, values)


def _control(name: Any) -> int:
    """Code of a set; a second form ("negated-2") is a control of the same kind."""
    kind = str(name).partition("-")[0]
    return CONTROL_SETS.index(kind) if kind in CONTROL_SETS else _OTHER_SET
