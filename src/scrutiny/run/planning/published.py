"""Published figures and findings beside the run's own: the plan's ``[[published]]``."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import pstdev
from typing import Any, Final

from scrutiny.core.boundary.parameters import known
from scrutiny.core.claim import Finding
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate, fits
from scrutiny.core.published import (
    OF_VERDICTS,
    PublishedPlan,
    Reproduction,
    half_unit,
    printed_text,
    printed_value,
    rounds_to,
)
from scrutiny.core.record import grouped
from scrutiny.reliability.replicates import is_test
from scrutiny.run.planning.resolved import Resolved

#: Exact tests that stand with a difference of two groups of runs.
_TESTS: Final = ("rank_sum_p", "signed_rank_p")
_USUAL: Final = (("role", "measured"), ("group", "all"))


class _NotThereError(Exception):
    """The run has no such number; the message gives the reason."""


def must_read(published: Sequence[PublishedPlan], measures: Iterable[str]) -> None:
    """Raise for published figures that cannot be parsed, before anything is measured.

    Raises
    ------
    PlanError
        For an unknown measurement, a figure that is no number, or keys that do not go together.
    """
    names = list(measures)
    for row in published:
        try:
            _must_read(row, names)
        except PlanError as error:
            raise PlanError(f"published {row.id!r}: {error}") from error


def _must_read(row: PublishedPlan, measures: Sequence[str]) -> None:
    if bool(row.printed) == bool(row.released):
        raise PlanError("it needs either printed = or released =, with the figure as a text.")
    if row.unavailable:
        return
    if row.claim:
        if row.measure or row.metric:
            raise PlanError("a finding has claim =, and the claim has the numbers: leave out from.")
        return
    if row.of != "head" and not (row.of == "count" and row.beside):
        printed_value(row.text)
    if row.sign and row.of != "count":
        raise PlanError('sign goes with of = "count".')
    if row.of == "f1":
        if row.given.keys() != {"precision", "recall"}:
            raise PlanError('of = "f1" needs given = { precision = "97.2", recall = "92.9" }.')
        for printed in row.given.values():
            printed_value(printed)
        return
    if row.given:
        raise PlanError('given goes with of = "f1".')
    known("measurement", [row.measure], measures, where="from")
    if not row.metric:
        raise PlanError("it has no metric: add metric = and the name of the published one.")


def must_be_claimed(published: Sequence[PublishedPlan], claims: Iterable[str]) -> None:
    """Raise for a finding whose claim the run does not make.

    Raises
    ------
    PlanError
        With near names.
    """
    names = list(claims)
    for row in published:
        if row.claim:
            known("claim", [row.claim], names, where=f"published {row.id!r}")


def reproductions(
    resolved: Resolved, estimates: Sequence[Estimate], findings: Sequence[Finding] = ()
) -> list[Reproduction]:
    """Every published figure and finding of the plan with the run's, in plan order.

    Parameters
    ----------
    resolved
        The plan.
    estimates
        All numbers of the run.
    findings
        What it found of its claims.
    """
    by_claim = {finding.claim.id: finding for finding in findings}
    kinds = {name: m.kind for name, m in resolved.measurements.items()}
    by_place = grouped(((e.key.diagnostic, e.key.metric.partition("@")[0]), e) for e in estimates)
    found = []
    for row in resolved.plan.published:
        place = kinds.get(row.measure, ""), row.metric.partition("@")[0]
        if row.claim and not row.unavailable:
            found.append(_seen_in(row, by_claim[row.claim]))
        else:
            found.append(reproduction(row, by_place.get(place, ())))
    return found


def _seen_in(row: PublishedPlan, finding: Finding) -> Reproduction:
    """One published finding with what the run says of it.

    Parameters
    ----------
    row
        Published finding.
    finding
        Of the claim that states it.
    """
    e, scale = finding.estimate, 100 if row.percent else 1
    numbers = (None, None, None) if e is None else (e.value, e.low, e.high)
    value, low, high = (_scaled(x, scale) for x in numbers)
    outcome = OF_VERDICTS[finding.verdict]
    return Reproduction(row, outcome, "", value, finding.reason, low, high)


def _scaled(value: float | None, scale: int) -> float | None:
    return None if value is None else scale * value


def reproduction(row: PublishedPlan, estimates: Iterable[Estimate]) -> Reproduction:
    """One published figure that a plan names, with the run's.

    Parameters
    ----------
    row
        Published figure.
    estimates
        Estimates of its measurement and metric.
    """
    if row.unavailable:
        return Reproduction(row, "unavailable", reason=row.unavailable)
    if row.of == "f1":
        # F1 of a published precision and recall, within their rounding. The mean F1 of several runs
        # is at most the F1 of their mean precision and recall (the harmonic mean is concave), so
        # one that is printed too high is wrong even where the row is a mean.
        precision, recall = (printed_value(row.given[name]) for name in ("precision", "recall"))
        slack = [half_unit(row.given[name]) for name in ("precision", "recall")]
        least = _harmonic(float(precision - slack[0]), float(recall - slack[1]))
        most = _harmonic(float(precision + slack[0]), float(recall + slack[1]))
        printed, half = float(printed_value(row.text)), float(half_unit(row.text))
        f1 = _harmonic(float(precision), float(recall))
        is_open = least - half <= printed <= most + half
        return Reproduction(row, "agrees" if is_open else "differs", row.at_digits(f1), f1)
    version = f"@{row.metric.partition('@')[2]}" if "@" in row.metric else ""
    fitting = [e for e in estimates if e.key.metric.endswith(version) and _fits(e, row.where)]
    try:
        if row.of == "head":
            return _outcome(row, None, _best_head(fitting))
        counted = _count(row, fitting) if row.of == "count" else None
        value = _number(row, fitting) if counted is None else counted[0]
        e = _estimate(row, fitting) if row.beside and row.of == "value" else None
    except _NotThereError as error:
        return Reproduction(row, "missing", reason=str(error))
    scale = 100 if row.percent else 1
    if row.beside and counted is not None:
        return Reproduction(row, "beside", f"{value} of {counted[1]}", value)
    ours = row.at_digits(scale * value)
    if row.beside:
        low, high = (None, None) if e is None else (_scaled(e.low, scale), _scaled(e.high, scale))
        return Reproduction(row, "beside", ours, scale * value, low=low, high=high)
    return _outcome(row, scale * value, ours)


def _outcome(row: PublishedPlan, value: float | None, ours: str) -> Reproduction:
    same = ours == printed_text(row.text) if value is None else rounds_to(value, row.text)
    return Reproduction(row, "agrees" if same else "differs", ours, value)


def _fits(e: Estimate, where: Mapping[str, Any]) -> bool:
    key = e.key
    has = {
        "subject": key.subject,
        "reference": key.reference,
        "dataset": key.dataset,
        "replicate": key.replicate,
        "role": key.role,
        "group": key.group,
        **key.condition,
    }
    return fits(has, where)


def _number(row: PublishedPlan, fitting: Sequence[Estimate]) -> float:
    """Value, spread or p-value of the estimate that matches."""
    if row.of == "p":
        e = _one(row, [e for e in fitting if _p_of(e) is not None], what="test")
        return _p_of(e) or 0.0
    e = _estimate(row, fitting)
    if row.of == "sd":
        if len(e.by_replicate) < 2:
            raise _NotThereError("the run has one replicate of it")
        return pstdev(e.by_replicate.values())
    if e.value is None:
        raise _NotThereError(f"it has no value: {(e.reason or e.status).replace('_', ' ')}")
    return e.value


def _estimate(row: PublishedPlan, fitting: Sequence[Estimate]) -> Estimate:
    """The matching estimate of a value; of single replicates and differences where asked for."""
    own = [e for e in fitting if (e.key.replicate is None) or "replicate" in row.where]
    if "reference" not in row.where:
        own = [e for e in own if e.key.reference is None or e.key.role != "contrast"]
    return _one(row, own, what="estimate")


def _one(row: PublishedPlan, fitting: Sequence[Estimate], *, what: str) -> Estimate:
    """The matching estimate: of usual role and group, without unnamed conditions."""
    found = list(fitting)
    for name, usual in _USUAL:
        if name not in row.where:
            found = [e for e in found if getattr(e.key, name) == usual] or found
    extra = [len(e.key.condition.keys() - row.where.keys()) for e in found]
    found = [e for e, n in zip(found, extra, strict=True) if n == min(extra)]
    if not found:
        raise _NotThereError(f"no {what} of {row.metric} fits")
    if len(found) > 1:
        raise _NotThereError(f"{len(found)} {what}s fit; choose one with where")
    return found[0]


def _p_of(e: Estimate) -> float | None:
    """P-value of an estimate: of its exact test, or its own if it is a test."""
    if is_test(e):
        return e.value
    return next((e.across[name] for name in _TESTS if name in e.across), None)


def _count(row: PublishedPlan, fitting: Sequence[Estimate]) -> tuple[int, int]:
    """Number of replicates whose own tests are significant and have the sign, and of all."""
    tests = [e for e in fitting if is_test(e) and e.value is not None]
    if not tests:
        raise _NotThereError(f"no test of {row.metric} fits")
    if len({e.key.replicate for e in tests}) < len(tests):
        raise _NotThereError("several tests of one replicate fit; choose some with where")
    if row.sign and any("tau" not in e.across for e in tests):
        raise _NotThereError("the test has no sign")
    passed = [e for e in tests if e.value is not None and e.value < row.level]
    side = {"+": 1, "-": -1}.get(row.sign, 0)
    return sum(side == 0 or side * e.across["tau"] > 0 for e in passed), len(tests)


def _best_head(fitting: Sequence[Estimate]) -> str:
    """Layer and head of the largest value, from 1; ties go to the first."""
    heads = [
        e
        for e in fitting
        if {"layer", "head"} <= e.key.condition.keys()
        and (e.key.replicate, e.key.reference) == (None, None)
    ]
    if len({(e.key.subject, e.key.dataset, e.key.role) for e in heads}) > 1:
        raise _NotThereError("heads of several families or corpora fit; choose some with where")
    known = [(e.value, e) for e in heads if e.value is not None]
    if not known:
        raise _NotThereError("the run has no value of single heads")
    _, best = max(known, key=lambda pair: pair[0])
    return f"{best.key.condition['layer']}-{best.key.condition['head']}"


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b > 0 else 0.0
