"""The judge diagnostic: asks a judge again, otherwise ordered, longer, formatted and changed."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import Facts
from scrutiny.core.record import Measure, Row
from scrutiny.diagnostics.judges.asking import questions_of, replies_to
from scrutiny.diagnostics.judges.judge_design import (
    AGAIN,
    AS_GIVEN,
    ASKED,
    BEYOND,
    POLICY,
    SWAPPED,
    make_design,
)
from scrutiny.diagnostics.judges.questions import answers_of
from scrutiny.diagnostics.judges.verdicts import POLICIES, UNPARSED, JudgeParams, VerdictScale
from scrutiny.tasks.judgments import HOLDS

_NO_HUMAN: Final = Failure("no_human_verdict", status="skipped")
_LEFT_OUT: Final = Failure("left_out", status="skipped")
_NOT_PREFERRED: Final = Failure("not_preferred", status="skipped")
_SHARE: Final = (0.0, 1.0)


def _share(name: str, says: str) -> Measure:
    return Measure(name, says=says, scale="logit", row_range=_SHARE, no_effect=0.0)


def _signed(name: str, says: str) -> Measure:
    return Measure(name, says=says, row_range=(-1.0, 1.0), no_effect=0.0)


_MEASURES: Final = (
    Measure("value", says="mean verdict of the judge", row_range=_SHARE),
    Measure("human", says="mean verdict of people", among=("labeled",)),
    Measure("labeled", says="items that people judged", row_range=_SHARE),
    Measure("agreement", says="agreement with people", scale="logit", row_range=_SHARE),
    _share("unparsed", "verdicts that cannot be read"),
    _share("tie", "ties"),
    Measure("pred_a"),
    Measure("pred_b"),
    Measure("longer"),
    Measure("longer_human"),
    Measure("longer_counts"),
    Measure("own"),
    Measure("own_human"),
    Measure("own_counts"),
    _share("changed", "verdicts that change"),
    _signed("excess", "verdicts that change, beyond the noise floor"),
    _signed("first", "first answer chosen, beyond one half"),
    _signed("toward", "shift toward the answer that was changed"),
    _share("noticed", "verdicts that leave the answer whose meaning was changed"),
    _signed("noticed_excess", "verdicts that leave it, beyond the noise floor"),
)


class Judge(Diagnostic[JudgeParams]):
    """A judge as a model under test: noise, biases, agreement with people, corrected scores.

    The judge is asked each item again (the noise floor), with both answers exchanged, with one
    answer padded or shown otherwise in the same words, with changes that keep the meaning, and with
    changes that do not. Where people judged some items, kappa stands beside the best constant
    verdict, and mean verdicts are corrected by those labels.

    **Measures**: how often verdicts change for no reason, what they lean to, how far they agree
    with people, and what people would say on average.

    **Misleads when**: people judged a chosen part of the items and not a random one; longer or own
    answers are better in ways that people did not see; the padding or the changed words read oddly
    to a judge that is right to mind; the service keeps answers (no noise is then seen).

    **References**: Zheng et al. (2023), Judging LLM-as-a-judge; Wang et al. (2023), Large language
    models are not fair evaluators; Angelopoulos et al. (2023), Prediction-powered inference.
    """

    id = "judge@1"
    needs = frozenset({"predict"})
    wants = (Facts("label", holds=HOLDS),)
    why_only = "a judge is tested on answers to questions"
    measures = _MEASURES

    def design(self, params: JudgeParams, inputs: Inputs) -> Design:
        """Estimates, claims and cost."""
        return make_design(params, inputs)

    def measure(self, params: JudgeParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """Rows of each item: as given, under each policy, and for everything that was asked."""
        is_pairs = len(answers_of(batch.examples[0])) > 1
        scale = VerdictScale.of(ctx.labels, params, is_pairs=is_pairs)
        questions = [questions_of(example, params, ctx) for example in batch.examples]
        replies = replies_to(batch.examples, questions, ctx)
        for example, asked, found in zip(batch.examples, questions, replies, strict=True):
            outcomes = {
                name: scale.outcome(reply, is_swapped=name == SWAPPED)
                for name, reply in found.items()
            }
            yield from _as_given(example, outcomes[AS_GIVEN], scale, params)
            yield from _beside(example, asked.fields, outcomes, scale, params)


def _row(
    example: Example, condition: Mapping[str, str], found: Mapping[str, float] | Failure
) -> Row:
    return RowKind.of(condition).named_row(example.id, _MEASURES, found)


def _as_given(
    example: Example, given: str | Failure, scale: VerdictScale, params: JudgeParams
) -> Iterator[Row]:
    """Rows of the verdict itself: its number, and the same beside people's under each policy."""
    human = example.gold
    if isinstance(given, Failure):
        yield _row(example, {ASKED: AS_GIVEN}, given)
        for policy in POLICIES:
            yield _row(example, {POLICY: policy}, given)
        return
    values = {
        "value": scale.value(given),
        "unparsed": given == UNPARSED,
        "tie": given == scale.tie,
        "labeled": human is not None,
        "human": 0.0 if human is None else scale.value(human),
    }
    if human is not None and given != UNPARSED and len(example.fields) > 2:
        values |= _leanings(example, scale.value(given), scale.value(human), params.own)
    yield _row(example, {ASKED: AS_GIVEN}, values)
    for policy in POLICIES:
        both = None if human is None else scale.under(policy, given, human)
        found: Mapping[str, float] | Failure = _NO_HUMAN if human is None else _LEFT_OUT
        if both is not None:
            found = {"pred_a": both[0], "pred_b": both[1], "agreement": both[0] == both[1]}
        yield _row(example, {POLICY: policy}, found)


