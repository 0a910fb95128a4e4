"""Claims of the designs and of the plan, with the full names of the numbers they are about."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scrutiny.core.answers.answer import label_in
from scrutiny.core.claim import Claim
from scrutiny.core.columns.item_columns import scored_originals
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.example import Example
from scrutiny.core.languages import may_be
from scrutiny.data.dataset import Dataset
from scrutiny.run.planning.design_numbers import PlacedDesign, other_side, places
from scrutiny.run.planning.presuppositions import gates_on_record, refusal_of_claims
from scrutiny.run.planning.resolved import Resolved


def plan_claims(
    claims: Sequence[Claim],
    *,
    full: Sequence[str],
    own: Mapping[str, Sequence[tuple[str, str]]],
) -> list[Claim]:
    """Claims whose components have full names of estimates.

    Parameters
    ----------
    claims
        As the plan has them: an estimate, of a component or of a skill that is presupposed, is
        named in full, by the end of its full name where that is unique, or by an estimate of the
        plan's own.
    full
        Full names of all estimates of the run.
    own
        Full name and dataset of each, by the plan's own identifier; a claim on several datasets
        has to hold on each.

    Raises
    ------
    PlanError
        For a name that is unknown (near ones are given) or means several estimates.
    """

    def named(claim: Claim, name: str) -> Sequence[tuple[str, str]]:
        """Full names of what a claim calls so, each with its dataset where there are several."""
        if name in own:
            return own[name] if len(own[name]) > 1 else [(own[name][0][0], "")]
        ending = [one for one in full if one == name]
        ending = ending or [one for one in full if one.endswith(f"/{name}")]
        if len(ending) == 1:
            return [(ending[0], "")]
        if ending:
            raise PlanError(
                f"claim {claim.id!r}: {name!r} means several estimates: {', '.join(ending[:8])}. "
                "Name one of them in full, or claim something of each."
            )
        parts = [one.split("/") for one in full]
        short = {"/".join(part[at:]) for part in parts for at in range(len(part))}
        unknown = UnknownNameError("estimate", name, [*own, *short])
        raise PlanError(f"claim {claim.id!r}: {unknown}")

    return [
        replace(
            claim,
            components=tuple(
                replace(c, estimate=one, against=f"dataset {of}: {c.against}" if of else c.against)
                for c in claim.components
                for one, of in named(claim, c.estimate)
            ),
            competence=tuple(
                (one, least) for name, least in claim.competence for one, _ in named(claim, name)
            ),
        )
        for claim in claims
    ]


def design_claims(resolved: Resolved) -> Iterator[Claim]:
    """Claims of every design, and those beyond one dataset, with full names.

    Nothing is claimed of control and null families: they are there to be compared with.
    """
    by_dataset: dict[tuple[str, str], list[tuple[str, Claim]]] = {}
    everywhere = list(places(resolved))
    without_skill: dict[tuple[str, str], str] = {}
    for place in everywhere:
        if place.family.role != "measured":
            continue
        of = place.measure, place.dataset
        if of not in without_skill:
            scored = _level_items(resolved, *of)
            without_skill[of] = resolved.tasks[place.dataset].without_skill(scored)
        for claim in place.design.claims:
            named = _named(claim, place, everywhere)
            # a skill with a colon is shown by another diagnostic, on its own data
            is_own = bool(claim.competence) and not any(":" in n for n, _ in claim.competence)
            if claim.is_headline or is_own:
                named = replace(named, no_skill=without_skill[of])
            against = [c.limit for c in claim.components if c.against == "reference"]
            needs_all = any(
                limit >= 1.0 for limit in [*against, *(least for _, least in claim.competence)]
            )
            if needs_all and not named.refused:
                examples = _level_items(resolved, *of)
                named = replace(
                    named, refused=_one_class(resolved.datasets[place.dataset], examples)
                )
            yield named
            across = place.prefix.removesuffix(f"{place.dataset}/")
            by_dataset.setdefault((across, claim.id), []).append((place.dataset, named))
    for (prefix, name), members in by_dataset.items():
        # a risk is decided on each: `over_datasets` says where it is alike
        if len(members) > 1 and members[0][1].risk is None:
            yield _on_every_dataset(prefix + name, members)


def _level_items(resolved: Resolved, measure: str, dataset: str) -> Sequence[Example]:
    """Items of a measurement whose score is compared with that of no skill."""
    return scored_originals(resolved.measurements[measure].examples[dataset])


def _named(claim: Claim, place: PlacedDesign, everywhere: Sequence[PlacedDesign]) -> Claim:
    """Claim with full names instead of the design's own."""
    return replace(
        claim,
        id=place.prefix + claim.id,
        diagnostic=claim.diagnostic or place.kind.partition("@")[0],
        components=tuple(replace(c, estimate=place.prefix + c.estimate) for c in claim.components),
        family=place.prefix + claim.family if claim.family else "",
        gates=gates_on_record(place.family, place.within, claim.gates),
        refused=_refused(claim, place, everywhere) if claim.gates else claim.refused,
        competence=tuple(
            (_skill(name, place, everywhere), chance) for name, chance in claim.competence
        ),
        coverage=tuple(place.prefix + name for name in claim.coverage),
    )


