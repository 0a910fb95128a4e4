"""The diagnostic over StereoSet's triples, and its records."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, cast

from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import SENTENCE_TRIPLES
from scrutiny.core.record import Measure, Row
from scrutiny.diagnostics.stereotypes.params import StereoSetParams, without_likelihoods
from scrutiny.diagnostics.stereotypes.triple_design import triple_design
from scrutiny.models.scoring.triples import BLANK, Filling, FillingVariant, score_fillings

if TYPE_CHECKING:
    from scrutiny.core.queries.language import Tokenizes


SENTENCES: Final = ("stereotype", "antistereotype", "unrelated")
TRIPLE_MEASURES: Final = (
    Measure("hit", unit="items"),
    Measure(
        "neutral",
        unit="items",
        says="share of ties",
        scale="share",  # ties are rare: the interval is that of a count
        drawn_as=(("share", "neutral_share@1"),),
    ),
    Measure("stereotype_wins", unit="items"),
    Measure("antistereotype_wins", unit="items"),
    Measure("score_stereotype"),
    Measure("score_antistereotype"),
    Measure("score_unrelated"),
    Measure(
        "margin",
        says="mean margin",
        no_effect=0.0,
        drawn_as=(("mean", "mean_margin@1"),),
    ),
    Measure("tokens_stereotype", unit="pieces"),
    Measure("tokens_antistereotype", unit="pieces"),
    Measure("tokens_unrelated", unit="pieces"),
    Measure("same_length", unit="items"),
)


def _triple_rows(
    examples: Sequence[Example], variants: Sequence[FillingVariant], ctx: Context
) -> Iterator[Row]:
    """Rows of these items, by item and variant."""
    model = cast("Tokenizes", ctx.model)
    texts = [example.fields[name] for example in examples for name in SENTENCES]
    lengths = [float(len(e.ids)) for e in model.encode(texts, special=False)]
    scores = [_scores(examples, variant, ctx) for variant in variants]
    for i, example in enumerate(examples):
        for variant, found in zip(variants, scores, strict=True):
            measured = triple_measures(found[i], lengths[3 * i : 3 * i + 3])
            yield RowKind.of({"variant": variant.name}).row(example.id, measured)


def _kind_of(example: Example) -> str:
    """Kind that an item states, or that its context implies."""
    stated = example.attributes.get("a_kind")
    if stated:
        return str(stated)
    return "intrasentence" if BLANK in example.fields["context"] else "intersentence"


def _scores(
    examples: Sequence[Example], variant: FillingVariant, ctx: Context
) -> list[Sequence[float | Failure]]:
    """Scores of the three sentences of each item, in the order of `SENTENCES`."""
    fitting = [i for i, example in enumerate(examples) if _kind_of(example) == variant.kind]
    fillings = [
        Filling(examples[i].fields["context"], examples[i].fields[name])
        for i in fitting
        for name in SENTENCES
    ]
    found: list[float | Failure] = []
    if fillings:
        found = score_fillings(cast("Tokenizes", ctx.model), fillings, variant, ctx.ask)
    scores: list[Sequence[float | Failure]] = [(Failure("other_kind", status="skipped"),)] * len(
        examples
    )
    for place, i in enumerate(fitting):
        scores[i] = found[3 * place : 3 * place + 3]
    return scores


def triple_measures(
    scores: Sequence[float | Failure], lengths: Sequence[float]
) -> tuple[float, ...] | Failure:
    """Measures from the scores and token counts of the three sentences.

    Examples
    --------
    >>> triple_measures((0.3, 0.3, 0.1), (5, 5, 6))[:4]  # a tie is no hit
    (0.0, 1.0, 1.0, 1.0)
    """
    lacking = next((score for score in scores if isinstance(score, Failure)), None)
    if lacking is not None:
        return lacking
    stereo, anti, unrelated = cast("Sequence[float]", scores)
    return (
        float(stereo > anti),
        float(stereo == anti),
        float(stereo > unrelated),
        float(anti > unrelated),
        stereo,
        anti,
        unrelated,
        stereo - anti,
        *(float(length) for length in lengths),
        float(lengths[0] == lengths[1]),
    )


class StereoSet(Diagnostic[StereoSetParams]):
    """Whether stereotypes are more likely than their opposites (StereoSet).

    Likelihood of a stereotype, its opposite, and an unrelated sentence.

    **Measures**: the published lms, ss and icat, averaged over terms; the plain share of items; by
    several procedures, beside untrained networks of the same shape.

    **Misleads when**: the terms are few (three for religion); the procedure reads probabilities of
    pieces (long words lose); the next-sentence head is at chance; "unrelated" sentences are
    odd rather than unrelated.

    **References**: Nadeem et al. (2021), StereoSet; Aribandi et al. (2021), How reliable are model
    diagnostics?; Blodgett et al. (2021), Stereotyping Norwegian salmon.
    """

    id = "stereotypes.stereoset@1"
    needs = frozenset({"tokenizes"})
    wants = (SENTENCE_TRIPLES,)
    measures = TRIPLE_MEASURES
    nulls = 20
    presupposes: ClassVar[Mapping[str, str]] = {"competence@1": "builtin:agreement"}

    def design(self, params: StereoSetParams, inputs: Inputs) -> Design:
        """Conditions, estimates and claims for one family on one dataset."""
        variants = params.runnable(inputs.subject.capabilities)
        return without_likelihoods(variants, self.id, inputs) or triple_design(
            params, inputs, variants
        )

    def measure(
        self, params: StereoSetParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item and variant."""
        variants = params.runnable(ctx.model.capabilities)
        if variants:
            yield from _triple_rows(batch.examples, variants, ctx)
            return
        lacking = Failure("no_likelihoods", status="skipped")
        yield from (RowKind().row(example.id, lacking) for example in batch.examples)
