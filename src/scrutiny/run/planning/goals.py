"""Goals of trainings: contrasts of models that their competence records rule out.

Families may have been trained to show what one difference does: more layers, a teacher. Their
records say which contrasts presuppose that a goal was reached, and whether it was. Where it was
missed, a contrast would show how much each has learned, and not what the difference does. What was
fine-tuned from a checkpoint has that checkpoint's goals.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from scrutiny.core.claim import Claim
from scrutiny.core.model import Family
from scrutiny.models.strings.competence import Goal, read_competence
from scrutiny.models.strings.lineage import checkpoint_folder, trained_from
from scrutiny.run.planning.assignment import PlannedContrast


class _Trained(NamedTuple):
    """Family that a checkpoint was trained as, and the goals of that training."""

    family: str = ""
    goals: tuple[Goal, ...] = ()


def refused_on_goals(
    claims: Iterable[Claim], contrasts: Iterable[PlannedContrast], families: Mapping[str, Family]
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
    return [_judged(claim, missed) for claim in claims]


def _judged(claim: Claim, missed: Mapping[str, str]) -> Claim:
    told = dict.fromkeys(missed.get(component.estimate, "") for component in claim.components)
    why = "; ".join(filter(None, told))
    return replace(claim, refused=why) if why and not claim.refused else claim


def _missed(contrast: PlannedContrast, families: Mapping[str, Family]) -> Iterator[str]:
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
    folder = checkpoint_folder(source)
    record = None if folder is None else read_competence(folder)
    if record is not None and "family" in record:
        return _Trained(record["family"], Goal.all_in(record))
    base = trained_from(source)
    return _Trained() if base is None else _trained(base)
