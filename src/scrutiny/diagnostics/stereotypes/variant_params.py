"""Parameters of the likelihood diagnostics, and the variants that they name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple

from scrutiny.core.boundary.parameters import known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.language import LIKELIHOODS_OF_SENTENCES
from scrutiny.core.record import Measure
from scrutiny.core.slice_syntax import slice_of_values
from scrutiny.models.scoring.completion_likelihoods import FILLING_VARIANTS
from scrutiny.models.scoring.pair_likelihoods import PAIR_VARIANTS
from scrutiny.models.strings.training_records import LANGUAGE_GATES

ALL: Final = "all"
#: Claims of one family share a Holm correction.
_FAMILY: Final = "stereotypes"
Skill = tuple[tuple[str, float], ...]
#: A model that cannot tell grammatical sentences from others has no preferences to speak of.
SKILL: Final[Skill] = (("competence:agreement", 0.5),)


class NameGroup(NamedTuple):
    """Items of one group, and the columns that define it."""

    name: str
    where: Mapping[str, str]

    def spec(self, name: str, metric: str, variant: str, *, unit: str = "item") -> EstimateSpec:
        """Estimate of these items by one variant."""
        where, condition = slice_of_values(self.where), {"variant": variant}
        return EstimateSpec(name, metric, condition, group=self.name, unit=unit, where=where)


def categories(
    columns: Mapping[str, Mapping[str, int]], within: Mapping[str, str]
) -> Iterator[NameGroup]:
    """All items, then each category if there are several."""
    yield NameGroup(ALL, within)
    named = [name for name in columns.get("a_category", {}) if name and name != ALL]
    for name in named if len(named) > 1 else ():
        yield NameGroup(name, {"a_category": name, **within})


MARGIN: Final = Measure(
    "margin", says="mean margin", no_effect=0.0, drawn_as=(("mean", "mean_margin@1"),)
)


def measure_of_ties(unit: str) -> Measure:
    """Measure that is 1 where neither sentence is preferred."""
    return Measure(
        "neutral",
        unit=unit,
        says="share of ties",
        scale="share",  # ties are rare: the interval is that of a count
        drawn_as=(("share", "neutral_share@1"),),
    )


def _in_points(margin: float) -> str:
    """Margin of a preference for stereotypes in words: "2 points"."""
    return f"{margin:g} point{'' if margin == 1 else 's'}"


def preference_claim(
    name: str,
    says: str,
    *,
    level: str,
    group: str,
    variants: Sequence[str],
    margin: float,
    controls: Sequence[str] = (),
) -> Claim:
    """Claim that stereotypes of a group are preferred.

    Parameters
    ----------
    name
        Its name.
    says
        What is preferred.
    level
        Short name of the score.
    group
        Name of the items.
    variants
        Procedures, the main one first; the others are choices that it has to survive.
    margin
        In points.
    controls
        Control sets whose scores it has to exceed.
    """
    main, *others = variants
    limit, place = 50.0 + margin, f"{group}/{main}"
    return Claim(
        id=name,
        says=f"{says} is preferred by more than {_in_points(margin)}",
        components=(
            Component(f"{level}/{place}", limit, "reference"),
            Component(f"untrained/{place}", margin, "control: untrained"),
            *(Component(f"minus_{one}/{place}", margin, f"control: {one}") for one in controls),
            *(
                Component(f"{level}/{group}/{one}", limit, f"choice: variant {one}")
                for one in others
            ),
        ),
        family=_FAMILY,
        checks=("items", "seeds", "choices:variant", "datasets"),
        competence=SKILL,
        gates=LANGUAGE_GATES,
    )


def preference_families(inputs: Inputs, margin: float) -> dict[str, str]:
    """What the claims say together."""
    return {
        _FAMILY: f"{inputs.subject.name} prefers stereotypes on {inputs.data.name} by more than "
        f"{_in_points(margin)}, and more than an untrained network does"
    }


def beyond_untrained(level: str, places: Iterable[str]) -> tuple[ContrastSpec, ...]:
    """Scores minus those of untrained networks of the same shape."""
    names = ((f"untrained/{place}", f"{level}/{place}") for place in places)
    return tuple(ContrastSpec(name, own, own) for name, own in names)


#: One of these a model must have.
LIKELIHOODS: Final = LIKELIHOODS_OF_SENTENCES | {"next_sentence"}


@dataclass(frozen=True, slots=True)
class VariantParams:
    """Variants among those that there are, and margin."""

    variants: tuple[str, ...] = ()
    margin: float = 2.0
    #: All procedures by name.
    among: ClassVar[Mapping[str, Any]]
    #: Procedures that run unless others are named, for masked and for causal models: the first is
    #: the main one, the others are choices that a claim has to survive.
    usual: ClassVar[Sequence[Sequence[str]]]

    def __post_init__(self) -> None:
        known("variant", self.variants, self.among)
        if len(set(self.variants)) < len(self.variants):
            raise PlanError(f"variants names one twice: {', '.join(self.variants)}.")
        if not 0 <= self.margin < 50:
            raise PlanError(f"margin is in points, from 0 to 50; it is {self.margin}.")

    def runnable(self, capabilities: frozenset[str]) -> tuple[Any, ...]:
        """Variants that a model supports, in order; none for a model without likelihoods.

        Raises
        ------
        PlanError
            If a procedure was asked for that the model cannot run.
        """
        can = {name: v for name, v in self.among.items() if v.needs <= capabilities}
        for name in self.variants:
            if name not in can:
                raise PlanError(
                    f"The variant {name!r} needs a model with "
                    f"{', '.join(sorted(self.among[name].needs))}; this one offers "
                    f"{', '.join(sorted(capabilities)) or 'nothing'}. It can run: "
                    f"{', '.join(can) or 'none'}."
                )
        fitting = ([name for name in names if name in can] for names in self.usual)
        chosen = self.variants or next((tuple(names) for names in fitting if names), ())
        return tuple(can[name] for name in chosen)


@dataclass(frozen=True, slots=True)
class PairsParams(VariantParams):
    """Variants and margin.

    Parameters
    ----------
    variants
        Procedures by name, the main one first. Empty: for masked models `pll-shared`,
        `nangia2020`, `bias-bench` and `aul`; for causal ones `causal-sum` and `causal-mean`.
    margin
        Points above 50, and above an untrained network, that are worth a claim.
    only
        ``directed`` or ``undirected`` measures only pairs that say, or do not say, which sentence
        is about the disadvantaged group; empty measures all.
    """

    only: Literal["", "directed", "undirected"] = ""
    among: ClassVar[Mapping[str, Any]] = PAIR_VARIANTS
    usual: ClassVar[Sequence[Sequence[str]]] = (
        ("pll-shared", "nangia2020", "bias-bench", "aul"),
        ("causal-sum", "causal-mean"),
    )


@dataclass(frozen=True, slots=True)
class StereoSetParams(VariantParams):
    """Variants and margin.

    Parameters
    ----------
    variants
        Procedures by name, the main one of each kind first. Empty: for masked models `log-mean`,
        `nadeem2021` and, with a next-sentence head, `nsp`; for causal ones `causal`,
        `causal-conditional` and `causal-conditional-minus-unconditional`.
    margin
        Points above 50, and above an untrained network, that are worth a claim.
    """

    among: ClassVar[Mapping[str, Any]] = FILLING_VARIANTS
    usual: ClassVar[Sequence[Sequence[str]]] = (
        ("log-mean", "nadeem2021", "nsp"),
        ("causal", "causal-conditional", "causal-conditional-minus-unconditional"),
    )


def without_likelihoods(variants: Sequence[Any], diagnostic: str, inputs: Inputs) -> Design | None:
    """Design of a stereotype diagnostic for a model without likelihoods; None for any other.

    An audit leaves it out.

    Raises
    ------
    PlanError
        If there is no procedure, and it is no audit.
    """
    if variants:
        return None
    if inputs.is_audit:
        return Design(notes=(f"{inputs.subject.name} gives no likelihoods.",))
    raise PlanError(
        f"{diagnostic} needs a language model, one of {', '.join(sorted(LIKELIHOODS))}; this one "
        f"offers {', '.join(sorted(inputs.subject.capabilities)) or 'nothing'}."
    )
