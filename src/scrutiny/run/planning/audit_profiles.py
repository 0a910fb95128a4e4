"""What an audit goes by: its profile of diagnostics, and tolerated losses by metric."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.plan import MeasurePlan, Plan
from scrutiny.core.registry import OWN, Entry, registry
from scrutiny.core.task import Task
from scrutiny.reliability.metrics import metric_of
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.tasks.tasks import load_task

if TYPE_CHECKING:
    from scrutiny.core.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class Profile:
    """Profile: the diagnostics of an audit.

    Parameters
    ----------
    says
        Purpose, in one line.
    diagnostics
        Names without versions; empty for every diagnostic that applies. Those of installed plug-ins
        run in any profile.
    draws
        Most random draws of each change; `None`: as many as a diagnostic asks for in audits.
    """

    says: str
    diagnostics: frozenset[str] = frozenset()
    draws: int | None = None

    def has(self, entry: Entry) -> bool:
        """Whether it includes a diagnostic."""
        short = entry.registration.name.partition("@")[0]
        return not self.diagnostics or entry.origin != OWN or short in self.diagnostics

    def limited(self, measure: MeasurePlan) -> MeasurePlan:
        """Measurement with no more draws of each change than the profile takes."""
        if self.draws is None or measure.params.get("draws", 0) <= self.draws:
            return measure
        return replace(measure, params={**measure.params, "draws": self.draws})


#: The usual one.
SHIP: Final = "ship"
STUDY: Final = "study"
#: Of an audit without data.
LANGUAGE: Final = "language"
PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        SHIP: Profile(
            "whether a classifier or tagger can be shipped: its score, by class, too, its "
            "confidence, doubtful labels, leakage, attacks, changes that should not matter, and "
            "agreement with a reference",
            frozenset(
                {
                    "attack",
                    "calibration",
                    "classes",
                    "labels",
                    "leakage",
                    "performance",
                    "repeats",
                    "robustness",
                    "similarity.outputs",
                    "suites",
                }
            ),
            draws=1,
        ),
        LANGUAGE: Profile(
            "which stereotypes and associations a language model has, on English sentences that "
            "ship with scrutiny: what an audit without data asks",
            frozenset({"association.seat", "stereotypes.pairs"}),
        ),
        STUDY: Profile("every diagnostic that applies, those that look inside the model, too"),
    }
)


def profile_of(name: str) -> Profile:
    """Profile by name.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    if name not in PROFILES:
        raise UnknownNameError("profile", name, PROFILES)
    return PROFILES[name]


def read_tolerances(stated: Sequence[str]) -> dict[str, float]:
    """Tolerances from ``METRIC=N``, by metric without version; N may be a percentage.

    Raises
    ------
    PlanError
        If one cannot be read, or occurs twice.

    Examples
    --------
    >>> read_tolerances(["accuracy=0.02", "attack_success = 10%"])
    {'accuracy': 0.02, 'attack_success': 0.1}
    """
    found: dict[str, float] = {}
    for text in stated:
        name, equals, value = (part.strip() for part in text.partition("="))
        number = _number(value)
        if not (name and equals and 0 <= number < 1):
            raise PlanError(
                f"--tolerance {text!r} cannot be read: it is written METRIC=N with N from 0 to 1, "
                "as in accuracy=0.02 or attack_success=10%."
            )
        if found.setdefault(_short(name), number) != number:
            raise PlanError(f"--tolerance {_short(name)} occurs twice; leave one out.")
    return found


def with_tolerances(
    plan: Plan, stated: Mapping[str, float], *, opened: Opened | None = None
) -> Plan:
    """Audit plan whose tolerances are the stated tolerances, or those that metrics declare.

    Parameters
    ----------
    plan
        The audit.
    stated
        Tolerances by metric without version.
    opened
        What the command has open: it goes on with it.

    Raises
    ------
    UnknownNameError
        If none of its diagnostics has a tolerance of a metric that is stated.
    """
    opened = opened or Opened(LoadedModels())
    tasks = {d.name: load_task(opened.dataset(d, plan.on_bad_row).task) for d in plan.data}
    known: set[str] = set()
    measures = tuple(
        _with_tolerances(one, tasks[one.data[0]], stated, known) for one in plan.measure
    )
    unknown = next((name for name in stated if name not in known), None)
    if unknown is not None:
        raise UnknownNameError("metric with a tolerance in this audit", unknown, known)
    return replace(plan, measure=measures)


def _with_tolerances(
    plan: MeasurePlan, task: Task, stated: Mapping[str, float], known: set[str]
) -> MeasurePlan:
    """Measurement with its tolerances; their metrics are recorded."""
    diagnostic: Diagnostic[Any] = registry().load("diagnostic", plan.diagnostic)()
    tolerances = {}
    for param, metric in diagnostic.tolerates.items():
        name = metric or ("" if task.scored_by is None else task.scored_by.level)
        if not name:
            continue
        known.add(_short(name))
        declared = metric_of(name, diagnostic.measured(task)).tolerance
        tolerance = stated.get(_short(name), declared)
        if tolerance is not None:
            tolerances[param] = tolerance
    return replace(plan, params={**plan.params, **tolerances}) if tolerances else plan


def _short(name: str) -> str:
    """Metric without version and parameter, except for the measure of a share.

    Examples
    --------
    >>> _short("calibration_error(15)@1"), _short("share(doubtful)@1")
    ('calibration_error', 'share(doubtful)')
    """
    stem = name.partition("@")[0]
    return stem if stem.startswith("share(") else stem.partition("(")[0]


def _number(text: str) -> float:
    """Number or percentage; NaN if it is neither."""
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return math.nan
