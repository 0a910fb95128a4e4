"""What is computed of a judge, and claimed: skill beyond a constant, noise, and each bias."""

from collections.abc import Iterator
from typing import Final

from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.diagnostics.judges.verdicts import POLICIES, JudgeParams

#: Name of the condition that says what a judge was asked, and its fixed values.
ASKED: Final = "asked"
AS_GIVEN, AGAIN, SWAPPED, LONGER = "as given", "again", "swapped", "longer"
#: The same beyond the noise floor; and verdicts beside people's, under a policy for odd ones.
BEYOND: Final = "beyond"
POLICY: Final = "policy"
#: Level of the limits that decide a bias: six are tested of each judge.
_LEVEL: Final = 0.99
_CHECKS: Final = ("items", "seeds", "datasets")
_FEWEST: Final = 20  # items of a slice


def is_pair(inputs: Inputs) -> bool:
    """Whether two answers are compared, and not one judged by itself."""
    return "answer_b" in inputs.task.fields


def make_design(params: JudgeParams, inputs: Inputs) -> Design:
    """Estimates, claims and cost of testing a judge on one dataset."""
    pairs, people = is_pair(inputs), bool(inputs.data.labels)
    shown = [LONGER, *params.formats]
    asked = 2 + pairs + len(shown) + len(params.keeping) + len(params.changing)
    notes = [
        "Biases are held against the noise floor, the same items asked again, or against the "
        "errors that the judge makes the other way round.",
        "Ties and verdicts that cannot be read are outcomes of their own; kappa stands there "
        "under other policies, too. In means, a verdict that cannot be read is the middle.",
    ]
    if not people:
        notes.append("No verdicts of people: agreement and corrected scores are not known.")
    return Design(
        estimates=(
            *_of_changes(params, shown, pairs=pairs),
            *(_beside_people(params, inputs, pairs=pairs) if people else ()),
        ),
        claims=tuple(_claims(params, shown, inputs, pairs=pairs, people=people)),
        queries_per_item=asked,
        notes=tuple(notes),
    )


def _mean(name: str, measure: str, asked: str, *, condition: str = ASKED) -> EstimateSpec:
    return EstimateSpec(name, f"mean({measure})@1", {condition: asked})


def _of_changes(params: JudgeParams, shown: list[str], *, pairs: bool) -> Iterator[EstimateSpec]:
    """Numbers that need no people."""
    yield _mean("raw", "value", AS_GIVEN)
    yield _mean("unparsed", "unparsed", AS_GIVEN)
    yield _mean("changed/again", "changed", AGAIN)
    if pairs:
        yield _mean("ties", "tie", AS_GIVEN)
        yield _mean("changed/swapped", "changed", SWAPPED)
        yield _mean("order", "excess", SWAPPED, condition=BEYOND)
        yield _mean("first", "first", SWAPPED)
    for name in shown:
        yield _mean(f"toward/{name}", "toward", name)
    for name in params.keeping:
        yield _mean(f"excess/{name}", "excess", name, condition=BEYOND)
    for name in params.changing:
        yield _mean(f"noticed/{name}", "noticed", name)
        yield _mean(f"beyond/{name}", "noticed_excess", name, condition=BEYOND)


def _beside_people(params: JudgeParams, inputs: Inputs, *, pairs: bool) -> Iterator[EstimateSpec]:
    """Numbers that are held against people's verdicts."""
    for policy in POLICIES:
        if pairs or policy not in ("both dropped", "tie is first"):
            yield EstimateSpec(f"kappa/{policy}", "kappa@1", {POLICY: policy})
    named = {POLICY: next(iter(POLICIES))}
    yield EstimateSpec("skill", "over_constant@1", named)
    yield EstimateSpec("constant", "commonest_label@1", named)
    yield EstimateSpec("agreement", "mean(agreement)@1", named)
    for column, counts in inputs.data.columns.items():
        for value, n in counts.items():
            if column.startswith("a_") and n >= _FEWEST and '"' not in value:
                name = f"{column.removeprefix('a_')} = {value}"
                where = f'{column} = "{value}"'
                yield EstimateSpec(
                    f"agreement/{name}", "mean(agreement)@1", named, group=name, where=where
                )
    whole = {ASKED: AS_GIVEN}
    needed = f"labels_needed({params.half_width:g})@1"
    for metric in ("corrected@1", "human_mean@1", "rogan_gladen@1", needed):
        yield EstimateSpec(metric.partition("@")[0], metric, whole)
    if pairs:
        yield EstimateSpec("length", "length_lean@1", whole)
        if params.own:
            yield EstimateSpec("own", "own_lean@1", whole)


def _claims(
    params: JudgeParams, shown: list[str], inputs: Inputs, *, pairs: bool, people: bool
) -> Iterator[Claim]:
    """Skill beyond a constant, the noise floor, each bias, and what has to be noticed."""
    if people:
        yield Claim(
            id="skill",
            says="it agrees with people more than the best constant verdict would",
            components=(
                Component("agreement", inputs.data.chance),
                Component("skill", 0.0, "the best constant of the same items"),
            ),
            checks=_CHECKS,
            needs_control=False,
            is_headline=True,
            no_skill="always giving the commonest verdict of people",
        )
    yield Claim(
        id="noise",
        says="its verdicts change when the same is asked again",
        components=(Component("changed/again", 0.0),),
        checks=_CHECKS,
        needs_control=False,
        risk=Risk("noise floor", params.noise, "{} % of verdicts vary"),
    )
    if pairs:
        yield _bias("order", "the order of the answers changes its verdicts", params)
        yield _bias("first", "it favors the first answer", params)
    for name in shown:
        says = f"it favors an answer that is shown otherwise ({name})"
        yield _bias(f"toward/{name}", says, params)
    for name in params.keeping:
        says = f"{name}, which keeps the meaning, changes its verdicts"
        yield _bias(f"excess/{name}", says, params)
    if pairs and people:
        says = "it errs toward the longer answer more than toward the shorter one"
        yield _bias("length", says, params)
        if params.own:
            says = "it errs toward its own answers more than toward others"
            yield _bias("own", says, params)
    for name in params.changing:
        yield Claim(
            id=f"notices/{name}",
            says=f"it notices that {name} changes the meaning of the better answer",
            components=(Component(f"beyond/{name}", 0.0),),
            family="what a judge has to notice",
            checks=_CHECKS,
            needs_control=False,
        )


#: What each bias is called on the page.
_NAMES: Final = {
    "order": "order of the answers",
    "first": "first answer favored",
    "length": "longer answer favored",
    "own": "own answers favored",
}


def _bias(estimate: str, says: str, params: JudgeParams) -> Claim:
    """Claim that a bias is there: a risk, of which half of what is tolerable counts for none."""
    kind, _, name = estimate.partition("/")
    shown = {LONGER: "padded answer favored", **{one: f"{one} favored" for one in params.formats}}
    what = _NAMES.get(estimate) or shown.get(name, name)
    return Claim(
        id=f"bias/{name or kind}",
        says=says,
        components=(Component(estimate, 0.0),),
        level=_LEVEL,
        checks=_CHECKS,
        needs_control=False,
        risk=Risk(what, params.tolerance, "{} points", negligible=params.tolerance / 2),
    )
