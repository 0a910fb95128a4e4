"""Numbers for every ordered pair of models, as matrices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.grouping import grouped
from scrutiny.core.plugin import unversioned
from scrutiny.parts.run.estimates import main_estimates
from scrutiny.parts.run.identity import identity
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import estimate_words

#: Fewer models have a number or two, which stand in their rows.
FEWEST: Final = 3
_ROLES: Final = ("measured", "control", "baseline")
_OF_ONE_PAIR: Final = ("subject", "reference")
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Series:
    """One number of every ordered pair of models.

    Parameters
    ----------
    key
        What all have in common; subject and reference are empty.
    models
        In the order of the plan.
    cells
        By reference and subject; the diagonal may be there or not.
    label
        Name among the series of its diagnostic and dataset.
    """

    key: EstimateKey
    models: tuple[str, ...]
    cells: Mapping[Pair, Estimate] = field(repr=False)
    label: str = ""

    @property
    def values(self) -> dict[Pair, float]:
        """Values of the pairs that have one."""
        return {pair: e.value for pair, e in self.cells.items() if e.value is not None}

    @property
    def is_of_pairs(self) -> bool:
        """Whether it depends on both models, and not on one of them alone."""
        apart = {pair: v for pair, v in self.values.items() if pair[0] != pair[1]}
        for side in (0, 1):
            lines = grouped((pair[side], value) for pair, value in apart.items()).values()
            if all(len(set(line)) == 1 for line in lines):
                return False
        return True

    @property
    def is_whole(self) -> bool:
        """Whether every ordered pair of different models has a value."""
        found = self.values
        return all((a, b) in found for a in self.models for b in self.models if a != b)


def series_of(view: RunView) -> dict[str, list[Series]]:
    """Series of each diagnostic and dataset, each metric's first condition first."""
    usable = [
        e
        for e in main_estimates(view)
        if e.key.reference and e.key.replicate is None and e.key.role in _ROLES
    ]
    found = [
        one
        for members in grouped((identity(e.key, without=_OF_ONE_PAIR), e) for e in usable).values()
        if (one := _series(members)) is not None and one.is_of_pairs
    ]
    places = grouped((f"{s.key.diagnostic} {s.key.dataset} {' '.join(s.models)}", s) for s in found)
    ordered = {place: _ordered(members) for place, members in places.items()}
    return {
        place: [replace(one, label=_label(one, members)) for one in members]
        for place, members in ordered.items()
    }


def _series(members: Sequence[Estimate]) -> Series | None:
    """Series of the estimates that differ only in their models; `None` unless complete."""
    cells = {(str(e.key.reference), e.key.subject): e for e in members}
    subjects = {subject for _, subject in cells}
    models = tuple(dict.fromkeys(reference for reference, _ in cells if reference in subjects))
    pairs = [(a, b) for a in models for b in models if a != b]
    if len(models) < FEWEST or any(pair not in cells for pair in pairs):
        return None
    key = replace(members[0].key, subject="", reference=None)
    return Series(key, models, {p: e for p, e in cells.items() if set(p) <= set(models)})


def _ordered(members: Sequence[Series]) -> list[Series]:
    """Measured numbers before controls, and every metric once before any is repeated."""
    by_metric = grouped((f"{s.key.role} {s.key.metric}", s) for s in members)
    ranked = [
        (_ROLES.index(one.key.role), place, number, one)
        for number, group in enumerate(by_metric.values())
        for place, one in enumerate(group)
    ]
    ranked.sort(key=lambda r: (r[1] > 0, r[0], r[1], r[2]))
    return [one for *_, one in ranked]


def _label(one: Series, members: Sequence[Series]) -> str:
    """Metric, role if it is not the usual one, and conditions that differ from the neighbors'."""
    same = [s.key for s in members if s.key.metric == one.key.metric]
    apart = [
        name
        for name in dict.fromkeys(name for key in same for name in key.condition)
        if len({repr(key.condition.get(name)) for key in same}) > 1
    ]
    said = [_said(name, one.key.condition[name]) for name in apart if name in one.key.condition]
    if one.key.role == "control":
        said.append("control")
    if len({key.group for key in same}) > 1:
        said.append(one.key.group)
    return " \N{MIDDLE DOT} ".join([estimate_words(one.key), *said])


def _said(name: str, value: object) -> str:
    """Value of a condition; a number is shown with its name."""
    return unversioned(value) if isinstance(value, str) else f"{name} {value}"
