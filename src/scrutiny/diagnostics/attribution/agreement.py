"""Whether an explanation survives another seed, another method, and weights without any reason.

====================  =============================================================================
attribution.seeds     the same method on two runs of one recipe: chance must not choose the words
attribution.methods   two methods on one model: where they differ, at most one of them is right
attribution.weights   a model, and the same one with its weights shuffled from the output down: what
                      stays the same is no explanation of the weights
====================  =============================================================================

Two scores of the words of a text are compared by the rank correlation of all words, and by the
share of the fifth of the words with the highest scores that is in both. Words that tie across the
border of that fifth are not in it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, cast

from scrutiny.core.boundary.printable import whole_percent
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Failure, RowKind, reference_of
from scrutiny.core.errors import PlanError
from scrutiny.core.record import Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.attribution.explained import Explained, explain
from scrutiny.diagnostics.attribution.likeness import (
    AlikeParams,
    BesideModel,
    OfAgreement,
    agreement_estimates,
    by_chance,
    likeness,
    of_pair,
    targets_of,
)
from scrutiny.diagnostics.attribution.methods.random_words import RANDOM

if TYPE_CHECKING:
    from scrutiny.core.queries.gradients import ShufflesWeights

_NAMED: Final = (
    "The words that an explanation names are the fifth of the text's words with the highest scores."
)


class SeedAgreement(OfAgreement[AlikeParams]):
    """Whether an explanation names the same words in another seed of the model.

    Scores of the words of a text in a model, and in the reference: another seed of the same recipe,
    where a family is its own reference. Both explain the first one's answer.

    Records of an item, for each ``method``: ``shared``, the share of the fifth of the words with
    the highest scores that both models have there, and ``tau``, the rank correlation of all words.
    Role ``control`` holds the same of two random attributions.

    **Measures**: whether an explanation is one of what was learned, or of the seed. It can only be
    told with several.

    **Misleads when**: the two models answer for different reasons, which an explanation should
    show; a method that looks at the text alone (its longest word) agrees with itself always: look
    at `attribution.weights` and at removal. The fifth of a text of five words is one word.

    **References**: Kendall (1945), The treatment of ties in ranking problems; Jain & Wallace
    (2019), Attention is not explanation; McCoy, Min & Linzen (2020), BERTs of a feather do not
    generalize together.
    """

    id = "attribution.seeds@1"
    wants_reference = True
    pairs_apart = True

    def audit_params(self, task: Task) -> AlikeParams:
        """Fewer texts, and fewer samples of each."""
        return AlikeParams(texts=40, samples=32)

    def design(self, params: AlikeParams, inputs: Inputs) -> Design:
        """Likeness by method, beside that of random attributions, and a claim for each."""
        both = inputs.subject.capabilities & inputs.second.capabilities
        names = params.names(both, inputs.task)
        own = [{"method": name} for name in names]
        beside, between = f"as in {inputs.second.name}", ""
        if inputs.is_self:
            beside, between = "in every seed", " in two of them, on average"
        return Design(
            conditions=(*own, RANDOM),
            estimates=tuple(agreement_estimates(own, "method")),
            claims=tuple(
                Claim(
                    id=f"same/{name}",
                    says=f"{name} names mostly the same words {beside}: "
                    f"{whole_percent(params.same)} or more{between}, and more than chance",
                    components=(
                        Component(f"shared/{name}", params.same),
                        Component(f"shared/{name} - random", 0.0, "control: random attributions"),
                    ),
                    family="same",
                    checks=Claim.checks_with(),
                )
                for name in names
            ),
            queries_per_item=2 * params.asked(both, inputs.task),
            notes=(params.note(inputs.data.n_items), _NAMED),
            families={
                "same": f"methods that explain {inputs.subject.name} name the same words {beside}"
            },
        )

    def measure(self, params: AlikeParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """A row for each method, and one of two random attributions."""
        reference = reference_of(ctx)
        beside = BesideModel(reference.model, reference.labels, ctx, reference)
        both = ctx.model.capabilities & reference.model.capabilities
        names = params.names(both, ctx.task)
        own = explain(params, batch.examples, ctx, ctx, names=names)
        other = explain(params, batch.examples, beside, ctx, targets_of(own), names=names)
        for example in batch.examples:
            pair = own[example.id], other[example.id]
            for name in names:
                found = of_pair(*pair, name)
                yield RowKind.of({"method": name}).row(example.id, found)
            yield RowKind.of(RANDOM, "control").row(example.id, by_chance(pair[0], ctx))


class MethodAgreement(OfAgreement[AlikeParams]):
    """Whether different methods of attribution name the same words.

    Scores of the words of a text by each method beside those of the next one.

    Records of an item, for each pair (``between``): ``shared`` and ``tau`` as in
    `attribution.seeds`. Role ``control`` holds the same of two random attributions.

    **Measures**: how far the choice of the method decides what is explained.

    **Misleads when**: two methods are of one kind and err together: agreement is no evidence that
    both are right.

    **References**: Krishna et al. (2022), The disagreement problem in explainable machine learning;
    Kendall (1945), The treatment of ties in ranking problems.
    """

    id = "attribution.methods@1"

    def audit_params(self, task: Task) -> AlikeParams:
        """Fewer texts, and fewer samples of each."""
        return AlikeParams(texts=40, samples=32)

    def design(self, params: AlikeParams, inputs: Inputs) -> Design:
        """Likeness of each two neighbors; no claim, as nobody has to agree."""
        pairs = [*pairwise(params.names(inputs.subject.capabilities, inputs.task))]
        if not pairs:
            raise PlanError("Two methods are compared: name two that the model allows.")
        own = [{"between": f"{a}, {b}"} for a, b in pairs]
        return Design(
            conditions=(*own, RANDOM),
            estimates=tuple(agreement_estimates(own, "between")),
            queries_per_item=params.asked(inputs.subject.capabilities, inputs.task),
            notes=(params.note(inputs.data.n_items), _NAMED),
        )

    def measure(self, params: AlikeParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """A row for each pair of methods, and one of two random attributions."""
        names = params.names(ctx.model.capabilities, ctx.task)
        found = explain(params, batch.examples, ctx, ctx)
        for example in batch.examples:
            one = found[example.id]
            for a, b in pairwise(names):
                yield RowKind.of({"between": f"{a}, {b}"}).row(example.id, _of_two(one, a, b))
            yield RowKind.of(RANDOM, "control").row(example.id, by_chance(one, ctx))


def _of_two(one: Explained | Failure, a: str, b: str) -> tuple[float, ...] | Failure:
    """Likeness of two methods' explanations of a text."""
    if isinstance(one, Failure):
        return one
    first, second = one.scores[a], one.scores[b]
    if isinstance(first, Failure):
        return first
    if isinstance(second, Failure):
        return second
    return likeness(first, second)


