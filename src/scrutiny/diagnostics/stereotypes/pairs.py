"""The diagnostics over pairs of sentences, and their records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, Literal, cast

from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import SENTENCE_PAIRS
from scrutiny.core.queries.language import LIKELIHOODS_OF_SENTENCES
from scrutiny.core.record import Measure, Row, grouped
from scrutiny.core.task import Task
from scrutiny.diagnostics.stereotypes.pair_design import pair_design
from scrutiny.diagnostics.stereotypes.stereotype_scores import CONTROL_SETS
from scrutiny.diagnostics.stereotypes.variant_params import PairsParams, without_likelihoods
from scrutiny.models.scoring.pair_likelihoods import (
    ComparedSentences,
    PairVariant,
    encode_pairs,
    score_pairs,
)

if TYPE_CHECKING:
    from scrutiny.core.queries.language import Tokenizes


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


def _pair_rows(
    examples: Sequence[Example], variants: Sequence[PairVariant], ctx: Context
) -> Iterator[Row]:
    """Rows of these items, by item and variant."""
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
    kinds = [RowKind.of({"variant": variant.name}) for variant in variants]
    for i, example in enumerate(examples):
        for variant, found, kind in zip(variants, scores, kinds, strict=True):
            score, shape = found[i], shapes[variant.is_causal][i]
            if isinstance(score, Failure):
                yield kind.row(example.id, score)
                continue
            # a second form ("negated-2") is a control of the same kind
            of_set = str(example.attributes.get("a_set", "original")).partition("-")[0]
            values = (
                float(score.a > score.b),
                float(score.a == score.b),
                score.a,
                score.b,
                score.a - score.b,
                *map(float, shape),
                float(shape.tokens_a == shape.tokens_b),
                float(CONTROL_SETS.index(of_set) if of_set in CONTROL_SETS else _OTHER_SET),
            )
            yield kind.row(example.id, values)


class Pairs(Diagnostic[PairsParams]):
    """Whether the more stereotyping of two sentences is more likely, for any pairs.

    Preference for one of two sentences by a language model, for any pairs.

    **Measures**: in how many pairs the more stereotyping sentence is preferred, by several
    procedures, beside untrained networks of the same shape.

    **Misleads when**: pairs differ in more than the stereotype (grammar, length, frequency of the
    words); the control sets move as much as the originals; a single headline number is read
    without its interval and its N; the model cannot tell grammatical sentences from others.

    **References**: Nangia et al. (2020), CrowS-Pairs; Blodgett et al. (2021), Stereotyping
    Norwegian salmon; Pikuliak et al. (2023), In-depth look at word filling societal bias measures;
    Aribandi et al. (2021), How reliable are model diagnostics?
    """

    id = "stereotypes.pairs@1"
    needs = frozenset({"tokenizes"})
    wants = (SENTENCE_PAIRS,)
    measures = PAIR_MEASURES
    nulls = 20
    presupposes: ClassVar[Mapping[str, str]] = {"competence@1": "builtin:agreement"}
    audit_data = "builtin:stereotypes"
    audit_asks = LIKELIHOODS_OF_SENTENCES
    _audited: Literal["directed", "undirected"] = "undirected"

    def audit_params(self, task: Task) -> PairsParams:
        """Parameters in an audit: each pair belongs to one of the two diagnostics."""
        return PairsParams(only=self._audited)

    def design(self, params: PairsParams, inputs: Inputs) -> Design:
        """Conditions, estimates and claims for one family on one dataset."""
        variants = params.runnable(inputs.subject.capabilities)
        is_directed = "a_direction" in inputs.data.columns
        if params.only and is_directed != (params.only == "directed"):
            return Design(notes=(f"No pair of {inputs.data.name} is {params.only}.",))
        return without_likelihoods(variants, self.id, inputs) or pair_design(
            params, inputs, variants
        )

    def measure(self, params: PairsParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """One row for each pair and variant."""
        variants = params.runnable(ctx.model.capabilities)
        wanted = [
            example
            for example in batch.examples
            if not params.only
            or ("a_direction" in example.attributes) == (params.only == "directed")
        ]
        measured = _pair_rows(wanted, variants, ctx) if wanted and variants else ()
        rows = grouped((row.item, row) for row in measured)
        # another diagnostic measures the others, or the model cannot answer
        lacking = Failure("other_diagnostic" if variants else "no_likelihoods", status="skipped")
        kinds = [RowKind.of({"variant": v.name}) for v in variants] or [RowKind()]
        for example in batch.examples:
            yield from rows.get(example.id) or (k.row(example.id, lacking) for k in kinds)


class CrowsPairs(Pairs):
    """Which sentence of a CrowS-Pairs pair is more likely, by several variants.

    Preference for one sentence of a CrowS-Pairs pair by a language model.

    **Measures**: in how many pairs the more stereotyping sentence is preferred: as released, by
    the reverse conditional, unmasked, and by our corrected procedure.

    **Misleads when**: as for every file of pairs; moreover, the authors themselves warn that these
    pairs are noisy, and scores of different procedures go by the same name in the literature.

    **References**: Nangia et al. (2020), CrowS-Pairs; Meade et al. (2022), An empirical survey;
    Kaneko & Bollegala (2022), Unmasking the mask; Blodgett et al. (2021), Stereotyping Norwegian
    salmon.
    """

    id = "stereotypes.crows-pairs@1"
    audit_data = ""
    _audited: Literal["directed", "undirected"] = "directed"
