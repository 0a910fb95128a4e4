"""The wordings diagnostic: the same items asked in other words, beside edits that mean nothing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from scrutiny.core.boundary.parameters import at_least, shares
from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.design import BEFORE, DRAW, ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.expressions import expression_in_words, metric_of_metric
from scrutiny.core.facts import LABELS
from scrutiny.core.record import Row
from scrutiny.core.task import Prediction
from scrutiny.models.prompting.wordings import (
    BUILTIN,
    OWN_WORDING,
    WORDINGS,
    TakesWordings,
    Wording,
    read_wordings,
    worded,
)
from scrutiny.tasks.scores import score_of

#: Name of all edits that mean nothing, together.
EDITS: Final = "edits that mean nothing"
_BASELINE: Final = RowKind(role="baseline")


@dataclass(frozen=True, slots=True)
class WordingParams:
    """Which wordings are asked, and how often.

    Parameters
    ----------
    wordings
        The wordings, the name of their file, or ``builtin``: those that ship with scrutiny.
    repeats
        How often each is asked of a model that may answer otherwise when it is asked again; of
        others, once.
    tolerance
        Loss of the score that another wording may cost.
    """

    wordings: str | tuple[Wording, ...] = BUILTIN
    repeats: int = 2
    tolerance: float = 0.02

    def __post_init__(self) -> None:
        at_least(self, repeats=1)
        shares(self, "tolerance", zero=False)
        if self.wordings == "builtin":
            object.__setattr__(self, "wordings", BUILTIN)
        elif self.wordings != BUILTIN:  # what a file holds is what is asked, whatever its name
            object.__setattr__(self, "wordings", self.each())
        if not self.each():
            raise PlanError("wordings names none: give at least one.")

    def each(self) -> tuple[Wording, ...]:
        """The wordings themselves."""
        stated = self.wordings
        return read_wordings(stated) if isinstance(stated, str) else stated

    def times(self, capabilities: frozenset[str]) -> int:
        """How often a model with these capabilities is asked the same."""
        return self.repeats if "varies" in capabilities else 1


class PromptWordings(Diagnostic[WordingParams]):
    """Score in other wordings of the prompt, beside the model's own and beside meaningless edits.

    Templates, instructions, options, solved examples and system prompts are choices of whoever
    asks. Each wording is one condition, on the same items.

    **Measures**: how far the score falls in each wording, how much more than with edits that mean
    nothing, and what items, wordings and repeats add to the error of the score.

    **Misleads when**: a wording asks for something else than the model's own prompt does; the
    wordings were chosen after their scores were seen; only one way of reading fits one of them.

    **References**: Sclar et al. (2024), Quantifying language models' sensitivity to spurious
    features in prompt design; Mizrahi et al. (2024), State of what art? A call for multi-prompt
    LLM evaluation. The null of the worst one and the budget are ours.
    """

    id = "wordings@1"
    needs = frozenset({"predict", WORDINGS})
    wants = (LABELS,)
    why_only = "what is asked in other words is a label"
    tolerates = MappingProxyType({"tolerance": ""})
    asks_other_texts = True
    only_when_named = True

    def design(self, params: WordingParams, inputs: Inputs) -> Design:
        """Levels, drops and flips of each wording, and the claims about them."""
        times = params.times(inputs.subject.capabilities)
        wordings = params.each()
        return Design(
            conditions=tuple(
                _condition(one, draw) for one in (None, *wordings) for draw in range(times)
            ),
            estimates=tuple(_estimates(wordings, inputs, times)),
            contrasts=tuple(
                ContrastSpec(f"beyond/{one.name}", f"drop/{one.name}", f"drop/{EDITS}", minus="own")
                for one in wordings
                if not one.is_edit and any(other.is_edit for other in wordings)
            ),
            claims=tuple(_claims(wordings, params, inputs)),
            queries_per_item=(1 + len(wordings)) * times,
            notes=tuple(_notes(wordings, times)),
            families={
                "wordings": f"wordings hurt {inputs.subject.name} on {inputs.data.name}",
            },
        )

    def measure(
        self, params: WordingParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item, wording and repeat."""
        model = ctx.model
        if not isinstance(model, TakesWordings):
            raise PlanError(f"{model.source!r} has no prompt that could be worded otherwise.")
        asked = list(_asked(params, batch.examples, model, ctx))
        for place, example in enumerate(batch.examples):
            for kind, answers in asked:
                yield _row(kind, example, answers[place], ctx)


