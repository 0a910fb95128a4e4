"""What claims presuppose: measurements added to a plan, gates and goals on models' records.

Families may have been trained to show what one difference does: more layers, a teacher. Their
records say which contrasts presuppose that a goal was reached, and whether it was. Where it was
missed, a contrast would show how much each has learned, and not what the difference does. What was
fine-tuned from a checkpoint has that checkpoint's goals.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from scrutiny.core.claim import Claim
from scrutiny.core.languages import in_words, may_be
from scrutiny.core.model import Family
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.record import grouped
from scrutiny.core.registry import registry
from scrutiny.models.strings.adapters import checkpoint_of
from scrutiny.models.strings.model_families import expand
from scrutiny.models.strings.model_strings import UNTRAINED, parse
from scrutiny.models.strings.training_records import (
    TrainingGoal,
    checkpoint_folder,
    read_competence,
    trained_from,
)
from scrutiny.reliability.assignment import Assignment, PlacedContrast
from scrutiny.run.planning.design_numbers import PlacedDesign, places
from scrutiny.run.planning.resolved import Resolved

#: Untrained replicates where budgets are modest: in an audit, and of larger networks.
FEW_NULLS: Final = 5
#: Weights up to this size are cheap to run twenty times.
CHEAP_BYTES: Final = 32_000_000
#: Languages of data of a plan.
LanguagesOf = Callable[[DataPlan], frozenset[str]]


def with_presupposed(plan: Plan, languages_of: LanguagesOf) -> Plan:
    """Plan with the families and measurements that its diagnostics presuppose.

    A diagnostic with ``nulls`` gets an untrained family of each model it measures, unless the
    measurement has a family of that role already or says ``nulls = 0``. A diagnostic with
    ``presupposes`` brings those diagnostics, on data of their own, for the same models; where it
    measures texts in other languages than these data, it brings none, and the plan says so.

    Parameters
    ----------
    plan
        The plan.
    languages_of
        Languages of data, which are read for it.

    Raises
    ------
    UnknownNameError
        If the plan names a diagnostic that there is not.
    """
    for number, measure in enumerate(plan.measure):
        nulls = list(_null_families(plan, measure))
        known = {model.name for model in plan.models}
        names = dict.fromkeys([*measure.models, *(model.name for model in nulls)])
        plan = replace(
            plan,
            models=(*plan.models, *(model for model in nulls if model.name not in known)),
            measure=_at(plan.measure, number, replace(measure, models=tuple(names))),
        )
    for measure in plan.measure:
        for name, source in _diagnostic(measure).presupposes.items():
            plan = _with_measurement(plan, measure, name, source, languages_of=languages_of)
    return plan


def _null_families(plan: Plan, measure: MeasurePlan) -> Iterator[ModelPlan]:
    """Untrained families that a measurement requires and lacks."""
    models = {model.name: model for model in plan.models}
    measured = [models[name] for name in measure.models if name in models]
    has_own = {model.control_of for model in measured if model.role == "null"}
    for model in measured:
        # what was trained from a model that is measured here has that model's untrained ones
        has_base = model.base in measure.models
        if model.role == "measured" and not has_base and not has_own & {"", model.name}:
            first = expand(model.source, random=model.random, name=model.name, seeds=model.seeds)
            source = first.replicates[0].source
            wanted = _how_many(measure, source)
            if wanted:
                yield ModelPlan(
                    f"{model.name} untrained",
                    f"{UNTRAINED}:{source}",
                    role="null",
                    seeds=tuple(range(wanted)),
                    control_of=model.name,
                )


def _how_many(measure: MeasurePlan, source: str) -> int:
    """Number of untrained replicates of a model: stated, or cheap; 0 without a network."""
    wanted = _diagnostic(measure).nulls if measure.nulls is None else measure.nulls
    checkpoint = checkpoint_of(parse(source)) if wanted else None
    if checkpoint is None:
        return 0
    weights = Path(checkpoint.target).expanduser().glob("*.safetensors")
    is_cheap = sum(path.stat().st_size for path in weights) <= CHEAP_BYTES
    if measure.nulls is None and (measure.is_audit or not is_cheap):
        return min(wanted, FEW_NULLS)
    return wanted


def _with_measurement(
    plan: Plan, measure: MeasurePlan, name: str, source: str, *, languages_of: LanguagesOf
) -> Plan:
    """Plan in which a presupposed diagnostic measures the models of another measurement."""
    roles = {model.name: model.role for model in plan.models}
    models = [m for m in measure.models if roles.get(m, "measured") == "measured"]
    own = [m for m in plan.measure if _base(m.diagnostic) == _base(name)]
    lacking = [m for m in models if not any(m in other.models for other in own)]
    if not lacking:
        return plan
    data = next((d for d in plan.data if d.source == source), None)
    data = data or DataPlan(source.partition("#")[0], source)
    known = languages_of(data)
    spoken = {d.name: languages_of(d) for d in plan.data if d.name in measure.data}
    foreign = {d: found for d, found in spoken.items() if not may_be(known, found)}
    if foreign:
        said = _not_shown(measure, _base(name), data.name, known=known, foreign=foreign)
        plan = replace(plan, left_out=tuple(dict.fromkeys([*plan.left_out, said])))
    if foreign and len(foreign) == len(spoken):
        return plan
    added = next((m for m in own if m.data == (data.name,)), None)
    if added is not None:
        place = plan.measure.index(added)
        grown = replace(added, models=(*added.models, *lacking))
        return replace(plan, measure=_at(plan.measure, place, grown))
    new = MeasurePlan(_base(name), name, tuple(lacking), (data.name,), is_audit=measure.is_audit)
    datasets = plan.data if data in plan.data else (*plan.data, data)
    return replace(plan, data=datasets, measure=(new, *plan.measure))


def _not_shown(
    measure: MeasurePlan,
    presupposed: str,
    data: str,
    *,
    known: frozenset[str],
    foreign: Mapping[str, frozenset[str]],
) -> str:
    """Sentence about a skill that data in one language cannot show of texts in others.

    Parameters
    ----------
    measure
        What presupposes it.
    presupposed, data
        Diagnostic that would show it, and on what.
    known, foreign
        Languages of that data, and those of each dataset that is in none of them.
    """
    others = frozenset(code for found in foreign.values() for code in found)
    return (
        f"{measure.id} presupposes {presupposed}, which is measured on {data}, in "
        f"{in_words(known)}, and says nothing of {', '.join(foreign)}, in {in_words(others)}. What "
        f"{measure.id} claims there stays undecided, unless a plan measures {presupposed} on data "
        "in that language."
    )


def _at(
    measures: Sequence[MeasurePlan], place: int, measure: MeasurePlan
) -> tuple[MeasurePlan, ...]:
    """Measurements with another one inserted at an index."""
    return (*measures[:place], measure, *measures[place + 1 :])


def _diagnostic(measure: MeasurePlan) -> Any:
    return registry().load("diagnostic", measure.diagnostic)


def _base(name: str) -> str:
    return name.partition("@")[0]


def refused_where(claims: Iterable[Claim], why: Callable[[Claim], str]) -> list[Claim]:
    """Claims, those refused for which there is a reason and that are not refused already."""
    return [replace(claim, refused=claim.refused or why(claim)) for claim in claims]


def refused_on_records(
    claims: Sequence[Claim], sides: Mapping[str, Sequence[Assignment]], resolved: Resolved
) -> list[Claim]:
    """Claims of the plan itself; those on checkpoints that fail a gate are refused.

    A claim on a number presupposes the gates that the diagnostic's claims on it have, or, where
    it claims nothing of it, those that all its claims have.

    Parameters
    ----------
    claims
        With full names.
    sides
        What each number of the run is made of, by its full name.
    resolved
        The plan.
    """
    by_name = {(p.measure, p.family.name, p.dataset, str(p.within)): p for p in places(resolved)}

    def why(claim: Claim) -> str:
        numbers = [side for part in claim.components for side in sides.get(part.estimate, ())]
        names = [(one.measure, one.subject, one.dataset, str(one.within)) for one in numbers]
        said = dict.fromkeys(map(_below, numbers, [by_name[name] for name in names]))
        return "; ".join(filter(None, said))

    return refused_where(claims, why)


def _below(side: Assignment, place: PlacedDesign) -> str:
    """Reason to refuse a claim of the plan on a number; or empty."""
    claims = place.design.claims
    own = side.id.removeprefix(place.prefix)
    of_it = [c.gates for c in claims if own in {part.estimate for part in c.components}]
    every = [set(c.gates) for c in claims]
    gates = set().union(*of_it) if of_it else set.intersection(*every) if every else set()
    why = refusal_of_claims(place.family, place.within, gates)
    within = ", ".join(f"{name} {value}" for name, value in place.within.items())
    return why and f"{place.family.name}{within and f', {within}'}: {why}"


def refusal_of_claims(family: Family, within: Mapping[str, str], gates: Collection[str]) -> str:
    """Reason for a plan to refuse claims about replicates regardless of the numbers; or empty.

    Parameters
    ----------
    family
        The models.
    within
        Condition of the replicates that are meant.
    gates
        Names of the gates that a diagnostic presupposes; others may be failed.
    """
    below = grouped(
        (name, replicate.key or replicate.source)
        for replicate in family.replicates
        if replicate.condition == within
        for name, passed in _gates_of(replicate.source).items()
        if name in gates and not passed
    )
    return "; ".join(
        f"below the gate {name!r} of the competence record: {', '.join(who)}"
        for name, who in below.items()
    )


def gates_on_record(
    family: Family, within: Mapping[str, str], gates: Collection[str]
) -> tuple[str, ...]:
    """Gates that the records of all these replicates contain, in the order given."""
    records = [_gates_of(r.source) for r in family.replicates if r.condition == within]
    return tuple(name for name in gates if records and all(name in each for each in records))


@lru_cache(maxsize=256)
def _gates_of(source: str) -> Mapping[str, Any]:
    """Gates of a checkpoint's record; empty without a record."""
    return dict(_record_of(source).get("gates", {}))