def _one_class(dataset: Dataset, examples: Sequence[Example]) -> str:
    """Reason why no skill can be shown on items of a single class; empty otherwise."""
    golds = set(filter(None, (label_in(example.gold) for example in examples)))
    if len(golds) != 1:
        return ""
    left_out = f" ({len(dataset.bad_rows):,} rows were left out)" if dataset.bad_rows else ""
    what = "originals in" if dataset.is_suite else "gold labels of"
    more = "add originals with another label" if dataset.is_suite else "give data with two classes"
    return (
        f"all {what} {dataset.name} are {golds.pop()!r}{left_out}, so a model that "
        f"always answers so gets everything right, and no score shows skill: {more}"
    )


def _refused(claim: Claim, place: PlacedDesign, everywhere: Sequence[PlacedDesign]) -> str:
    """Reason to refuse a claim: the checkpoint of its family, or of one it is compared with."""
    said = [refusal_of_claims(place.family, place.within, claim.gates)]
    components = {component.estimate for component in claim.components}
    others = {spec.minus: spec for spec in place.design.contrasts if spec.id in components}
    for spec in others.values():
        other = other_side(place, spec, everywhere)
        if other is not None and other.family is not place.family:
            why = refusal_of_claims(other.family, other.within, claim.gates)
            said.append(why and f"{other.family.name}: {why}")
    return "; ".join(filter(None, said))


def _skill(name: str, place: PlacedDesign, everywhere: Sequence[PlacedDesign]) -> str:
    """Full name of an estimate that shows skill: the design's own, or another's in its language."""
    diagnostic, colon, own = name.partition(":")
    if not colon:
        return place.prefix + name
    for other in everywhere:
        is_same = other.family.name == place.family.name and other.within == place.within
        is_read = may_be(other.languages, place.languages)
        if is_same and is_read and other.kind.partition("@")[0] == diagnostic:
            if any(spec.id == own for spec in other.design.estimates):
                return other.prefix + own
    return name  # nobody computes it, which the gate says


def _on_every_dataset(name: str, members: list[tuple[str, Claim]]) -> Claim:
    """Claim that holds on every dataset, and presupposes skill on each."""
    first = members[0][1]
    components = tuple(
        replace(c, against=f"dataset {dataset}: {c.against}")
        for dataset, claim in members
        for c in claim.components
    )
    return replace(
        first,
        id=name,
        components=components,
        family=f"{first.family}/across" if first.family else "",
        is_headline=False,  # the scores of each stand there
        competence=tuple(pair for _, claim in members for pair in claim.competence),
    )
