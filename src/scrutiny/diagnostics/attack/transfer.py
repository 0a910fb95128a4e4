"""The transfer diagnostic: adversarial texts of one model, sent to another."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from scrutiny.core.claim import Claim, Risk
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import (
    Batch,
    Cell,
    ChangesTexts,
    Context,
    Failure,
    RowKind,
    reference_of,
)
from scrutiny.core.edit import Variant
from scrutiny.core.example import Example
from scrutiny.core.languages import left_out
from scrutiny.core.plugin_base import title_of
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction, Task
from scrutiny.data.hashes import drawn
from scrutiny.diagnostics.attack.attack_claims import (
    compared,
    done_to_texts,
    of_draw,
    over_draws,
    spoken,
    title,
)
from scrutiny.diagnostics.attack.attack_records import (
    MEASURES,
    condition_of,
    level_measures,
    level_metric,
    level_values,
    unattacked_row,
)
from scrutiny.diagnostics.attack.attempts import (
    NOT_DRAWN,
    AttackWork,
    Attempt,
    TransferParams,
    attacks_of,
    goal_of,
    output_name,
    scorer,
)
from scrutiny.diagnostics.attack.random_change import OneAtRandom
from scrutiny.perturb.recipes.attack import Attack
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.judging import Base, Found, Goal, expense_of
from scrutiny.perturb.search.moves import Origin
from scrutiny.perturb.search.state import State
from scrutiny.text.edits import apply_edits

_NOT_FOOLED: Final = "not_fooled"


class Transfer(ChangesTexts[TransferParams]):
    """Whether texts that fool one model also fool another, against random change.

    Rate at which texts that fool the reference also fool this model.

    The reference is attacked while variants are prepared, once for each of its replicates; all
    models are then asked about the same texts. Records of an item: ``attacked``, whether the
    reference was fooled and this model gets the item right; ``success``, whether it is fooled, too.
    Role ``control`` is one random text of the same candidates with as many words changed.

    **Measures**: whether an opponent needs to ask the model at all, or can practice on another; and
    whether what is found is a weakness of one checkpoint or of all.

    **Misleads when**: read without the random texts: a model that falls for any change falls for
    these. Items that the reference withstood are in no denominator, so two references are compared
    on other items.

    **References**: Szegedy et al. (2014), Intriguing properties of neural networks; Papernot,
    McDaniel & Goodfellow (2016), Transferability in machine learning; Yuan et al. (2021), On the
    transferability of adversarial attacks against neural text classifiers.
    """

    id = "attack.transfer@1"
    needs = frozenset({"predict"})
    measures = MEASURES[:3]  # hit, attacked, success
    scope = "dataset"  # which items are drawn depends on all of them
    wants_reference = True

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """Measures of the level of an answer, and those of texts that carry over."""
        return (*level_measures(task), *self.measures[1:])

    def audit_params(self, task: Task) -> TransferParams:
        """Parameters in an audit: one cheap attack on a hundred items."""
        budget = 100 if task.gives_labels else 40
        return TransferParams(recipes=("deepwordbug",), budget=budget, items=100)

    def design(self, params: TransferParams, inputs: Inputs) -> Design:
        """Conditions, estimates and claims for one family on one dataset."""
        # what the attacks need is the reference's to have, which is seen when it is attacked
        attacks, unspoken = spoken(params, inputs, inputs.subject.capabilities | {"gradients"})
        data, verb, errs = inputs.data, _verb(inputs.task), "errs on it"
        if not inputs.task.gives_labels:
            does = done_to_texts(params, inputs.task).replace("{} % of texts", "items")
            errs = f"is hurt as well: success {does}"
        estimates = [EstimateSpec("level", level_metric(inputs.task), role="baseline")]
        for name in attacks:
            for draw in range(params.draws):
                control = params.control
                estimates += of_draw("transfer", "transfer_rate", name, draw, control=control)
            if params.draws > 1:
                estimates += over_draws("transfer", "transfer_rate", name, params)
        return Design(
            conditions=tuple(condition_of(a, d) for a in attacks for d in range(params.draws)),
            estimates=tuple(estimates),
            claims=tuple(_claims(attacks, params, inputs)),
            queries_per_item=1 + 2 * len(attacks) * params.draws,
            search_per_item=len(attacks) * params.draws * (params.budget + 2),
            notes=(
                f"Texts are searched for against {inputs.second.name} with "
                f"{params.budget:,} texts for each item, and then asked of {inputs.subject.name}. "
                f"Of each text that {verb}s the reference, and whose original this model gets "
                f"right, it counts whether the model {errs}.",
            ),
            families={
                "transfer": f"texts that {verb} {inputs.second.name} {verb} {inputs.subject.name} "
                f"on {inputs.data.name}"
            },
            left_out=left_out("attacks", unspoken, data.languages, data=data.name),
        )

    def prepare(
        self, params: TransferParams, examples: Sequence[Example], ctx: Context
    ) -> Iterable[Variant]:
        """Texts that fool the reference, each followed by a random one with as many changes."""
        reference = reference_of(ctx)
        capabilities = reference.model.capabilities
        attacks = attacks_of(params, ctx.task, capabilities)
        work = AttackWork(replace(params, control=False), reference, ctx.task, ctx.seed)
        chosen = [e for e in drawn(examples, params.items) if e.gold is not None]
        for attempt in work.attempts(attacks, chosen):
            fooled = {item: one for item, one in attempt.found.items() if one.is_success}
            words = {item: expense_of(one).words for item, one in fooled.items()}
            wanted = [e for e in chosen if e.id in fooled]
            attack = attacks[attempt.recipe]
            random = work.beside(attack, wanted, OneAtRandom(words), draw=attempt.draw)
            name = f"{output_name(attempt.recipe, attempt.draw)}/{reference.subject}"
            name += "" if reference.replicate is None else f"/{reference.replicate}"
            for example in chosen:
                yield _variant(example, attempt.found.get(example.id), attempt, name=name)
                if params.control:
                    found = random.get(example.id)
                    yield _variant(example, found, attempt, name=f"{name}/random", control_of=name)

    def measure(
        self, params: TransferParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each unchanged item, each adversarial text, and each random one."""
        own = [e for e in batch.examples if batch.variants.get(e.id)]
        before = dict(zip([e.id for e in own], ctx.predict(own), strict=True))
        asked = [(e, v) for e in own for v in batch.variants[e.id] if v.status == "ok"]
        texts = [apply_edits(e, v.edits) for e, v in asked]
        answers = ctx.predict(texts, variants=[v.name for _, v in asked])
        after = {(e.id, v.name): a for (e, v), a in zip(asked, answers, strict=True)}
        goal = goal_of(params, ctx.task) or Untargeted()
        for example in batch.examples:
            answer = before.get(example.id, NOT_DRAWN)
            yield unattacked_row(example, answer, ctx, further=len(self.measures) - 1)
            for variant in batch.variants.get(example.id, ()):
                both = answer, after.get((example.id, variant.name))
                values = _values(example, variant, both, goal=goal, ctx=ctx)
                kind = RowKind.of(condition_of(variant.recipe, variant.draw), variant.role)
                yield kind.row(example.id, values, variant=variant.name)