def _record_of(source: str) -> Mapping[str, Any]:
    """Competence record of a checkpoint; empty without one."""
    folder = checkpoint_folder(source)
    return {} if folder is None else read_competence(folder) or {}


class _Trained(NamedTuple):
    """Family that a checkpoint was trained as, and the goals of that training."""

    family: str = ""
    goals: tuple[TrainingGoal, ...] = ()


def refused_on_goals(
    claims: Iterable[Claim], contrasts: Iterable[PlacedContrast], families: Mapping[str, Family]
) -> list[Claim]:
    """Claims; those on a contrast of models whose goal was missed are refused.

    Parameters
    ----------
    claims
        Of the run.
    contrasts
        Differences that are read as what sets two models apart.
    families
        Models by their names.
    """
    missed = {one.id: "; ".join(_missed(one, families)) for one in contrasts}

    def why(claim: Claim) -> str:
        told = dict.fromkeys(missed.get(part.estimate, "") for part in claim.components)
        return "; ".join(filter(None, told))

    return refused_where(claims, why)


def _missed(contrast: PlacedContrast, families: Mapping[str, Family]) -> Iterator[str]:
    """Reasons that the models of both sides do not differ in what they were to differ in."""
    sides = [(side.subject, side.reference) for side in (contrast.a, contrast.b)]
    pairs = {tuple(sorted(pair)) for pair in zip(*sides, strict=True) if None not in pair}
    for names in sorted(pairs):
        one, other = (_trained(families[name].replicates[0].source) for name in names)
        for goal in dict.fromkeys((*one.goals, *other.goals)):
            if goal.is_for(one.family, other.family) and not goal.is_reached:
                yield (
                    f"{' and '.join(names)} differ in how much they learned: the goal "
                    f"{goal.name!r} of their competence records is missed ({goal.found})"
                )


@lru_cache(maxsize=256)
def _trained(source: str) -> _Trained:
    """What the record of a checkpoint says of its training, or of its base's; or nothing."""
    record = _record_of(source)
    if "family" in record:
        return _Trained(record["family"], TrainingGoal.all_in(record))
    base = trained_from(source)
    return _Trained() if base is None else _trained(base)
