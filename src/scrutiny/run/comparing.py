"""Comparing two runs: paired on items, on replicates where they are the same models.

Records of both runs are brought to the items they share; a difference is the first run's value
minus the second's, with one t term for the replicates of each side, or of the pairs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.claim import Claim, Component, Finding
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.record import Counts
from scrutiny.core.registry import registry
from scrutiny.reliability.claims import decide
from scrutiny.reliability.derive import join
from scrutiny.reliability.estimate import Estimated, resample_any
from scrutiny.reliability.panel import Joined, Panel
from scrutiny.run.estimating import Estimator, key_of
from scrutiny.run.judging import assignments_of, estimator_of
from scrutiny.run.specs import Assignment
from scrutiny.stats.contrast import paired_contrast, unpaired_contrast
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.interval import Interval
from scrutiny.stats.resample import Resampled
from scrutiny.stats.weights import Units
from scrutiny.store.run_folder import RunFolder

_NOT_OF_MODELS = ("coverage@1",)  # says something of the texts, the same for every model


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two runs have in common and where they differ.

    Parameters
    ----------
    findings
        One for each estimate that both have: a difference from zero, Holm over all.
    n_shared
        Items that both runs measured, by dataset.
    differences
        What the manifests say differently.
    """

    findings: tuple[Finding, ...]
    n_shared: dict[str, int]
    differences: tuple[str, ...]


def compare_runs(first: RunFolder, second: RunFolder, *, paired: bool | None = None) -> Comparison:
    """Paired differences of all estimates that two runs share.

    Parameters
    ----------
    first, second
        Finished runs; a difference is first minus second.
    paired
        Whether replicate k of one belongs to replicate k of the other; nothing decides by their
        model strings.

    Raises
    ------
    PlanError
        If the runs share no items or no estimates.
    """
    pairs = list(_pairs(assignments_of(first), assignments_of(second)))
    if not pairs:
        raise PlanError(
            f"{first.path} and {second.path} share no estimate: other diagnostics, parameters or "
            "conditions. Run the same plan on both models."
        )
    sides = _Side.of(first), _Side.of(second)
    resampling = Resampling(**first.manifest["plan"]["resampling"])
    seed = int(first.manifest["plan"]["seed"])
    estimated: dict[str, Estimated] = {}
    shared: dict[str, int] = {}
    claims = []
    for one, other in pairs:
        joined = _joined(sides[0], sides[1], (one, other))
        shared[one.dataset] = max(shared.get(one.dataset, 0), joined.counts.planned)
        is_paired = _same_models(first, second, one, other) if paired is None else paired
        name = f"{len(estimated)}/{one.spec.id}"
        estimated[name] = _contrast(joined, one, paired=is_paired, resampling=resampling, seed=seed)
        claims.append(_claim(name, one))
    if not any(shared.values()):
        raise PlanError(
            f"{first.path} and {second.path} have no item in common: pairing goes by the items' "
            "ids, or by their content where the data has none."
        )
    findings = decide(claims, estimated)
    return Comparison(tuple(findings), shared, tuple(_manifest_differences(first, second)))


@dataclass(frozen=True, slots=True)
class _Side:
    estimator: Estimator

    @classmethod
    def of(cls, folder: RunFolder) -> "_Side":
        return cls(estimator_of(folder))

    def read(self, assignment: Assignment) -> tuple[Panel, Joined]:
        """Joined measures of one specification."""
        recorded = self.estimator.recorded(assignment)
        spec = assignment.spec
        chosen = {n: recorded.select(s, assignment.within) for n, s in spec.sides.items()}
        statistic = registry().load("statistic", spec.metric)
        needs = statistic.needs
        return recorded.panel, join(recorded.panel, chosen, needs=needs, fallback=spec.fallback)


