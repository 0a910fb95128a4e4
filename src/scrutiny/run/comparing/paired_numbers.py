"""Paired comparison of two runs: on items, and on replicates if the models are the same.

Records of both runs are brought to the items they share; a difference is the second run's value
minus the first's, with one t term for the replicates of each side, or of the pairs.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from scrutiny.blocks.labels import metric_in_words
from scrutiny.core.boundary.json_text import canonical_json, plain
from scrutiny.core.boundary.printable import with_dots
from scrutiny.core.claim import Claim, Component, Finding
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate
from scrutiny.reliability.assignment import Assignment, assignments_in
from scrutiny.reliability.contrasts import contrast
from scrutiny.reliability.joining import shared_items
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.limits import counted
from scrutiny.run.estimating.estimator import Estimator, estimator_of
from scrutiny.store.run_folder import RunFolder

Pair = tuple[Assignment, Assignment]
_MOST_NAMED: Final = 3
_NOT_OF_MODELS: Final = ("coverage@1",)  # says something of the texts, the same for every model


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Estimates that two runs share, their differences, and what else differs.

    Parameters
    ----------
    findings
        One for each estimate that both have: a difference from zero.
    n_shared
        Items that both runs measured, by dataset.
    differences
        Differences of the manifests.
    higher_is
        Of each finding's number: "better", "worse" or "neither".
    n_unmatched
        Items that only the first and only the second run has, by dataset: they count in no
        difference. Datasets without any are left out.
    metric_names
        What both runs call a metric, by dataset and metric, where the data have a name for it:
        "BLEU (13a)".
    """

    findings: tuple[Finding, ...]
    n_shared: dict[str, int]
    differences: tuple[str, ...]
    higher_is: tuple[str, ...] = ()
    n_unmatched: dict[str, tuple[int, int]] = field(default_factory=dict)
    metric_names: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def differing(self) -> list[tuple[Estimate, str]]:
        """Numbers that are shown to differ, each for the "better", the "worse", or neither ("")."""
        kinds = self.higher_is or ("neither",) * len(self.findings)
        return [
            (found.estimate, _way(found.estimate.value, kind))
            for found, kind in zip(self.findings, kinds, strict=True)
            if found.estimate is not None and found.verdict != "undecided"
        ]


def _way(difference: float | None, higher_is: str) -> str:
    """Whether a difference, second minus first, is for the better or the worse."""
    if not difference or higher_is == "neither":
        return ""
    return "better" if (difference > 0) == (higher_is == "better") else "worse"


def compare_runs(
    first: RunFolder,
    second: RunFolder,
    *,
    paired: bool | None = None,
    estimators: tuple[Estimator, Estimator] | None = None,
) -> RunComparison:
    """Paired differences of all estimates that two runs share.

    Parameters
    ----------
    first, second
        Finished runs; a difference is second minus first.
    paired
        Whether replicate k of one belongs to replicate k of the other; None: decided by their
        model strings.
    estimators
        Of both runs, where they are there already.

    Raises
    ------
    PlanError
        If the runs share no items or no estimates, or replicates are to be paired that are not
        as many on both sides.
    """
    pairs = list(paired_assignments(first, second))
    if not pairs:
        raise PlanError(
            f"{first.path} and {second.path} share no estimate: other diagnostics, parameters or "
            "conditions. Run the same plan on both models."
        )
    own, others = estimators or (estimator_of(first), estimator_of(second))
    estimated, shared = {}, dict[str, int]()
    items: dict[str, tuple[set[str], set[str]]] = {}
    for number, (one, other) in enumerate(pairs):
        mine, yours = own.joined(one), others.joined(other)
        found = contrast(
            shared_items(yours, mine),
            other.statistic,
            key=replace(
                one.key,
                subject=other.subject,
                role="contrast",
                reference=one.subject,
                condition={
                    **one.key.condition,
                    **({} if one.reference is None else {"reference": one.reference}),
                },
            ),
            paired=same_models(first, second, (one, other)) if paired is None else paired,
            resampling=own.resampling,
            seed=own.seed,
            subtracted=one.statistic,
        )
        estimated[f"{number}/{one.id}"] = found
        name = found.estimate.key.dataset
        shared[name] = max(shared.get(name, 0), found.estimate.counts.planned)
        known = items.setdefault(name, (set(), set()))
        for side, (panel, _) in zip(known, (mine, yours), strict=True):
            side.update(panel.items)
    if not any(shared.values()):
        raise PlanError(
            f"{first.path} and {second.path} have no item in common: pairing goes by the items' "
            "ids, or by their content where the data has none."
        )
    claims = [_claim(name, one) for name, (one, _) in zip(estimated, pairs, strict=True)]
    names = zip(estimated, (one.family for one, _ in pairs), strict=True)
    findings = decide(claims, estimated, counted(dict(names)))
    apart = {name: (a - b, b - a) for name, (a, b) in items.items() if a != b}
    differ = [*_unmatched(apart), *_manifest_differences(first, second)]
    kinds = tuple(one.statistic.higher_is for one, _ in pairs)
    unmatched = {name: (len(a), len(b)) for name, (a, b) in apart.items()}
    names_of = _metric_names(first) & _metric_names(second)
    return RunComparison(
        tuple(findings), shared, tuple(differ), kinds, unmatched, dict(sorted(names_of))
    )


def _metric_names(folder: RunFolder) -> set[tuple[tuple[str, str], str]]:
    """Names that the data of a run have for metrics, by dataset and metric."""
    return {
        ((dataset, metric), name)
        for dataset, data in folder.manifest["data"].items()
        for metric, name in data.get("metric_names", {}).items()
    }


