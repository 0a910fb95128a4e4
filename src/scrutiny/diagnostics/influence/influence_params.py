"""What is asked of the influence of training examples: parameters, metrics, estimates, claims."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from scrutiny.core.boundary.parameters import above_zero, at_least, one_of, shares
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.statistic import Chance
from scrutiny.reliability.row_statistics import Additive
from scrutiny.stats.influence.influences import LISSA_2020, METHODS, Method

Sign = Literal["helpful", "koh-liang"]
#: How training examples are removed, by their influence on a decision.
REMOVED: Final = ("helpful", "harmful", "least")
SAMPLE, MISLABELED, ARTIFACT = "another sample", "mislabeled", "artifact"
#: Whether the head is right, on all items; and how near its influences are to plain gradients.
HEAD, GRADIENTS = "head", "gradients"
#: Whether the head answers as the model does.
MODEL: Final = "model"
#: Begin of an artifact that is a word of the texts.
WORD: Final = "word:"


@dataclass(frozen=True, slots=True)
class InfluenceParams:
    """Parameters of the influence of training examples.

    Parameters
    ----------
    method
        ``exact``, ``cg``, ``lissa``, ``lissa-2020`` (with the settings of Han et al.), ``gradient``
        or ``tracin``.
    sign
        Of the influences that are kept: positive is ``helpful``, or ``koh-liang`` for the opposite
        sign, as their paper has it. What is removed as helpful is the same.
    strength
        Inverse of the L2 penalty over all rows, scikit-learn's ``C``.
    train
        Most training examples, drawn at random; each draw takes 80 % of them.
    decisions
        Most items whose decision is looked at, drawn at random.
    share
        Of the training examples, how many are removed together.
    draws
        Samples of the training examples: the seeds of a head that has one optimum; replicates of a
        family have samples of their own.
    top
        How many influential examples of a decision are searched for the artifact.
    flipped
        Share of the training labels that are made wrong, to be found again.
    artifact
        Attribute of items ("overlap", "negated"), or ``word:`` and a word; empty for none: of items
        with two texts, their overlap.

    Raises
    ------
    PlanError
        For a name that is not there or a number out of range.
    """

    method: Method = "exact"
    sign: Sign = "helpful"
    strength: float = 1.0
    train: int = 1000
    decisions: int = 30
    share: float = 0.1
    draws: int = 3
    top: int = 20
    flipped: float = 0.1
    artifact: str = ""

    def __post_init__(self) -> None:
        one_of(self, method=METHODS, sign=get_args(Sign))
        above_zero(self, "strength")
        at_least(self, train=20, decisions=1, draws=1, top=1)
        shares(self, "share", "flipped", zero=False)


def _mean(name: str, says: str, measure: str, chance: str, low: float) -> Additive:
    """Mean of a measure, whose chance level is that of the control."""
    return Additive(
        name,
        says,
        (measure,),
        row_range=None if low < 0 else (low, 1.0),
        no_effect=0.0,
        is_mean=True,
        chance=Chance(chance),
    )


REMOVAL_DROP: Final = _mean(
    "removal_drop@1",
    "confidence lost by training without influential examples",
    "drop",
    "as many at random",
    -1.0,
)
INFLUENCE_RANK: Final = _mean(
    "influence_rank@1",
    "rank correlation of influences with those from another training sample",
    "rank",
    "labels at random",
    -1.0,
)
AMONG_INFLUENTIAL: Final = _mean(
    "among_influential@1",
    "the artifact among the most influential examples",
    "present",
    "random examples of the same labels",
    0.0,
)


def design_of(params: InfluenceParams, inputs: Inputs) -> Design:
    """Estimates and claims of one family on one dataset."""
    draws = params.draws
    specs = [
        EstimateSpec(f"{kind}/{name}", metric, {"check": name}, role=role, draws=draws)
        for name in REMOVED
        for kind, metric, role in (
            ("drop", "removal_drop@1", "measured"),
            ("random", "removal_drop@1", "control"),
            ("beyond", "beyond(removal_drop)@1", "measured"),
        )
    ]
    specs.append(EstimateSpec("mislabeled", "mean(placed)@1", {"check": MISLABELED}, draws=draws))
    specs += [
        EstimateSpec("head", "mean(right)@1", {"check": HEAD}, draws=draws),
        EstimateSpec("same answer", "mean(same)@1", {"check": MODEL}, draws=draws),
        EstimateSpec("like gradients", "mean(gradient)@1", {"check": GRADIENTS}, draws=draws),
    ]

    def in_each_sample(
        name: str, metric: str, check: str, against: str, limit: float = 0.0
    ) -> tuple[Component, ...]:
        """The mean of all training samples, and each of them: a choice that must not matter."""
        found = [Component(name, limit, against)]
        for draw in range(draws if draws > 1 else 0):
            specs.append(EstimateSpec(f"{name}/{draw}", metric, {"check": check, "draw": draw}))
            choice = f"choice: training sample {draw + 1}, {against}"
            found.append(Component(f"{name}/{draw}", limit, choice))
        return tuple(found)

    checks = Claim.checks_with(**{"training sample": range(draws)})
    claims = [
        Claim(
            id="removal",
            says="training without the examples that it names as helpful lowers confidence more "
            "than training without as many at random",
            components=in_each_sample(
                "beyond/helpful",
                "beyond(removal_drop)@1",
                "helpful",
                "control: random examples",
            ),
            family="influence",
            checks=checks,
            competence=(("head", inputs.data.chance),),
        ),
        Claim(
            id="mislabeled",
            says="wrong training labels have more influence on themselves than right ones",
            components=in_each_sample("mislabeled", "mean(placed)@1", MISLABELED, "reference", 0.5),
            family="influence",
            checks=checks,
            competence=(("head", inputs.data.chance),),
            needs_control=False,
        ),
    ]
    if params.draws > 1:
        sample = {"check": SAMPLE}
        specs += [
            EstimateSpec("rank", "influence_rank@1", sample, draws=draws),
            EstimateSpec("beyond/rank", "beyond(influence_rank)@1", sample, draws=draws),
        ]
        claims.append(
            Claim(
                id="sample",
                says="the same training examples are influential in another training sample",
                components=in_each_sample(
                    "beyond/rank",
                    "beyond(influence_rank)@1",
                    SAMPLE,
                    "control: labels at random",
                ),
                family="influence",
                checks=checks,
                competence=(("head", inputs.data.chance),),
            )
        )
    if artifact := artifact_of(params, inputs.data.fields):
        found = {"check": ARTIFACT}
        specs += [
            EstimateSpec("artifact", "among_influential@1", found, draws=draws),
            EstimateSpec("beyond/artifact", "beyond(among_influential)@1", found, draws=draws),
        ]
        claims.append(
            Claim(
                id="artifact",
                says=f"{artifact} is more frequent among influential training examples than among "
                "random ones of the same labels",
                components=in_each_sample(
                    "beyond/artifact",
                    "beyond(among_influential)@1",
                    ARTIFACT,
                    "control: random examples",
                ),
                family="influence",
                checks=checks,
                competence=(("head", inputs.data.chance),),
            )
        )
    conditions = tuple(
        {"check": check, "draw": draw}
        for check in dict.fromkeys(str(s.condition["check"]) for s in specs)
        for draw in range(params.draws)
    )
    return Design(
        conditions=conditions,
        estimates=tuple(specs),
        claims=tuple(claims),
        notes=tuple(_notes(params)),
        families={"influence": "tests show that the training examples that it names matter"},
    )


def _notes(params: InfluenceParams) -> Iterator[str]:
    """How it was measured."""
    yield (
        "A logistic head was fitted to features of training examples; all is of this head: "
        f"{params.draws} times on 80 % of at most {params.train:,} examples, then without "
        f"{100 * params.share:g} % of these. Intervals are over decisions; a claim has to hold in "
        "each of these samples."
    )
    yield (
        f"Influence by the method {params.method} on the loss of the label decided for; positive "
        f"is {'helpful' if params.sign == 'helpful' else 'harmful (the sign of Koh & Liang)'}."
    )
    if params.method == "lissa-2020":
        yield (
            f"These settings damp by {LISSA_2020.effective:g}: read how much is left beside "
            "products of gradients (like gradients)."
        )


def artifact_of(params: InfluenceParams, fields: tuple[str, ...]) -> str:
    """Artifact that is searched for; empty for none."""
    return params.artifact or ("overlap" if len(fields) == 2 else "")
