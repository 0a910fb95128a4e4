"""The attack diagnostic: search for adversarial texts, with random change as control."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from types import MappingProxyType
from typing import Final

from scrutiny.blocks.cases import parts_in_words
from scrutiny.core.answers.answer import has_places, type_of
from scrutiny.core.boundary.json_text import value_digest
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.edit import EditRefusedError
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.languages import speaks_any
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction, Task
from scrutiny.data.hashes import drawn
from scrutiny.diagnostics.attack.attack_claims import make_design
from scrutiny.diagnostics.attack.attack_records import (
    BASELINE,
    MEASURES,
    attempt_rows,
    condition_of,
    known_by_rater,
    level_measures,
    rater_rows,
    unattacked_row,
)
from scrutiny.diagnostics.attack.attempts import (
    NOT_DRAWN,
    AttackParams,
    AttackWork,
    Attempt,
    attacks_of,
    cheap_attacks,
)
from scrutiny.diagnostics.attack.kept_texts import ATTACKS, FoundText
from scrutiny.diagnostics.attack.validity import JudgedText, judge, read_ratings
from scrutiny.perturb.search.judging import Found, single
from scrutiny.perturb.search.state import State
from scrutiny.store.stored_forms import packed
from scrutiny.text.edits import track_of

_STORED: Final = Failure("stored_answers", status="skipped")
_AUDITED: Final = 100  # items that an audit attacks


class Attacks(Diagnostic[AttackParams]):
    """Adversarial texts: success, preserved meaning, and comparison with random change.

    Success rate of adversarial attacks, whether they keep the meaning, and their cost.

    Records of an item, for each attack and draw: whether it was attacked, whether the goal was
    reached, texts asked, words changed, and what judges say of the text. Role ``baseline`` is the
    item as it is, role ``control`` random change at the same expense. Where a model rates validity,
    two more say what it makes of the item as it is (``control``) and of another item's text
    (``null``). The texts are kept (`scrutiny.diagnostics.attack.kept_texts`).

    **Measures**: how little an opponent has to change, who may ask the model as often as the budget
    says.

    **Misleads when**: read without the share that is valid: most texts that such attacks find do
    not keep the meaning, and a changed answer to a changed question is no mistake; or when two
    models are compared on attacks that were searched against each of them with other budgets.

    **References**: Morris et al. (2020), TextAttack; Hauser, Meng, Pascual & Wattenhofer (2021),
    BERT is robust! A case against synonym-based adversarial examples in text classification; the
    control, the intervals and the account of texts asked are ours.
    """

    id = "attack@1"
    needs = frozenset({"predict"})
    asks_other_texts = True
    searches = True
    tolerates = MappingProxyType({"tolerance": "attack_success@1"})
    measures = MEASURES
    scope = "dataset"  # which items are drawn depends on all of them
    varies = "recipes"

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """Measures of the level of an answer, and those of attacks."""
        return (*level_measures(task), *MEASURES[1:])

    def audit_params(self, task: Task) -> AttackParams:
        """Parameters in an audit: two cheap attacks on a hundred items.

        Of answers that are no labels, those after which the right answer is known, with fewer
        texts: parsers, readers and translators are slow.
        """
        budget = 100 if task.gives_labels else 40
        return AttackParams(recipes=cheap_attacks(task), budget=budget, items=_AUDITED)

    def enough_items(self, n_rows: int) -> int:
        """Number of items that an audit attacks: success of 50 % is then known within 10 points."""
        return _AUDITED

    def design(self, params: AttackParams, inputs: Inputs) -> Design:
        """Conditions, estimates and claims for one family on one dataset."""
        return make_design(params, inputs)

    def measure(
        self, params: AttackParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each unchanged item, and for each attack and its random control."""
        capabilities = ctx.model.capabilities
        attacks = {
            name: attack
            for name, attack in attacks_of(params, ctx.task, capabilities).items()
            if speaks_any(attack.languages, ctx.languages)
        }
        roles = ("measured", "control") if params.control else ("measured",)
        each = product(attacks, range(params.draws), roles)
        conditions = ((condition_of(name, draw), role) for name, draw, role in each)
        kinds = [BASELINE, *(RowKind.of(*one) for one in conditions)]
        if ctx.model.has_stored_answers_only:
            for example in batch.examples:
                yield from rater_rows(params, example.id, None, _STORED, task=ctx.task)
                yield from (kind.row(example.id, _STORED) for kind in kinds)
            return
        _must_be_the_same_ratings(params, ctx)
        chosen = drawn(batch.examples, params.items)
        answers = dict(zip([e.id for e in chosen], ctx.predict(chosen), strict=True))
        work = AttackWork(params, ctx, ctx.task, ctx.seed)
        attempts = list(work.attempts(attacks, [e for e in chosen if e.gold is not None]))
        judged = [_judged(params, attempt) for attempt in attempts]
        kind = f"{Attacks.id}#{value_digest(params)}"
        kept = _kept(attempts, judged, cell=cell, ctx=ctx, kind=kind)
        ctx.array(ATTACKS, packed([asdict(one) for one in kept]))
        known = known_by_rater(params, chosen)
        for example in batch.examples:
            rated = known.get(example.id)
            yield from rater_rows(params, example.id, rated, NOT_DRAWN, task=ctx.task)
            if example.id not in answers:
                yield from (kind.row(example.id, NOT_DRAWN) for kind in kinds)
                continue
            answer = answers[example.id]
            yield unattacked_row(example, answer, ctx, further=len(MEASURES) - 1)
            for attempt, said in zip(attempts, judged, strict=True):
                yield from attempt_rows(
                    example, attempt, ctx=ctx, judged=said, has_control=params.control
                )


