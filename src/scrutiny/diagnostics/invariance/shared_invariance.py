"""Shared invariances of two models: Hard- and Soft-SCoPE with their controls."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import (
    Batch,
    Cell,
    ChangesTexts,
    Context,
    Failure,
    OwnPairs,
    reference_of,
)
from scrutiny.core.edit import Variant
from scrutiny.core.errors import MissingExtraError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.languages import left_out, must_know, speaks_any
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction, Task
from scrutiny.diagnostics.invariance.answer_pairs import BothLabels
from scrutiny.diagnostics.invariance.generated_pairs import Maker
from scrutiny.diagnostics.invariance.scope_capabilities import Generation, ScopeParams, generations
from scrutiny.diagnostics.invariance.scope_claims import make_design
from scrutiny.diagnostics.invariance.scope_records import (
    MEASURES,
    AnswersByText,
    BothAnswers,
    is_judged_by_samples,
)
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.text.edits import apply_edits


def _suited(
    made: Sequence[Generation], params: ScopeParams, inputs: Inputs
) -> tuple[Generation, ...]:
    """Generations that can change these data; an audit leaves the others out.

    Raises
    ------
    PlanError
        If one knows no language of the data, or a resource is not named that has no default.
    MissingExtraError
        If a resource needs packages that are not installed.
    """
    if inputs.is_audit:
        return tuple(g for g in made if speaks_any(_languages(g), inputs.data.languages))
    for generation in made:
        named, data = f"The capability {generation.capability!r}", inputs.data
        must_know(named, _languages(generation), data.languages, data=data.name)
        for name in generation.space.resources:
            kind = RESOURCES.get(name)
            if kind is None or name in params.resources:
                continue
            if kind.default is None:
                raise PlanError(
                    f"{named} needs the resource {name!r}, which has no default: "
                    f'params.resources = {{ {name} = "..." }} names one ({kind.specs}).'
                )
            if not kind.is_installed:
                raise MissingExtraError(named, kind.extra or "")
    return tuple(made)


def _languages(generation: Generation) -> frozenset[str]:
    """Languages that any of its moves supports."""
    moves = generation.space.moves
    return frozenset(code for move in moves for code in move.transformation.languages)


class SharedInvariance(ChangesTexts[ScopeParams]):
    """Whether changes that keep a reference's answer keep this model's, too.

    Answers of a model to texts changed so that a reference model keeps its answer.

    **Measures**: on how many of the changes that leave the reference's answer the target keeps its
    own (Hard-SCoPE), how alike both models' probabilities of labels move (Soft-SCoPE), and how much
    of that random changes of as many words would show (lift). Spans, arcs, clusters and extracts
    are kept if all of them are what they were, moved by the edits; a written text if it is the same
    letter by letter.

    **Misleads when**: read without its control: a target that always answers the same scores 1.
    Long answers (parses, translations) are seldom kept as a whole: the number of texts found is
    small then, and they are the easy ones.
    It is asymmetric: pairs and condition are the reference's, so look at both directions. The
    constants of Soft-SCoPE decide its value; compare at equal ones. More places changed, or a
    weaker search, is another question.

    **References**: Rawal & Toneva (2024), Perturbed examples reveal invariances shared by language
    models (Findings of ACL). From the formulas of its released code; the control, lift, kappa,
    self ceiling and intervals are ours.
    """

    id = "invariance.scope@1"
    needs = frozenset({"predict"})
    measures = MEASURES
    wants_reference = True

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """Measures of pairs and items, and those of the task for both models' skill."""
        return (*MEASURES, *task.measures)

    def own_pairs(self, params: ScopeParams) -> OwnPairs:
        """The reference with itself; for claims about losses, each run with another run's texts."""
        return "itself" if params.loss is None else "before"

    def lengths(self, params: ScopeParams) -> Mapping[str, int]:
        """Trials of an item."""
        return {"trial": params.trials}

    def audit_params(self, task: Task) -> ScopeParams:
        """Parameters in an audit: fewer searched texts, and no curve over the constants."""
        return ScopeParams(trials=2, candidates=12, cutoffs=())

    def design(self, params: ScopeParams, inputs: Inputs) -> Design:
        """Conditions, estimates and claims for one family and its reference."""
        every, data = generations(params, inputs.task), inputs.data
        made = _suited(every, params, inputs)
        unspoken = [g.label for g in every if g not in made]
        said = left_out("changes", unspoken, data.languages, data=data.name)
        return replace(make_design(params, made, inputs), left_out=said)

    def prepare(
        self, params: ScopeParams, examples: Sequence[Example], ctx: Context
    ) -> Iterable[Variant]:
        """Searched texts of the reference, each followed by its random control."""
        maker = Maker(examples, params, reference_of(ctx), ctx.seed)
        return list(maker.variants(generations(params, ctx.task)))

    def measure(self, params: ScopeParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """Rows of both models' answers, item by item."""
        reference = reference_of(ctx)
        examples, names = list[Example](), list[str | None]()
        for example in batch.examples:
            variants = [v for v in batch.variants.get(example.id, ()) if v.status == "ok"]
            examples += [example, *(apply_edits(example, v.edits) for v in variants)]
            names += [None, *(v.name for v in variants)]
        asked = BothAnswers(
            made=generations(params, ctx.task),
            trials=params.trials,
            reference=_by_name(examples, names, reference.predict(examples, variants=names)),
            target=_by_name(examples, names, ctx.predict(examples, variants=names)),
            labels=BothLabels(reference.labels, ctx.labels, is_complete=is_judged_by_samples(ctx)),
            measures=tuple(m.sized(self.lengths(params)) for m in self.measured(ctx.task)),
            ctx=ctx,
        )
        for example in batch.examples:
            by_name = {v.name: v for v in batch.variants.get(example.id, ())}
            yield from asked.rows(example, by_name)


def _by_name(
    examples: Sequence[Example],
    names: Sequence[str | None],
    answers: Sequence[Prediction | Failure],
) -> AnswersByText:
    """Answers by item and variant."""
    return {
        (example.id, name): answer
        for example, name, answer in zip(examples, names, answers, strict=True)
    }