@dataclass(frozen=True, slots=True)
class WeightsParams(AlikeParams):
    """What is explained, and which layers are shuffled.

    Parameters
    ----------
    layers
        Shares of the layers, from the output down, whose weights are shuffled; the last is that of
        the claims.
    """

    layers: tuple[float, ...] = (0.25, 1.0)

    def __post_init__(self) -> None:
        AlikeParams.__post_init__(self)
        if not self.layers or not all(0 < share <= 1 for share in self.layers):
            raise PlanError(
                f"layers are shares above 0 and at most 1, at least one: {self.layers}."
            )


class WeightAgreement(OfAgreement[WeightsParams]):
    """Whether an explanation changes when the weights of the model are random.

    Scores of the words of a text in a model, and in the same model with the weights of some layers
    shuffled, from the output down. Both explain the answer of the intact model.

    Records of an item, for each ``method`` and share of the ``layers``: ``shared`` and ``tau`` as
    in `attribution.seeds`. Role ``control`` holds the same of two random attributions.

    **Measures**: whether an explanation depends on what was learned. One that stays as it was is
    one of the text.

    **Misleads when**: read as a proof: that it changes is the least that can be asked, and random
    attributions change, too. Shuffled embeddings break everything above them.

    **References**: Adebayo et al. (2018), Sanity checks for saliency maps.
    """

    id = "attribution.weights@1"
    needs = frozenset({"predict", "shuffled_weights"})

    def audit_params(self, task: Task) -> WeightsParams:
        """Fewer texts, and fewer samples of each."""
        return WeightsParams(texts=40, samples=32)

    def design(self, params: WeightsParams, inputs: Inputs) -> Design:
        """Likeness by method and layers, and the claim that it is small."""
        names = params.names(inputs.subject.capabilities, inputs.task)
        own = [{"method": m, "layers": share} for m in names for share in params.layers]
        last = params.layers[-1]
        return Design(
            conditions=(*own, RANDOM),
            estimates=tuple(agreement_estimates(own, "method")),
            claims=tuple(
                Claim(
                    id=f"changes/{name}",
                    says=f"{name} changes when the weights are random: less than "
                    f"{whole_percent(params.same)} of the words that it names stay the same",
                    components=(Component(f"shared/{name}/{last}", params.same, operator="<"),),
                    family="changes",
                    checks=Claim.checks_with(),
                    needs_control=False,
                )
                for name in names
            ),
            queries_per_item=(1 + len(params.layers))
            * params.asked(inputs.subject.capabilities, inputs.task),
            notes=(params.note(inputs.data.n_items), _NAMED),
            families={
                "changes": f"methods that explain {inputs.subject.name} name other words when "
                "its weights are random"
            },
        )

    def measure(
        self, params: WeightsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """A row for each method and share of the layers, and one of random attributions."""
        names = params.names(ctx.model.capabilities, ctx.task)
        own = explain(params, batch.examples, ctx, ctx)
        model = cast("ShufflesWeights", ctx.model)
        others = {}
        for share in params.layers:
            seed = int(ctx.rng("shuffled weights", "attribution", "").integers(2**31))
            with model.with_shuffled_weights(share, seed) as shuffled:
                beside = BesideModel(shuffled, ctx.labels, ctx)
                others[share] = explain(params, batch.examples, beside, ctx, targets_of(own))
        for example in batch.examples:
            one = own[example.id]
            for name in names:
                for share, other in others.items():
                    kind = RowKind.of({"method": name, "layers": share})
                    yield kind.row(example.id, of_pair(one, other[example.id], name))
            yield RowKind.of(RANDOM, "control").row(example.id, by_chance(one, ctx))
