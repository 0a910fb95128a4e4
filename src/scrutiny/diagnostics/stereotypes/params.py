"""Parameters of the likelihood diagnostics, and the variants that they name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeVar

from scrutiny.core.errors import PlanError
from scrutiny.core.limits import known
from scrutiny.models.scoring import FILLING_VARIANTS, PAIR_VARIANTS

ALL: Final = "all"
#: Claims of one family share a Holm correction.
FAMILY: Final = "stereotypes"
CHECKS: Final = ("items", "seeds", "choices:variant", "datasets")
Skill = tuple[tuple[str, float], ...]
#: A model that cannot tell grammatical sentences from others has no preferences to speak of.
SKILL: Final[Skill] = (("competence:agreement", 0.5),)
#: What a model needs for that test.
LIKELIHOODS_OF_SENTENCES: Final = frozenset({"masked_logprobs", "token_logprobs"})


class NameGroup(NamedTuple):
    """Items of one group, and the columns that define it."""

    name: str
    where: Mapping[str, str]

    def words(self, noun: str) -> str:
        """The group in a sentence: "all pairs", "age pairs"."""
        return f"{self.name} {noun}"


def categories(
    columns: Mapping[str, Mapping[str, int]], within: Mapping[str, str]
) -> Iterator[NameGroup]:
    """All items, then each category if there are several."""
    yield NameGroup(ALL, within)
    named = [name for name in columns.get("a_category", {}) if name and name != ALL]
    for name in named if len(named) > 1 else ():
        yield NameGroup(name, {"a_category": name, **within})


def points(margin: float) -> str:
    """Margin in words."""
    return f"{margin:g} point{'' if margin == 1 else 's'}"


#: Procedures that run unless others are named: the first is the main one, the others are choices
#: that a claim has to survive. Masked and causal models have different ones.
PAIR_DEFAULTS: Final = (
    ("pll-shared", "nangia2020", "bias-bench", "aul"),
    ("causal-sum", "causal-mean"),
)
FILLING_DEFAULTS: Final = (
    ("log-mean", "nadeem2021", "nsp"),
    ("causal", "causal-conditional", "causal-conditional-minus-unconditional"),
)
#: One of these a model must have.
LIKELIHOODS: Final = frozenset({"masked_logprobs", "token_logprobs", "next_sentence"})

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class PairsParams:
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

    variants: tuple[str, ...] = ()
    margin: float = 2.0
    only: Literal["", "directed", "undirected"] = ""

    def __post_init__(self) -> None:
        _check(self, PAIR_VARIANTS)


@dataclass(frozen=True, slots=True)
class StereoSetParams:
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

    variants: tuple[str, ...] = ()
    margin: float = 2.0

    def __post_init__(self) -> None:
        _check(self, FILLING_VARIANTS)


def _check(params: PairsParams | StereoSetParams, among: Mapping[str, Any]) -> None:
    """Refuse unknown or repeated variants, and a margin out of range."""
    known("variant", params.variants, among)
    if len(set(params.variants)) < len(params.variants):
        raise PlanError(f"variants names one twice: {', '.join(params.variants)}.")
    if not 0 <= params.margin < 50:
        raise PlanError(f"margin is in points, from 0 to 50; it is {params.margin}.")


def runnable(
    asked: Sequence[str],
    known: Mapping[str, V],
    defaults: Sequence[Sequence[str]],
    capabilities: frozenset[str],
) -> tuple[V, ...]:
    """Variants that a model supports, in order; none for a model without likelihoods.

    Parameters
    ----------
    asked
        Names in the plan; empty for the first of ``defaults`` of which the model can run any.
    known
        All procedures by name.
    defaults
        Names for masked, and for causal models.
    capabilities
        Of the model.

    Raises
    ------
    PlanError
        If a procedure was asked for that the model cannot run.
    """
    can = {name: v for name, v in known.items() if _needs(v) <= capabilities}
    for name in asked:
        if name not in can:
            raise PlanError(
                f"The variant {name!r} needs a model with {', '.join(sorted(_needs(known[name])))}"
                f"; this one offers {', '.join(sorted(capabilities)) or 'nothing'}. It can run: "
                f"{', '.join(can) or 'none'}."
            )
    if asked:
        return tuple(can[name] for name in asked)
    fitting = ([name for name in names if name in can] for names in defaults)
    return tuple(can[name] for name in next((names for names in fitting if names), []))


def _needs(variant: Any) -> frozenset[str]:
    needs: frozenset[str] = variant.needs
    return needs


def require_any(variants: Sequence[Any], diagnostic: str, capabilities: frozenset[str]) -> None:
    """Refuse a model that supports no variant.

    Raises
    ------
    PlanError
        If there is no procedure.
    """
    if not variants:
        raise PlanError(
            f"{diagnostic} needs a language model, one of {', '.join(sorted(LIKELIHOODS))}; this "
            f"one offers {', '.join(sorted(capabilities)) or 'nothing'}."
        )