def _variant(
    example: Example,
    found: Found | None,
    attempt: Attempt,
    *,
    name: str,
    control_of: str | None = None,
) -> Variant:
    """An adversarial text as a variant; skipped if the reference was not fooled."""
    role = "measured" if control_of is None else "control"
    of, gold, draw = attempt.recipe, example.gold, attempt.draw
    variant = Variant(example.id, name, role, control_of, of, (), gold, draw=draw)
    state = None if found is None else found.state
    if found is None or found.status != "ok" or state is None:
        status = "failed" if found is not None and found.status == "failed" else "skipped"
        reason = _NOT_FOOLED if found is None else found.reason
        return replace(variant, status=status, reason=reason)
    if control_of is None and not found.is_success:
        return replace(variant, status="skipped", reason=_NOT_FOOLED)
    if not state.edits:
        return replace(variant, status="undefined", reason="no_random_text")
    return replace(variant, edits=state.edits)


def _values(
    example: Example,
    variant: Variant,
    answers: tuple[Prediction | Failure, Prediction | Failure | None],
    *,
    goal: Goal,
    ctx: Context,
) -> tuple[float, ...] | Failure:
    """Measures of one text; ``answers`` are those to the item and to the text."""
    before, answer = answers
    if isinstance(before, Failure):
        return before
    base = Base(example, before, ctx.labels, scorer(ctx.task, ctx.labels))
    if reason := goal.skips(base):
        return Failure(reason, status="skipped")
    if variant.status != "ok":
        return Failure(variant.reason or "", status=variant.status)
    if answer is None or isinstance(answer, Failure):
        return answer or Failure("not_asked")
    state = State.of(Origin(example), variant.edits)
    _, is_reached = goal.judge(base, answer, state)
    return (*level_values(state.example, answer, ctx), 1.0, float(is_reached))


def _claims(
    attacks: Mapping[str, Attack], params: TransferParams, inputs: Inputs
) -> Iterator[Claim]:
    """Risk of each attack; none for the reference, which the texts were made for."""
    verb, other = _verb(inputs.task), inputs.second.name
    for name, attack in attacks.items() if not inputs.is_self else ():
        yield Claim(
            id=name,
            says=f"texts with which {title(name)} {verb}s {other} also {verb} the model",
            components=tuple(compared("transfer", name, params)),
            family="transfer",
            checks=("items", "seeds", "datasets"),
            competence=(("level", inputs.data.chance),),
            risk=Risk(
                f"texts of {title_of(attack, name)}", params.tolerance, f"{{}} % {verb} it as well"
            ),
        )


def _verb(task: Task) -> str:
    """Verb for a successful attack: "fools", of a model that gives labels."""
    return "fool" if task.gives_labels else "hurt"
