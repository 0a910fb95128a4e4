"""The attack diagnostic: search for adversarial texts, with random change as control."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Final

from scrutiny.core.answers.answer import type_of
from scrutiny.core.boundary.json_text import value_digest
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
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
from scrutiny.diagnostics.attack.kept_texts import ATTACKS, FoundText, pack
from scrutiny.diagnostics.attack.validity import JudgedText, judge, read_ratings
from scrutiny.perturb.search.judging import Found, single

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

        Of answers that are no labels, those after which the right answer is known.
        """
        return AttackParams(recipes=cheap_attacks(task), budget=100, items=_AUDITED)

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
        kinds = [BASELINE, *_kinds(list(attacks), params)]
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
        kept = _kept(attempts, judged, cell=cell, labels=ctx.labels, kind=kind)
        ctx.array(ATTACKS, pack(kept))
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


def _kinds(attacks: Sequence[str], params: AttackParams) -> Iterator[RowKind]:
    """Kinds of the records of attacks, in order."""
    roles = ("measured", "control") if params.control else ("measured",)
    for name, draw, role in product(attacks, range(params.draws), roles):
        yield RowKind.of(condition_of(name, draw), role)


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
    labels: tuple[str, ...],
    kind: str,
) -> list[FoundText]:
    """Final texts of attacks and random changes."""
    kept = []
    for attempt, said in zip(attempts, judged, strict=True):
        for role, side in (("measured", attempt.found), ("control", attempt.control)):
            for found in side.values():
                if found.status != "ok" or found.state is None or not found.state.edits:
                    continue
                known = said.get(found.item) if role == "measured" else None
                kept.append(
                    _text(
                        found, attempt, role=role, cell=cell, labels=labels, kind=kind, said=known
                    )
                )
    return kept


def _text(
    found: Found,
    attempt: Attempt,
    *,
    role: str,
    cell: Cell,
    labels: tuple[str, ...],
    kind: str,
    said: JudgedText | None,
) -> FoundText:
    state = found.state
    assert state is not None  # the caller has looked
    before, after = (
        None if answer is None else _in_words(single(answer), labels, example)
        for answer, example in ((found.base_answer, state.base), (found.answer, state.example))
    )
    return FoundText(
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
        asked=found.n_asked,
        words_changed=state.words_changed,
        valid=None if said is None else said.valid,
    )


def _in_words(given: Prediction, labels: tuple[str, ...], example: Example) -> str | None:
    """Answer as a reader sees it: a label, spans with their words, relations of all words."""
    if given.answer is None:
        return given.label_among(labels)
    kind = type_of(given.answer)
    return kind.brief(given.answer) if kind.layers else kind.show(given.answer, example.fields)