def _leanings(example: Example, judge: float, human: float, own: str) -> dict[str, float]:
    """How far judge and people prefer the longer answer, and the judge's own.

    Items that people call a tie say nothing of errors in a direction, so they do not count.
    """
    sides = [len(example.fields[name]) for name in ("answer_a", "answer_b")]
    wrote = [bool(own) and example.attributes.get(f"a_author_{end}") == own for end in "ab"]
    found: dict[str, float] = {}
    for name, (first, second) in (("longer", sides), ("own", wrote)):
        found[name] = judge if first > second else 1.0 - judge
        found[f"{name}_human"] = human if first > second else 1.0 - human
        found[f"{name}_counts"] = float(first != second and human != 0.5)
    return found


def _beside(
    example: Example,
    fields: Mapping[str, str],
    outcomes: Mapping[str, str | Failure],
    scale: VerdictScale,
    params: JudgeParams,
) -> Iterator[Row]:
    """Rows of what was asked beside the item: what changed, and what of it is beyond noise."""
    given, again = outcomes[AS_GIVEN], outcomes[AGAIN]
    for name, outcome in outcomes.items():
        if name == AS_GIVEN:
            continue
        field = fields.get(name, "")
        moved = _moved(name, field, given, outcome, scale, params)
        yield _row(example, {ASKED: name}, moved)
        if name != AGAIN:
            noise = _moved(name, field, given, again, scale, params)
            yield _row(example, {BEYOND: name}, _beyond(moved, noise))


def _beyond(
    moved: Mapping[str, float] | Failure, noise: Mapping[str, float] | Failure
) -> Mapping[str, float] | Failure:
    """What changed, minus what changed on the same item when it was asked again."""
    if isinstance(moved, Failure):
        return moved
    if isinstance(noise, Failure):
        return noise
    return {
        "excess": moved["changed"] - noise["changed"],
        "noticed_excess": moved["noticed"] - noise["noticed"],
    }


def _moved(
    name: str,
    field: str,
    given: str | Failure,
    outcome: str | Failure,
    scale: VerdictScale,
    params: JudgeParams,
) -> Mapping[str, float] | Failure:
    """What differs between two verdicts on one item, as seen from the answer that was changed."""
    if isinstance(outcome, Failure):
        return outcome
    if isinstance(given, Failure):
        return given
    before, after = scale.value(given), scale.value(outcome)
    sign = -1.0 if field == "answer_b" else 1.0
    shift = sign * (after - before)
    found = {"changed": float(given != outcome), "toward": shift, "noticed": float(shift < 0)}
    if name == SWAPPED:
        # chosen first in either order: `after` is in the order of the item, where it stood second
        found["first"] = (before + 1.0 - after) / 2 - 0.5
    preferred = before if sign > 0 else 1.0 - before
    if name in params.changing and preferred <= 0.5:
        return _NOT_PREFERRED
    return found
