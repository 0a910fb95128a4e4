"""Judging a finished run by rules: the same verdicts as the audit's, from the same records."""

from collections.abc import Sequence

from scrutiny.core.claim import Claim, Component, Finding
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.plan import Resampling
from scrutiny.core.registry import registry
from scrutiny.reliability.claims import decide
from scrutiny.reliability.rules import Rule, parse_rule
from scrutiny.run.assignment import Assignment, from_json
from scrutiny.run.estimating import Estimator
from scrutiny.store.run_folder import RunFolder


def estimator_of(folder: RunFolder) -> Estimator:
    """Estimator over the records of a finished run, with its own seed and resampling."""
    plan = folder.manifest["plan"]
    return Estimator(
        folder.records(),
        folder.items(),
        resampling=Resampling(**plan["resampling"]),
        seed=plan["seed"],
    )


def assignments_of(folder: RunFolder) -> list[Assignment]:
    """What a finished run computed."""
    return [from_json(line) for line in folder.manifest["specs"]]


def judge_run(folder: RunFolder, rules: Sequence[str], *, group: str = "all") -> list[Finding]:
    """Finding of each rule; estimates that it names must all obey it.

    Rules are corrected for each other (Holm). Unless a rule says ``where``, it holds for every
    condition that has the metric.

    Parameters
    ----------
    folder
        The run.
    rules
        ``accuracy_drop <= 0.05 where transformation=typos``.
    group
        Items that are meant: ``all`` or ``changed``.

    Raises
    ------
    PlanError, UnknownNameError
        If a rule does not read, or names a metric or condition that the run has not.
    """
    parsed = [parse_rule(rule) for rule in rules]
    if not parsed:
        raise PlanError("Say at least one rule: --rule 'accuracy_drop <= 0.05'.")
    known = assignments_of(folder)
    chosen = [_meant(rule, text, known, group) for rule, text in zip(parsed, rules, strict=True)]
    estimator = estimator_of(folder)
    wanted = {a.spec.id: a for assignments in chosen for a in assignments}
    estimated = {name: estimator.estimate(a) for name, a in wanted.items()}
    claims = [
        _claim(rule, text, assignments)
        for rule, text, assignments in zip(parsed, rules, chosen, strict=True)
    ]
    return decide(claims, estimated)


def _meant(rule: Rule, text: str, known: Sequence[Assignment], group: str) -> list[Assignment]:
    """Assignments that a rule speaks of."""
    metrics = sorted({a.spec.metric for a in known})
    if not any(rule.metric in (m, m.partition("@")[0]) for m in metrics):
        registry().resolve("statistic", rule.metric)
        raise UnknownNameError("metric in this run", rule.metric, metrics)
    fitting = [
        a
        for a in known
        if rule.fits(a.spec.metric, {"subject": a.subject, "dataset": a.dataset, **a.condition})
    ]
    # the level of the originals is a baseline beside drops, and meant where nothing else is
    roles = ("measured", "baseline")
    by_role = [[a for a in fitting if a.spec.role == role] for role in roles]
    found = by_role[0] or by_role[1]
    in_group = [a for a in found if a.spec.group == group] or found
    if not in_group:
        conditions = sorted({f"{k}={v}" for a in known for k, v in a.condition.items()})
        raise PlanError(
            f"No estimate of this run fits the rule {text!r}; conditions are "
            f"{', '.join(conditions[:12]) or 'none'}."
        )
    return in_group


def _claim(rule: Rule, text: str, assignments: Sequence[Assignment]) -> Claim:
    operator = ">" if rule.operator.startswith(">") else "<"
    components = tuple(Component(a.spec.id, rule.limit, _named(a), operator) for a in assignments)
    return Claim(
        id=f"rule: {text}",
        says=text,
        diagnostic="gate",
        components=components,
        family="gate",
        checks=("items", "seeds"),
        post_hoc=True,
    )


def _named(assignment: Assignment) -> str:
    parts = [f"{k} {v}" for k, v in assignment.condition.items()]
    return ", ".join([assignment.subject, assignment.dataset, *parts])
