"""What an audit goes by: its profile of diagnostics, and tolerated losses by metric."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.plan import MeasurePlan, Plan
from scrutiny.core.plugin_base import without_versions
from scrutiny.core.registry import OWN, Entry, registry
from scrutiny.core.task import Task
from scrutiny.reliability.metrics import metric_of
from scrutiny.run.planning.loading import Opened
from scrutiny.tasks.tasks import load_task

if TYPE_CHECKING:
    from scrutiny.core.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class Profile:
    """Profile: the diagnostics of an audit, with the changes and attacks that it asks.

    Parameters
    ----------
    name
        With its version, `ship@1`. What a version asks never changes: another change or attack is
        another version.
    says
        Purpose, in one line.
    diagnostics
        Names without versions; empty for every diagnostic that applies. Those of installed plug-ins
        run in any profile.
    params
        Parameters that it states, by diagnostic without version.
    draws
        Most random draws of each change; `None`: as many as a diagnostic asks for in audits.
    also
        Diagnostics that one command asks for besides, whatever it names; those of no profile.
    """

    name: str
    says: str
    diagnostics: frozenset[str] = frozenset()
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    draws: int | None = None
    also: frozenset[str] = frozenset()

    def has(self, entry: Entry) -> bool:
        """Whether it includes a diagnostic."""
        short = without_versions(entry.registration.name)
        return (
            not self.diagnostics or entry.origin != OWN or short in {*self.diagnostics, *self.also}
        )

    def stated(self, measure: MeasurePlan) -> MeasurePlan:
        """Measurement with its parameters, and no more draws of each change than it takes.

        Of attacks, those that the measurement asks of such answers, too.
        """
        stated = dict(self.params.get(without_versions(measure.diagnostic), {}))
        if asked := measure.params.get("recipes"):
            stated["recipes"] = [one for one in stated.get("recipes", asked) if one in asked]
        if self.draws is not None and measure.params.get("draws", 0) > self.draws:
            stated["draws"] = self.draws
        return replace(measure, params={**measure.params, **stated}) if stated else measure


#: The usual one.
SHIP: Final = "ship"
STUDY: Final = "study"
#: Of an audit without data.
LANGUAGE: Final = "language"
#: Changes and attacks of version 1. Never add to them: write those of version 2.
_CHANGES_1: Final = (
    *("append_irrelevant@1", "contraction@1", "insert_adverb@1", "keyboard@1", "number_swap@1"),
    *("ocr@1", "punctuation@1", "social_media@1", "spelling_error@1", "synonym_vectors@1"),
    *("synonym_wordnet@1", "tense@1", "typos@1", "word_case@1"),
)
_ASKED_1: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "robustness": {"usual": list(_CHANGES_1)},
        "attack": {"recipes": ["deepwordbug", "pwws"]},
    }
)
_SHIPPED_1: Final = frozenset(
    "attack calibration classes labels leakage performance repeats robustness similarity.outputs "
    "suites".split()
)
#: Version 2 asks what a part of an item gives away, too.
_SHIPPED_2: Final = _SHIPPED_1 | {"artifacts"}
#: By name with version; of one name, the newest stands last.
PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        one.name: one
        for one in (
            Profile(
                f"{SHIP}@1",
                "whether a classifier or tagger can be shipped: its score, by class, too, its "
                "confidence, doubtful labels, leakage, attacks, changes that should not matter, "
                "and agreement with a reference",
                _SHIPPED_1,
                _ASKED_1,
                draws=1,
            ),
            Profile(
                f"{SHIP}@2",
                "whether a classifier or tagger can be shipped: its score, by class, too, its "
                "confidence, doubtful labels, artifacts of pairs and options, leakage, attacks, "
                "changes that should not matter, and agreement with a reference",
                _SHIPPED_2,
                _ASKED_1,
                draws=1,
            ),
            Profile(
                f"{LANGUAGE}@1",
                "which stereotypes and associations a language model has, on English sentences "
                "that ship with scrutiny: what an audit without data asks",
                frozenset({"association.seat", "stereotypes.pairs"}),
                _ASKED_1,
            ),
            Profile(
                f"{STUDY}@1",
                "every diagnostic that applies, those that look inside the model, too",
                params=_ASKED_1,
            ),
        )
    }
)


def profile_of(name: str) -> Profile:
    """Profile by name; without a version, the newest.

    Raises
    ------
    UnknownNameError
        If there is none.

    Examples
    --------
    >>> profile_of("ship") is profile_of("ship@1")
    True
    """
    newest = {without_versions(full): full for full in PROFILES}
    full = newest.get(name, name)
    if full not in PROFILES:
        raise UnknownNameError("profile", name, PROFILES)
    return PROFILES[full]


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
    opened = opened or Opened()
    datasets = {d.name: opened.dataset(d, plan.on_bad_row) for d in plan.data}
    tasks = {name: load_task(d.task).on(d.examples) for name, d in datasets.items()}
    known: set[str] = set()
    measures = tuple(
        _with_tolerances(one, tasks[one.data[0]], stated, known) for one in plan.measure
    )
    metrics = {one.id: _short(one.metric) for one in plan.estimate}
    known |= {*metrics.values()}
    unknown = next((name for name in stated if name not in known), None)
    if unknown is not None:
        raise UnknownNameError("metric with a tolerance in this audit", unknown, known)
    claims = tuple(
        one
        if one.risk is None
        else replace(
            one,
            risk=replace(
                one.risk,
                tolerance=stated.get(metrics[one.components[0].estimate], one.risk.tolerance),
            ),
        )
        for one in plan.claim
    )
    return replace(plan, measure=measures, claim=claims)


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