def _unmatched(apart: Mapping[str, tuple[set[str], set[str]]]) -> Iterator[str]:
    """Sentences on items that one run has alone, one for each dataset."""
    for name, sides in list(apart.items())[:_MOST_NAMED]:
        said = []
        for which, own in zip(("first", "second"), sides, strict=True):
            named = with_dots(sorted(own), _MOST_NAMED)
            said += [f"{len(own):,} of the {which} run ({named})"] if own else []
        yield f"items of {name}: left out, as only one run has them: {' and '.join(said)}"
    if len(apart) > _MOST_NAMED:
        yield f"items: left out in {len(apart)} datasets, as only one run has them"


def paired_assignments(first: RunFolder, second: RunFolder) -> Iterator[Pair]:
    """Matching assignments of both runs; subjects and datasets pair by position.

    A logged score that is 0 or 1 throughout one run and not the other is a mean in both.
    """
    ours, others = (list(assignments_in(one.manifest)) for one in (first, second))
    subjects = _by_position([a.subject for a in ours], [a.subject for a in others])
    datasets = _by_position([a.dataset for a in ours], [a.dataset for a in others])
    score = _only_scores(first, second)
    theirs = {_meaning(a): a for a in others}
    means = {_meaning(a): a for a in map(_as_mean, others)}
    for one in ours:
        if one.role == "control" or one.metric in _NOT_OF_MODELS:
            continue
        wanted = replace(
            one,
            subject=subjects.get(one.subject, ""),
            dataset=datasets.get(one.dataset, ""),
            reference=one.reference and subjects.get(one.reference, one.reference),
            condition=one.condition if score is None else score[1],
        )
        if _meaning(wanted) in theirs:
            yield one, theirs[_meaning(wanted)]
        elif _meaning(_as_mean(wanted)) in means:
            yield _as_mean(one), means[_meaning(_as_mean(wanted))]


def _only_scores(first: RunFolder, second: RunFolder) -> tuple[dict[str, str], ...] | None:
    """Conditions of the only score of each of two logs, where they have other names."""
    found = []
    for folder in (first, second):
        conditions = {canonical_json(one.condition) for one in assignments_in(folder.manifest)}
        if "imported" not in folder.manifest or len(conditions) != 1:
            return None
        found.append(json.loads(conditions.pop()))
    return tuple(found) if found[0] != found[1] else None


def _as_mean(assignment: Assignment) -> Assignment:
    """Assignment of a logged accuracy as a mean."""
    is_score = [measure.name for measure in assignment.measures] == ["hit", "value"]
    if not is_score or assignment.metric != "accuracy@1":
        return assignment
    return replace(assignment, metric="mean@1")


def _by_position(first: Sequence[str], second: Sequence[str]) -> dict[str, str]:
    """Names in one run by those in the other: equal names, then by position."""
    if set(first) & set(second):
        return {name: name for name in first if name in second}
    return dict(zip(dict.fromkeys(first), dict.fromkeys(second), strict=False))


def _meaning(assignment: Assignment) -> str:
    """Key of an assignment: what it is an estimate of."""
    return canonical_json(plain(assignment.key))


def _claim(name: str, assignment: Assignment) -> Claim:
    """Claim that the second run's value is lower: supported, denied (higher), or undecided."""
    where = ", ".join(f"{value}" for value in assignment.whole_condition.values())
    what = metric_in_words(assignment.metric, assignment.measures)
    of = "" if assignment.group == "all" else f", {assignment.group} items"
    return Claim(
        id=name,
        says=f"{what} is lower in the second run" + (f" ({where}{of})" if where else ""),
        diagnostic=assignment.kind.partition("@")[0],
        components=(Component(name, 0.0, "the first run", "<"),),
        family="compare",
        post_hoc=True,
    )


def same_models(first: RunFolder, second: RunFolder, pair: tuple[Assignment, Assignment]) -> bool:
    """Whether replicates pair: both sides have the same model strings in the same order."""
    a = first.manifest["models"][pair[0].subject]["replicates"]
    b = second.manifest["models"][pair[1].subject]["replicates"]
    return [r["source"] for r in a] == [r["source"] for r in b]


def _manifest_differences(first: RunFolder, second: RunFolder) -> Iterator[str]:
    """Sentences on how the runs differ beyond the models."""
    a, b = first.manifest, second.manifest
    told = [{**one["environment"], "seed": str(one["plan"]["seed"])} for one in (a, b)]
    for name in sorted({**told[0], **told[1]}):
        ours, theirs = (one.get(name) or "absent" for one in told)
        if ours != theirs:
            yield f"{name}: {ours} and {theirs}"
    other = [
        f"data {name}: other content ({ours['items']} and {theirs['items']} items)"
        for name, ours in a["data"].items()
        if (theirs := b["data"].get(name)) and ours["fingerprint"] != theirs["fingerprint"]
    ]
    if len(other) > _MOST_NAMED:
        yield f"data: other content in {len(other)} datasets, {other[0].split()[1]} the first"
    else:
        yield from other
    score = _only_scores(first, second)
    if score is not None:
        ours, theirs = (" ".join(map(str, one.values())) for one in score)
        yield f"the score is called {ours} in the first and {theirs} in the second"
    if "imported" in a or "imported" in b:
        # Sentences on shared items of logs that were presented differently to the models.
        tables = [folder.items() for folder in (first, second)]
        for what, column in (("texts", "fields"), ("prompts", "prompt")):
            if all(column in table.column_names for table in tables):
                ours, theirs = (
                    dict(zip(*(t[name].to_pylist() for name in ("item", column)), strict=True))
                    for t in tables
                )
                shared = ours.keys() & theirs.keys()
                if count := sum(ours[item] != theirs[item] for item in shared):
                    yield f"{what}: of {count:,} of the {len(shared):,} shared items"
