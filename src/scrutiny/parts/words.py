"""Titles of charts in parts, and cells in words."""

from collections.abc import Mapping, Sequence

from scrutiny.core.boundary.canonical import value_digest
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.parts.charts.vega import key_title
from scrutiny.parts.run.identity import identity
from scrutiny.parts.run.references import own_subjects
from scrutiny.parts.run.view import OwnInterval, RunView
from scrutiny.parts.wording.labels import (
    distinct_labels,
    family_name,
    key_parts,
    numbered,
    short_names,
)
from scrutiny.parts.wording.numbers import MINUS, NO_VALUE, number

ABOVE, BELOW = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"


def title_of(keys: Sequence[EstimateKey], view: RunView) -> str:
    """Metric, and the common parts of all keys that vary in the run."""
    parts = [key_parts(key) for key in keys]
    shared = {n: v for n, v in parts[0].items() if all(p.get(n, "") == v for p in parts)}
    datasets = {e.key.dataset for e in view.estimates if e.key.diagnostic == keys[0].diagnostic}
    several = {
        "subject": len(own_subjects(view)) > 1,
        "dataset": len(datasets) > 1,
        "role": shared.get("role") != "measured",
        "group": shared.get("group") not in ("all", None),
    }
    said = [v for n, v in shared.items() if n.startswith("condition.") and v]
    said += [shared[n] for n, holds in several.items() if holds and shared.get(n)]
    name = key_title(keys[0])
    name = f"{family_name(keys[0].diagnostic)}: {name}"
    return " \N{MIDDLE DOT} ".join([name, *said])


def on_data(view: RunView, subject: str, dataset: str) -> str:
    """Short names of a model and a dataset of the run: "spam-filter on sms.csv"."""
    models, data = short_names(view.facts.subjects), short_names([d.name for d in view.datasets])
    return f"{models.get(subject, subject)} on {data.get(dataset, dataset)}"


def row_labels(keys: Sequence[EstimateKey]) -> list[str]:
    """Label of each key among neighbors of one metric; duplicates are numbered."""
    labels = distinct_labels(keys, without=frozenset({"diagnostic", "metric", "role"}))
    return numbered([keys[0].group] if len(keys) == 1 else _with_roles(keys, labels))


def full_labels(keys: Sequence[EstimateKey]) -> list[str]:
    """Label of each key among neighbors of any diagnostic and metric."""
    several = len({family_name(key.diagnostic) for key in keys}) > 1
    labels = distinct_labels(keys, without=frozenset({"diagnostic", "role"}))
    labels = [key_title(keys[0])] if len(keys) == 1 else _with_roles(keys, labels)
    heads = [f"{family_name(key.diagnostic)}: " if several else "" for key in keys]
    return numbered([head + label for head, label in zip(heads, labels, strict=True)])


def _with_roles(keys: Sequence[EstimateKey], labels: Sequence[str]) -> list[str]:
    """Labels with the role if it is not the usual one."""
    several = len({key.role for key in keys}) > 1
    return [
        f"{label} \N{MIDDLE DOT} {key.role}" if several and key.role != "measured" else label
        for key, label in zip(keys, labels, strict=True)
    ]


def plainly(value: float | None) -> str:
    """Reference value as stated, without additional digits.

    Examples
    --------
    >>> plainly(50.0), plainly(0.52), plainly(None)
    ('50', '0.52', '–')
    """
    return NO_VALUE if value is None else f"{value:.6g}".replace("-", MINUS)


def side_of(own: OwnInterval | None, reference: float | None) -> str:
    """Sign of an interval that excludes the reference value; empty otherwise."""
    if own is None or reference is None:
        return ""
    return ABOVE if own.low > reference else BELOW if own.high < reference else ""


def same_side(estimate: Estimate, reference: float | None) -> tuple[int, int] | None:
    """Number of replicates on the same side of the reference as their mean, and of all."""
    if reference is None or estimate.value is None or estimate.value == reference:
        return None
    up = estimate.value > reference
    values = estimate.by_replicate.values()
    agreeing = sum(v > reference if up else v < reference for v in values)
    return agreeing, len(estimate.by_replicate)


def mean_and_sd(values: Mapping[str, float], decimals: int) -> str:
    """``mean ± sd`` over replicates (ddof 1)."""
    from statistics import mean, stdev

    each = list(values.values())
    return f"{number(mean(each), decimals)} \N{PLUS-MINUS SIGN} {number(stdev(each), decimals)}"


def anchor(part: str, key: EstimateKey, *, without: Sequence[str] = ()) -> str:
    """Stable anchor of a chart: its part, and a digest of its content."""
    return f"reliability-{part}-{value_digest(identity(key, without=without), size=4)}"
