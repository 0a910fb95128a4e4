"""Estimates and claims of shared invariances.

For a capability and an amount, with the target b and the reference a:

===================  ==========================================================================
hard                 Hard-SCoPE: pairs that leave a's answer on which b keeps its own
random               b's invariance to random changes of as many words (role ``control``)
lift, kappa          hard minus random; as a share of what random changes leave
soft                 Soft-SCoPE at the tolerance and cutoff of its condition; beside it that of
                     random changes, further cutoffs, and the mean distance without constants
ood, ood_all         agreement on changed texts: those that leave a's label, and all
phi, chance_kappa    whether both keep their labels on the same *random* changes: alone can be < 0.
                     Also of items on which the search found none
random_reference     a's own invariance to these
found                trials in which the search found a text, of items that have a place
soft_least           soft where nothing that is left to the label "other" is common; soft itself is
                     then what it is at most
===================  ==========================================================================

All but Soft-SCoPE and its distance, which compare probabilities of labels, stand for answers of any
type: an answer is kept if all its parts, moved by the edits, are what they were.

And for the items as they are: agreement, both accuracies, the gap, and how many labels b uses.

The claim: the lift exceeds the margin. A model without skill, or that always says the same, is
refused. The reference beside itself is the ceiling, and nothing is claimed of it. Where the plan
goes both ways, the first direction claims that it shares less than the other.

Where a loss is named (``params.loss``), a second claim is non-inferiority: hard minus the ceiling,
on the same texts and items, lies above minus the loss. What another run of the same recipe shares
is all that can be expected, so that a reference of several runs is held against the next of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from scrutiny.core.boundary.printable import points
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.diagnostics.invariance.answer_pairs import OTHER
from scrutiny.diagnostics.invariance.scope_capabilities import Generation, ScopeParams
from scrutiny.diagnostics.invariance.scope_records import (
    BOUND,
    OF_BASE,
    OF_REFERENCE,
    OF_TARGET,
    PROBABILITIES,
    PROPOSALS,
    SELF,
)
from scrutiny.models.answers.compared_answers import has_variety, skill_of_both
from scrutiny.tasks.scores import score_of

#: Soft-SCoPE of a model against itself below which sampling decides: nothing is printed.
LEAST_SELF_SOFT: Final = 0.8
_FEW: Final = 4
#: Family of the claims that nothing is lost beyond a margin, and how their identifiers begin.
KEPT: Final = "kept"


def make_design(params: ScopeParams, made: Sequence[Generation], inputs: Inputs) -> Design:
    """Design for one family and its reference on one dataset."""
    families, claims = dict[str, str](), list[Claim]()
    contrasts: tuple[ContrastSpec, ...] = ()
    if not inputs.is_self:
        claims = [_shared(g, params, inputs) for g in made]
    if inputs.is_first_way and params.loss is None:
        claims += [_less_shared(g, params, inputs) for g in made]
        contrasts = tuple(_differences(made))
        families[_LESS] = (
            f"{inputs.subject.name} shares less of the invariances of {inputs.second.name} on "
            f"{inputs.data.name} ({_changes(params, made)}) than the other way round, by more than "
            f"{100 * params.margin:g} points"
        )
    if not inputs.is_self and params.loss is not None:
        claims += [_kept(g, params.loss, inputs) for g in made]
        contrasts = tuple(
            ContrastSpec(
                f"{KEPT}/{g.label}",
                f"hard/{g.label}",
                f"hard/{g.label}",
                minus="reference",
                is_paired=True,
                exact_at=params.loss,
            )
            for g in made
        )
        families[KEPT] = (
            f"{inputs.subject.name} keeps its answer on {inputs.data.name} "
            f"({_changes(params, made)}) where {inputs.second.name} does, as often as "
            f"{_ceiling(inputs)}, less {100 * params.loss:g} points"
        )
    return Design(
        conditions=tuple(generation.condition for generation in made),
        estimates=tuple(_estimates(params, made, inputs)),
        claims=tuple(claims),
        contrasts=contrasts,
        queries_per_item=1 + 2 * len(made) * params.trials,
        search_per_item=1 + params.trials * sum(g.most_asked for g in made),
        notes=tuple(_notes(params, inputs)),
        families={
            "invariance": f"{inputs.subject.name} shares invariances of {inputs.second.name} on "
            f"{inputs.data.name} ({_changes(params, made)}) beyond random changes by more than "
            f"{100 * params.margin:g} points",
            **families,
        },
    )


def _estimates(
    params: ScopeParams, made: Sequence[Generation], inputs: Inputs
) -> Iterator[EstimateSpec]:
    """Specifications in the order of the report."""
    # skill, agreement and variety of labels on the unchanged items
    base = {"": Selector("baseline", OF_BASE)}
    both = {"": Selector("baseline", OF_TARGET)}
    level = score_of(inputs.task).level
    yield EstimateSpec("level", level, OF_TARGET, role="baseline")
    yield EstimateSpec("level_reference", level, OF_REFERENCE, role="baseline")
    if any(measure.name == "hit" for measure in inputs.task.measures):
        yield EstimateSpec("gap", "accuracy_gap@1", sides=both, role="baseline")
    yield EstimateSpec("agreement", "share(agree_base)@1", sides=base, role="baseline")
    if has_variety(inputs.task):
        yield EstimateSpec("entropy", "label_entropy@1", sides=base, role="baseline")
        yield EstimateSpec("commonest", "commonest_label@1", sides=base, role="baseline")
    for generation in made:
        # Hard-SCoPE, its control, and the excess over the control
        label, condition = generation.label, generation.condition
        yield EstimateSpec(f"hard/{label}", "hard_scope@1", condition)
        yield EstimateSpec(f"random/{label}", "kept_by(target)@1", condition, role="control")
        yield EstimateSpec(f"lift/{label}", "scope_lift@1", condition)
        yield EstimateSpec(f"kappa/{label}", "kappa_inv@1", condition)
        yield EstimateSpec(f"found/{label}", "pairs_found@1", condition)
        proposed = _reading("control", generation, PROPOSALS)
        for name, metric in (
            ("random_reference", "kept_by(reference)@1"),
            ("phi", "invariance_phi@1"),
            ("chance_kappa", "invariance_kappa@1"),
        ):
            yield EstimateSpec(f"{name}/{label}", metric, condition, sides=proposed, role="control")
        if inputs.task.gives_labels:
            yield from _soft(generation, params, inputs)
        for name, pairs in (("ood", "kept"), ("ood_all", "all")):
            yield EstimateSpec(f"{name}/{label}", f"ood_agreement({pairs})@1", condition)


def _soft(generation: Generation, params: ScopeParams, inputs: Inputs) -> Iterator[EstimateSpec]:
    """Soft-SCoPE with the constants, for the control, along cutoffs, and the mean distance."""
    label = generation.label
    searched = _reading("measured", generation, PROBABILITIES)
    gate: tuple[tuple[EstimateSpec, float], ...] = ()
    constants = {"tolerance": params.tolerance, "cutoff": params.cutoff}
    condition = {**generation.condition, **constants}
    of = partial(EstimateSpec, metric="soft_scope@1", condition=condition)
    if "samples" in inputs.subject.capabilities | inputs.second.capabilities:
        sides = _reading("baseline", generation, SELF)
        own = of(f"soft_self/{label}", sides=sides, role="baseline")
        gate = ((own, LEAST_SELF_SOFT),)
        yield own
    of = partial(of, presupposes=gate)
    for cutoff in dict.fromkeys((params.cutoff, *sorted(params.cutoffs))):
        name = f"soft/{label}" + ("" if cutoff == params.cutoff else f"/cutoff={cutoff:g}")
        yield of(name, condition={**condition, "cutoff": cutoff}, sides=searched)
    if OTHER in inputs.data.labels:
        sides = _reading("measured", generation, BOUND)
        yield of(f"soft_least/{label}", condition={**condition, "bound": "least"}, sides=sides)
    sides = _reading("control", generation, PROBABILITIES)
    yield of(f"soft_random/{label}", sides=sides, role="control")
    yield EstimateSpec(f"distance/{label}", "mean_distance@1", generation.condition, sides=searched)


def _reading(role: str, generation: Generation, of: str) -> dict[str, Selector]:
    """The side of an estimate that reads other records than its condition says."""
    return {"": Selector(role, {**generation.condition, "of": of})}


def _claim(
    name: str,
    says: str,
    generation: Generation,
    inputs: Inputs,
    *components: Component,
    family: str,
) -> Claim:
    """Claim on the changes of one generation."""
    return Claim(
        id=name,
        says=f"{generation.capability} in {_amount(generation)}: {says}",
        components=components,
        family=family,
        checks=("items", "seeds", "datasets"),
        competence=skill_of_both(inputs, "entropy"),
    )


def _shared(generation: Generation, params: ScopeParams, inputs: Inputs) -> Claim:
    """Claim that the target shares more than random changes of the same amount suggest."""
    label = generation.label
    says = (
        f"changes that keep the answer of {inputs.second.name} keep that of {inputs.subject.name}, "
        f"by {100 * params.margin:g} points more than random ones"
    )
    lift = Component(f"lift/{label}", params.margin, "control: random change")
    return _claim(label, says, generation, inputs, lift, family="invariance")


def _kept(generation: Generation, loss: float, inputs: Inputs) -> Claim:
    """Claim that no more than a margin is lost of what the reference keeps."""
    name, against = f"{KEPT}/{generation.label}", _ceiling(inputs)
    says = (
        f"{inputs.subject.name} keeps its answer where {inputs.second.name} does, as often as "
        f"{against}, less {100 * loss:g} points"
    )
    kept = Component(name, -loss, against)
    made = _claim(name, says, generation, inputs, kept, family=KEPT)
    return replace(made, checks=("items", "seeds"))


def _ceiling(inputs: Inputs) -> str:
    """The ceiling that another model is compared with."""
    of = inputs.second.name
    return f"another run of {of}" if inputs.second.n_replicates > 1 else f"{of} itself"


def _changes(params: ScopeParams, made: Sequence[Generation]) -> str:
    """The changes, in a few words."""
    names = list(dict.fromkeys(generation.capability for generation in made))
    shown = ", ".join(names) if len(names) <= _FEW else f"{len(names)} capabilities"
    return f"{shown}, as published" if params.preset == "as_published" else shown


def _amount(generation: Generation) -> str:
    """Amount of change, in words."""
    if isinstance(generation.amount, str):
        return "all places"
    return f"{generation.amount} place{'' if generation.amount == 1 else 's'}"


def _notes(params: ScopeParams, inputs: Inputs) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    yield (
        f"Texts were changed so that {inputs.second.name} keeps its answer; every model was asked "
        "about the item, the changed text, and a random change of as many words."
    )
    if not inputs.task.gives_labels:
        yield (
            "An answer is kept if all its parts are what they were, moved by the edits; words that "
            "a change adds are not compared. Hard-SCoPE follows Rawal & Toneva (2024), who ask for "
            "labels. There is no Soft-SCoPE: it compares probabilities of labels, which these "
            "answers do not have."
        )
        yield from _of_all(params, inputs)
        return
    yield (
        "Hard- and Soft-SCoPE follow Rawal & Toneva (2024), from the formulas in the authors' "
        "released code. The published tolerance and cutoff were not available to us: ours are "
        f"{params.tolerance:g} and {params.cutoff:g}, and Soft-SCoPE is not comparable with the "
        "paper's."
    )
    yield (
        "The released search applies softmax twice to the changed output; ours minimizes the "
        f"stated distance ({params.distance if params.preset == 'corrected' else 'l1'})."
    )
    yield from _of_all(params, inputs)
    if OTHER in inputs.data.labels:
        yield (
            'The label "other" holds all answers without a label, and labels that an answer leaves '
            "out: distances of probabilities are lower bounds, and Soft-SCoPE is at most the shown "
            'value, and at least that with bound "least".'
        )


def _of_all(params: ScopeParams, inputs: Inputs) -> Iterator[str]:
    """Sentences that are said of answers of any type."""
    yield (
        f"Up to {params.trials} changed texts of an item are one row: items are resampled, not "
        "pairs. The measure is asymmetric: the other direction is another measurement."
    )
    if inputs.is_self:
        yield "A model compared with itself is the ceiling."


#: Family of the claims that one direction shares less, and how their identifiers begin.
_LESS: Final = "less"


def _differences(made: Sequence[Generation]) -> Iterator[ContrastSpec]:
    """Hard-SCoPE and lift of this direction minus those of the other one."""
    for generation in made:
        for name in ("hard", "lift"):
            one = f"{name}/{generation.label}"
            yield ContrastSpec(f"{_LESS}/{one}", one, one, minus="exchanged", is_paired=True)


def _less_shared(generation: Generation, params: ScopeParams, inputs: Inputs) -> Claim:
    """Claim that the target shares less of the reference's invariances than the reverse."""
    target, reference = inputs.subject.name, inputs.second.name
    label = generation.label
    says = (
        f"{target} shares less of the invariances of {reference} than the other way round, by "
        f"{points(params.margin)}"
    )
    hard = Component(f"{_LESS}/hard/{label}", -params.margin, operator="<")
    lift = Component(f"{_LESS}/lift/{label}", -params.margin, "control: random change", "<")
    return _claim(f"{_LESS}/{label}", says, generation, inputs, hard, lift, family=_LESS)