@dataclass(frozen=True, slots=True)
class _Both:
    """Measures ``(replicate, item, need)`` of both sides on the items they share."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    counts: Counts
    units: NDArray[np.int64] | None


def _pairs(
    first: Sequence[Assignment], second: Sequence[Assignment]
) -> Iterator[tuple[Assignment, Assignment]]:
    """Assignments that mean the same in both runs; subjects and datasets pair by position."""
    subjects = _by_position(first, second, "subject")
    datasets = _by_position(first, second, "dataset")
    theirs = {_meaning(a): a for a in second}
    for one in first:
        if one.spec.role == "control" or one.spec.metric in _NOT_OF_MODELS:
            continue
        wanted = replace(
            one, subject=subjects.get(one.subject, ""), dataset=datasets.get(one.dataset, "")
        )
        other = theirs.get(_meaning(wanted))
        if other is not None:
            yield one, other


def _by_position(
    first: Sequence[Assignment], second: Sequence[Assignment], name: str
) -> dict[str, str]:
    """Names of one run by those of the other: equal ones, then by position."""
    ours = list(dict.fromkeys(getattr(a, name) for a in first))
    theirs = list(dict.fromkeys(getattr(a, name) for a in second))
    if set(ours) & set(theirs):
        return {n: n for n in ours if n in theirs}
    return dict(zip(ours, theirs, strict=False))


def _meaning(assignment: Assignment) -> tuple[Any, ...]:
    spec = assignment.spec
    return (
        assignment.kind,
        assignment.subject,
        assignment.dataset,
        spec.metric,
        str(sorted(spec.condition.items(), key=str)),
        str(sorted(assignment.within.items())),
        spec.group,
        spec.role,
    )


def _joined(a: _Side, b: _Side, pair: tuple[Assignment, Assignment]) -> _Both:
    """Measures of both sides on the items that both measured."""
    panels = a.read(pair[0]), b.read(pair[1])
    names = [[panel.items[i] for i in joined.rows] for panel, joined in panels]
    place = {name: i for i, name in enumerate(names[1])}
    mine = [i for i, name in enumerate(names[0]) if name in place]
    yours = [place[names[0][i]] for i in mine]
    common = set(panels[0][0].items) & set(panels[1][0].items)
    units = panels[0][0].units
    return _Both(
        first=panels[0][1].values[:, mine],
        second=panels[1][1].values[:, yours],
        counts=Counts(n=len(mine), skipped=len(common) - len(mine)),
        units=None if units is None else units[panels[0][1].rows[mine]],
    )


def _contrast(
    both: _Both, assignment: Assignment, *, paired: bool, resampling: Resampling, seed: int
) -> Estimated:
    """Difference with its interval; no value where there is nothing to compare."""
    key = replace(key_of(assignment), role="contrast")
    statistic = registry().load("statistic", assignment.spec.metric)
    if both.counts.n == 0:
        return _empty(key, both, resampling, "no_items")
    stacked = np.concatenate([both.first, both.second])
    units = Units.of(both.counts.n, both.units)
    rng = generator(seed, "bootstrap", name=key.dataset, item="items")
    count = len(both.first)
    try:
        drawn = resample_any(
            statistic,
            Joined(stacked, np.arange(both.counts.n), both.counts),
            units=units,
            draws=resampling.draws,
            rng=rng,
        )
        one = drawn.select(slice(0, count))
        other = drawn.select(slice(count, None))
        interval = _interval(one, other, paired=paired, level=resampling.level, seed=seed)
    except StatisticsError:
        return _empty(key, both, resampling, "no_value")
    return Estimated(_estimate(key, both, interval, one, other), interval, _difference(one, other))


def _interval(
    one: Resampled, other: Resampled, *, paired: bool, level: float, seed: int
) -> Interval:
    rng = generator(seed, "bootstrap", name="contrast", item="replicates")
    if paired and one.point.size == other.point.size:
        return paired_contrast(one, other, rng=rng, level=level)
    return unpaired_contrast(one, other, rng=rng, level=level)


def _difference(one: Resampled, other: Resampled) -> Resampled:
    """Difference of the means over replicates, as one replicate."""
    return replace(
        one,
        point=np.array([one.point.mean() - other.point.mean()]),
        draws=(one.draws.mean(axis=1) - other.draws.mean(axis=1))[:, None],
    )


def _estimate(
    key: EstimateKey, both: _Both, interval: Interval, one: Resampled, other: Resampled
) -> Estimate:
    parts = interval.decomposition
    return Estimate(
        key=key,
        value=interval.point,
        low=interval.low,
        high=interval.high,
        level=interval.level,
        method=f"{interval.method}@1",
        counts=both.counts,
        n_units=one.n_units,
        n_replicates=min(one.point.size, other.point.size),
        variance={} if parts is None else {"seeds": parts.seeds, "items": parts.items},
        reason=",".join(interval.notes) or None,
    )


def _empty(key: EstimateKey, both: _Both, resampling: Resampling, reason: str) -> Estimated:
    return Estimated(
        Estimate(
            key=key,
            value=None,
            low=None,
            high=None,
            level=resampling.level,
            method="contrast@1",
            counts=both.counts,
            n_units=0,
            status="undefined",
            reason=reason,
        )
    )


def _claim(name: str, assignment: Assignment) -> Claim:
    """That the first run's value is higher: supported, denied (it is lower), or undecided."""
    spec = assignment.spec
    where = ", ".join(f"{v}" for v in {**spec.condition, **assignment.within}.values())
    what = spec.metric.partition("@")[0].replace("_", " ")
    of = "" if spec.group == "all" else f", {spec.group} items"
    return Claim(
        id=name,
        says=f"{what} is higher in the first run" + (f" ({where}{of})" if where else ""),
        diagnostic=assignment.kind.partition("@")[0],
        components=(Component(name, 0.0, "the other run", ">"),),
        family="compare",
        checks=("items", "seeds"),
        post_hoc=True,
    )


def _same_models(first: RunFolder, second: RunFolder, one: Assignment, other: Assignment) -> bool:
    """Whether replicates pair: both sides name the same model strings in the same order."""
    a = first.manifest["models"][one.subject]["replicates"]
    b = second.manifest["models"][other.subject]["replicates"]
    return [r["source"] for r in a] == [r["source"] for r in b]


def _manifest_differences(first: RunFolder, second: RunFolder) -> Iterator[str]:
    """Sentences on what the runs did differently beside the models."""
    a, b = first.manifest, second.manifest
    for name in sorted(set(a["environment"]) | set(b["environment"])):
        ours, theirs = a["environment"].get(name), b["environment"].get(name)
        if ours != theirs:
            yield f"{name}: {ours or 'absent'} and {theirs or 'absent'}"
    if a["plan"]["seed"] != b["plan"]["seed"]:
        yield f"seed: {a['plan']['seed']} and {b['plan']['seed']}"
    for name, ours in a["data"].items():
        theirs = b["data"].get(name)
        if theirs is not None and ours["fingerprint"] != theirs["fingerprint"]:
            yield f"data {name}: other content ({ours['items']} and {theirs['items']} items)"