def _must_be_the_same_ratings(params: AttackParams, ctx: Context) -> None:
    """Refuse a file of ratings that changed since the run began.

    Raises
    ------
    DataError
        If it did: half of the records would be rated otherwise.
    """
    if not params.ratings:
        return
    fingerprint = read_ratings(params.ratings).fingerprint
    if ctx.once(f"attack/ratings/{params.ratings}", lambda: fingerprint) != fingerprint:
        raise DataError(
            f"The ratings {params.ratings!r} have changed since this run began. Choose another "
            "--out."
        )


def _judged(params: AttackParams, attempt: Attempt) -> dict[str, JudgedText]:
    """Judgments of the successful texts of an attack, by item."""
    reached = {
        item: found.state
        for item, found in attempt.found.items()
        if found.is_success and found.state is not None
    }
    said = judge(params, attempt.recipe, list(reached.values()))
    return dict(zip(reached, said, strict=True))


def _kept(
    attempts: Sequence[Attempt],
    judged: Sequence[Mapping[str, JudgedText]],
    *,
    cell: Cell,
    ctx: Context,
    kind: str,
) -> list[FoundText]:
    """Final texts of attacks and random changes."""
    kept = []
    for attempt, said in zip(attempts, judged, strict=True):
        for role, side in (("measured", attempt.found), ("control", attempt.control)):
            for found in side.values():
                state = found.state
                if found.status != "ok" or state is None or not state.edits:
                    continue
                known = said.get(found.item) if role == "measured" else None
                before, after, right = _told(found, state, ctx)
                text = FoundText(
                    kind=kind,
                    subject=cell.subject,
                    replicate=cell.replicate,
                    dataset=cell.dataset,
                    item=found.item,
                    recipe=attempt.recipe,
                    draw=attempt.draw,
                    role=role,
                    edits=tuple((e.field, e.start, e.end, e.text) for e in state.edits),
                    fields=state.origin.names,
                    originals=state.origin.texts,
                    texts=state.texts,
                    is_success=found.is_success,
                    before=before,
                    after=after,
                    right=right,
                    asked=found.n_asked,
                    words_changed=state.words_changed,
                    valid=None if known is None else known.valid,
                )
                kept.append(text)
    return kept


def _told(found: Found, state: State, ctx: Context) -> tuple[str | None, str | None, str]:
    """Answers before and after, and what is right, as a reader sees them.

    Of long answers (arcs, clusters) the first parts of which both say different things are told, as
    far as they are scored; what is right is told of these alone.
    """
    given = [None if a is None else single(a) for a in (found.base_answer, found.answer)]
    before, after = (None if one is None else one.answer for one in given)
    if before is not None and after is not None:
        kind, scored = type_of(before), {measure.name for measure in level_measures(ctx.task)}
        unread = [layer for layer in kind.layers if layer not in scored]
        old, new, right = (kind.without(one, unread) for one in (before, after, state.base.gold))
        track = track_of(state.base, state.edits)
        try:
            parts = kind.differences(old, new, right, track, state.origin.texts[0])
        except EditRefusedError:  # what the model said does not fit the changed text
            parts = ()
        if parts := sorted(parts, key=lambda part: not part.is_broken):
            return (
                parts_in_words(parts, "before"),
                parts_in_words(parts, "after"),
                parts_in_words(parts, "right"),
            )
    gold, right = state.base.gold, ""
    if has_places(gold):  # in the words of the text, as both answers are
        right = type_of(gold).show(gold, state.base.fields)
    return _shown(given[0], ctx, state.base), _shown(given[1], ctx, state.example), right


def _shown(given: Prediction | None, ctx: Context, example: Example) -> str | None:
    if given is None or given.answer is None:
        return None if given is None else given.label_among(ctx.labels)
    return type_of(given.answer).show(given.answer, example.fields)
