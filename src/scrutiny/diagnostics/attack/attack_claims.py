"""Estimates and claims of the attack diagnostic.

For an attack A and a draw d, on the same items and replicates throughout. Items that a replicate
gets wrong as they are are divided by nowhere but in the accuracy under attack.

==================  =================================================================
level               accuracy before any change
success             attacked items that A fools the model on
random              the same for random change with as many texts and no more words
excess              success minus random
valid_share         of the successful texts, those that keep the meaning
valid_success       success times that
under               accuracy under attack, over all items
tried               attacked items for which A had a candidate at all
asked, median       texts that the model was asked about
words               share of words changed in successful texts
rater_*             what a model that rates says of unchanged texts, and of other items' texts
within_q            success within q texts
==================  =================================================================

The risk of A is its success: it hurts, it holds within what is tolerable, or it cannot be told;
beside it stands whether it is more than random change does. Several draws are one number. Where
nobody says which texts are valid, the sentence says so.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.expressions import expression_in_words
from scrutiny.core.languages import left_out, must_know, speaks_any
from scrutiny.core.plugin_base import title_of
from scrutiny.core.task import Task
from scrutiny.diagnostics.attack.attack_metrics import BUDGETS, SIMILARITIES, VALIDITIES
from scrutiny.diagnostics.attack.attack_records import (
    OTHER,
    UNCHANGED,
    condition_of,
    gate,
    is_controlled,
    level_metric,
    rater_estimates,
    rater_note,
)
from scrutiny.diagnostics.attack.attempts import (
    CHEAP,
    AttackParams,
    TransferParams,
    attacks_of,
    cheap_attacks,
    goal_of,
)
from scrutiny.perturb.engine.recipe import must_have_places
from scrutiny.perturb.recipes.attack import (
    Attack,
    changes_what_is_right,
    deviations_of,
    given_to_attacks,
    parse_attack,
)
from scrutiny.perturb.search.goals.label_goals import Untargeted

#: Items that were not attacked count with what was measured before.
_STAYS: Final = {"": "before"}
_BOTH_STAY: Final = {"": "before", "control": "before"}
#: Numbers of every attack, beside its success.
_OF_EACH: Final = {
    "valid_share": "valid_share@1",
    "valid_success": "valid_attack_success@1",
    "under": "accuracy_under_attack@1",
    "tried": "tried@1",
    "asked": "mean(asked)@1",
    "median": "median(asked)@1",
    "words": "words_changed@1",
}
NOT_RATED: Final = "meaning preservation not checked"


def make_design(params: AttackParams, inputs: Inputs) -> Design:
    """Design for one family on one dataset."""
    attacks, unspoken = spoken(params, inputs, inputs.subject.capabilities)
    items = inputs.data.n_items
    attacked = items if params.items is None else min(params.items, items)
    times = len(attacks) * params.draws * (2 if params.control else 1)
    verb = "fool" if inputs.task.gives_labels else "hurt"
    level = level_metric(inputs.task)
    estimates = [EstimateSpec("level", level, role="baseline"), *rater_estimates(params)]
    for name in attacks:
        for draw in range(params.draws):
            estimates += _of_attack(name, draw, params, level)
        if params.draws > 1:
            estimates += over_draws("success", "attack_success", name, params)
    unsure = []  # attacks that an audit does not try, as they may change what is right
    given = given_to_attacks((), inputs.task)
    for name in CHEAP if inputs.is_audit else ():
        if name not in cheap_attacks(inputs.task):
            attack = parse_attack(name)
            changes = ", ".join(changes_what_is_right(attack, given, inputs.task))
            unsure.append(
                f"The attack {title_of(attack, name)} is left out of {inputs.data.name}: after its "
                f"changes ({changes}) another answer may be right, where answers are "
                f"{inputs.task.facts}. `-P 'recipes=[\"{name}\"]'` of `scrutiny run attack` tries "
                "it."
            )
    return Design(
        conditions=(
            *((UNCHANGED, OTHER) if is_controlled(params) else ()),
            *(condition_of(a, d) for a in attacks for d in range(params.draws)),
        ),
        estimates=tuple(estimates),
        claims=tuple(_claims(attacks, params, inputs)),
        queries_per_item=1 + -(-times * params.budget * attacked // max(1, items)),
        notes=tuple(_notes(attacks, params, inputs)),
        families={"attack": f"attacks {verb} {inputs.subject.name} on {inputs.data.name}"},
        left_out=(
            *left_out("attacks", unspoken, inputs.data.languages, data=inputs.data.name),
            *unsure,
        ),
    )


def spoken(
    params: AttackParams | TransferParams, inputs: Inputs, capabilities: frozenset[str]
) -> tuple[dict[str, Attack], list[str]]:
    """Attacks that know a language of the data, and titles of those that an audit leaves out.

    Raises
    ------
    PlanError
        If one that a plan names does not.
    """
    every, data = attacks_of(params, inputs.task, capabilities), inputs.data
    must_have_places(params.words, inputs.task.facts, f"words={params.words}")
    if not inputs.is_audit:
        for name, attack in every.items():
            must_know(f"The attack {name}", attack.languages, data.languages, data=data.name)
    known = {n: a for n, a in every.items() if speaks_any(a.languages, data.languages)}
    return known, [attack.title for name, attack in every.items() if name not in known]


def over_draws(
    what: str, metric: str, name: str, params: AttackParams | TransferParams
) -> Iterator[EstimateSpec]:
    """All draws of an attack as one number, and its excess over random change."""
    of = partial(EstimateSpec, condition={"recipe": name}, draws=params.draws)
    yield of(f"{what}/{name}", f"{metric}@1", fallback=_STAYS)
    if params.control:
        yield of(f"excess/{name}", f"beyond({metric})@1", fallback=_BOTH_STAY)


def of_draw(
    what: str, metric: str, name: str, draw: int, *, control: bool
) -> Iterator[EstimateSpec]:
    """One draw of an attack, that of random change, and its excess over random change."""
    end, condition = f"{name}/{draw}", condition_of(name, draw)
    own = EstimateSpec(f"{what}/{end}", f"{metric}@1", condition, fallback=_STAYS)
    yield own
    if control:
        yield replace(own, id=f"random/{end}", role="control")
        yield EstimateSpec(f"excess/{end}", f"beyond({metric})@1", condition, fallback=_BOTH_STAY)


def _of_attack(name: str, draw: int, params: AttackParams, level: str) -> Iterator[EstimateSpec]:
    """Specifications of one attack and draw."""
    success, *beside = of_draw("success", "attack_success", name, draw, control=params.control)
    yield from (success, *beside)

    def of(what: str, metric: str) -> EstimateSpec:
        presupposed = gate(params) if what.startswith("valid_") else ()
        return replace(success, id=f"{what}/{name}/{draw}", metric=metric, presupposes=presupposed)

    of_each = _OF_EACH if level == "accuracy@1" else {**_OF_EACH, "under": level}
    for what, metric in of_each.items():
        yield of(what, metric)
    for budget in BUDGETS:
        if budget <= params.budget:
            yield of(f"within_{budget}", f"success_within({budget})@1")
    if params.is_rated:
        for share in VALIDITIES:
            yield of(f"valid_{share}", f"valid_success({share})@1")
    if "encoder" in params.resources:
        yield of("similarity", "mean(similarity)@1")
        for share in SIMILARITIES:
            yield of(f"similar_{share}", f"similar_success({share})@1")
    if "perplexity" in params.resources:
        yield of("perplexity", "perplexity_ratio@1")
    if "grammar" in params.resources:
        yield of("mistakes", "mean(mistakes)@1")


def _claims(attacks: Mapping[str, Attack], params: AttackParams, inputs: Inputs) -> Iterator[Claim]:
    """Risk of each attack whose success is a changed answer."""
    rated = "" if params.is_rated else f" ({NOT_RATED})"
    for name, attack in ((n, a) for n, a in attacks.items() if a.is_risk):
        does = done_to_texts(params, inputs.task, attack)
        verb = does.replace("{} % of texts", "items")
        if inputs.task.gives_labels and attack.is_fooling:
            verb = "fools the model on items that it gets right"
        components = tuple(compared("success", name, params))
        yield Claim(
            id=name,
            says=f"{title(name)} {verb}{rated}",
            components=components if attack.is_fooling else components[:1],
            family="attack",
            checks=("items", "seeds", "datasets"),
            competence=(("level", inputs.data.chance),),
            risk=Risk(
                f"{title_of(attack, name)} attack",
                params.tolerance,
                does,
                touches="had candidates for",
            ),
            coverage=tuple(f"tried/{name}/{draw}" for draw in range(params.draws)),
        )


def done_to_texts(
    params: AttackParams | TransferParams, task: Task, attack: Attack | None = None
) -> str:
    """Words for the success of an attack on texts: "fools {} % of texts".

    Of an attack that fools nobody, those of its own goal.
    """
    goal = goal_of(params, task)
    if attack is not None and not attack.is_fooling:
        goal = attack.search(given_to_attacks(params.resources, task)).goal
    score = expression_in_words(level_metric(task))
    return Untargeted().does(score) if goal is None else goal.does(score)


def compared(what: str, name: str, params: AttackParams | TransferParams) -> Iterator[Component]:
    """Success of an attack over all its draws, and its excess over random change."""
    end = f"{name}/0" if params.draws == 1 else name
    yield Component(f"{what}/{end}", 0.0)
    if params.control:
        yield Component(f"excess/{end}", 0.0, "control: random change")


def title(name: str) -> str:
    """Readable name of an attack, without version."""
    return name.replace("@1", "")


def _notes(attacks: Mapping[str, Attack], params: AttackParams, inputs: Inputs) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    if inputs.task.gives_labels:
        attacked, missed = "that the model gets right", "that the model gets wrong"
        under = "accuracy"
    else:
        attacked, missed = "of whose answer something is right", "of whose answer nothing is right"
        under = expression_in_words(level_metric(inputs.task))
        does = done_to_texts(params, inputs.task).replace("{} % of texts", "items")
        yield (
            f"An attack succeeds where it {does}. What is right of a changed text follows from "
            "the edits; a change after which nobody could say it is not tried. Greedy attacks rank "
            "places by what one candidate does there (in their papers: by an unknown word, or by "
            "the word left out), the nearest to what the answer speaks of first."
        )
    yield (
        f"Each item {attacked} is attacked with at most {params.budget:,} texts, "
        "including the item; a repeated text counts once, and a budget can split a batch. Items "
        f"{missed} are not attacked: they count in the {under} under attack and "
        "in no other denominator."
    )
    if params.control:
        yield (
            "Random change draws from the same candidates, asks about as many texts as the attack "
            "on that item, and changes no more words."
        )
    if params.items is not None and params.items < inputs.data.n_items:
        yield (
            f"{params.items} of {inputs.data.n_items:,} items were attacked, chosen by the hash of "
            "their names, the same for every model; the others are skipped."
        )
    if not params.is_rated:
        yield (
            "It was not checked which adversarial texts keep their meaning, so no success is known "
            "to be valid: give ratings or a rater. Hauser et al. (2021) found that 96 to 99 % of "
            "such texts do not keep it."
        )
    else:
        yield rater_note(params)
    held = given_to_attacks(params.resources, inputs.task, capabilities=inputs.subject.capabilities)
    for name, attack in ({} if inputs.task.gives_labels else attacks).items():
        if changes := changes_what_is_right(attack, held, inputs.task):
            yield (
                f"{title(name)} tries changes after which another answer may be right "
                f"({', '.join(changes)}), and is judged by the old one: read its texts before "
                "calling them errors."
            )
    for name, attack in attacks.items():
        if said := deviations_of(attack, held):
            yield f"{title(name)} differs from its paper: {' '.join(said)}"
