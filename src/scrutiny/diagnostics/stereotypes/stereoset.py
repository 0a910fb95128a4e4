"""The diagnostic over StereoSet's triples."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from scrutiny.core.canonical import canonical_json
from scrutiny.core.diagnostic import (
    Batch,
    Cell,
    Context,
    Design,
    Diagnostic,
    Inputs,
)
from scrutiny.core.record import Row
from scrutiny.diagnostics.stereotypes.params import (
    FILLING_DEFAULTS,
    StereoSetParams,
    require_any,
    runnable,
)
from scrutiny.diagnostics.stereotypes.triple_design import triple_design
from scrutiny.diagnostics.stereotypes.triple_rows import TRIPLE_MEASURES, triple_rows
from scrutiny.models.scoring import FILLING_VARIANTS, FillingVariant


class StereoSet(Diagnostic[StereoSetParams]):
    """How likely a model finds a stereotype, its opposite, and something unrelated.

    **Measures**: the published lms, ss and icat, averaged over terms; the plain share of items; by
    several procedures, beside untrained networks of the same shape.

    **Misleads when**: the terms are few (three for religion); the procedure reads probabilities of
    pieces (long words lose); the next-sentence head is at chance; "unrelated" sentences are
    odd rather than unrelated.

    **References**: Nadeem et al. (2021), StereoSet; Aribandi et al. (2021), How reliable are model
    diagnostics?; Blodgett et al. (2021), Stereotyping Norwegian salmon.
    """

    id = "stereotypes.stereoset@1"
    summary = "whether stereotypes are more likely than their opposites, over terms"
    Params = StereoSetParams
    needs = frozenset({"tokenizes"})
    tasks = frozenset({"sentence-triples"})
    measures = TRIPLE_MEASURES
    nulls = 20
    presupposes: ClassVar[Mapping[str, str]] = {"competence@1": "builtin:agreement"}

    def design(self, params: StereoSetParams, inputs: Inputs) -> Design:
        """Conditions, estimates and claims for one family on one dataset."""
        variants = _variants(params, inputs.capabilities)
        if inputs.is_audit and not variants:
            return Design(notes=(f"{inputs.subject} gives no likelihoods.",))
        require_any(variants, self.id, inputs.capabilities)
        return triple_design(params, inputs, variants)

    def measure(
        self, params: StereoSetParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item and procedure."""
        capabilities = frozenset() if ctx.model is None else ctx.model.capabilities
        variants = _variants(params, capabilities)
        if variants:
            yield from triple_rows(batch.examples, variants, ctx)
            return
        nothing = canonical_json({})
        for example in batch.examples:
            yield Row(example.id, None, "measured", nothing, "skipped", "no_likelihoods", None)


def _variants(params: StereoSetParams, capabilities: frozenset[str]) -> tuple[FillingVariant, ...]:
    return runnable(params.variants, FILLING_VARIANTS, FILLING_DEFAULTS, capabilities)