def _asked(
    params: WordingParams, examples: Sequence[Example], model: TakesWordings, ctx: Context
) -> Iterator[tuple[RowKind, Sequence[Prediction | Failure]]]:
    """Answers to the items in each condition; edits stand a second time, as controls."""
    times = params.times(ctx.model.capabilities)
    for draw in range(times):
        own = ctx.predict(examples, draw=draw)
        if not draw:
            yield _BASELINE, own
        yield RowKind.of(_condition(None, draw)), own
    applying = {one.name for one in model.wordings(params.each())}
    edits = 0
    for one in params.each():
        asked = [worded(example, one) for example in examples]
        for draw in range(times):
            same = [Failure("same_prompt", status="skipped")] * len(asked)
            answers = ctx.predict(asked, draw=draw) if one.name in applying else same
            yield RowKind.of(_condition(one, draw)), answers
            if one.is_edit and not draw:
                yield RowKind.of({"wording": EDITS, "draw": edits}, "control"), answers
                edits += 1


def _condition(wording: Wording | None, draw: int) -> dict[str, object]:
    """Condition of the records of a wording; None is the model's own."""
    name = OWN_WORDING if wording is None else wording.name
    is_edit = wording is not None and wording.is_edit
    return {"wording": name, "draw": draw, **({"edit": True} if is_edit else {})}


def _row(kind: RowKind, example: Example, answer: Prediction | Failure, ctx: Context) -> Row:
    """Row of an item in one condition."""
    if example.gold is None:
        return kind.row(example.id, Failure("no_gold", status="skipped"))
    if isinstance(answer, Failure):
        return kind.row(example.id, answer)
    return kind.row(example.id, ctx.task.score(example.gold, answer, labels=ctx.labels))


def _estimates(wordings: Iterable[Wording], inputs: Inputs, times: int) -> Iterator[EstimateSpec]:
    """Specifications in the order of the report."""
    level = score_of(inputs.task).level
    drop = metric_of_metric("drop", level)
    wordings = tuple(wordings)
    own = [Selector("measured", _condition(None, draw)) for draw in range(times)]
    before = {f"{BEFORE}{f'{DRAW}{draw}' * bool(draw)}": side for draw, side in enumerate(own)}
    yield EstimateSpec("level", level, {"wording": OWN_WORDING}, draws=times)
    if times > 1:
        again = {"wording": OWN_WORDING, "draw": 1}
        yield EstimateSpec("flips/own", "flip_rate@1", again, group="changed")
    for one in wordings:
        condition: dict[str, object] = {"wording": one.name}
        first = {**condition, "draw": 0}
        same = {BEFORE: own[0]}  # where the prompt stays the same, so does the answer
        yield EstimateSpec(
            f"level/{one.name}", level, condition, draws=times, sides=same, fallback={"": BEFORE}
        )
        yield EstimateSpec(f"drop/{one.name}", drop, condition, draws=times, sides=before)
        yield EstimateSpec(f"flips/{one.name}", "flip_rate@1", first, group="changed")
        yield EstimateSpec(f"coverage/{one.name}", "coverage@1", first)
    edits = sum(one.is_edit for one in wordings)
    if edits:
        yield EstimateSpec(
            f"drop/{EDITS}", drop, {"wording": EDITS}, role="control", draws=edits, sides=before
        )


def _claims(wordings: Iterable[Wording], params: WordingParams, inputs: Inputs) -> Iterator[Claim]:
    """A risk for each wording that means something, and skill in every one of them."""
    wordings = tuple(wordings)
    score = expression_in_words(score_of(inputs.task).level)
    edits = [one.name for one in wordings if one.is_edit]
    chance = inputs.data.chance
    meant = [one.name for one in wordings if not one.is_edit]
    for name in [*meant, *([EDITS] if edits else [])]:
        has_control = bool(edits) and name != EDITS
        beyond = [Component(f"beyond/{name}", 0.0, f"control: {EDITS}")] * has_control
        yield Claim(
            id=name,
            says=f"{name if name == EDITS else f'the wording {name!r}'} lowers {score}",
            components=(Component(f"drop/{name}", 0.0), *beyond),
            family="wordings",
            checks=("items", "seeds", "datasets"),
            competence=(("level", chance),),
            risk=Risk(
                name if name == EDITS else f"wording: {name}", params.tolerance, "costs {} points"
            ),
            coverage=tuple(f"coverage/{one}" for one in (edits if name == EDITS else [name])),
            needs_control=name != EDITS,
        )
    choices = [Component(f"level/{name}", chance, f"choice: wording {name}") for name in meant]
    yield Claim(
        id="skill in every wording",
        says=f"{score} exceeds the {chance:.3g} of no skill in every wording",
        components=(Component("level", chance), *choices),
        checks=Claim.checks_with(wording=[OWN_WORDING, *meant]),
        needs_control=False,
    )


def _notes(wordings: Iterable[Wording], times: int) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    wordings = tuple(wordings)
    edits = [one.name for one in wordings if one.is_edit]
    count = len(wordings)
    yield (
        f"Every item was asked in the model's own prompt and in {count} other "
        f"wording{'s' * (count != 1)}, {'once' if times == 1 else f'{times} times'} each. A "
        "wording that changes nothing of this prompt was not asked."
    )
    if edits:
        yield f"The random change beside them are edits that mean nothing: {', '.join(edits)}."
