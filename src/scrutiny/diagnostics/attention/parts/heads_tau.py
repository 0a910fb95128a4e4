"""Tau between rankings of heads: between datasets, and of score and gain, with its nulls."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.labels import metric_words
from scrutiny.blocks.numbers import NO_VALUE, interval
from scrutiny.blocks.run_estimates import by_identity, identity, main_estimates
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import Part, ReportPart
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.record import grouped
from scrutiny.diagnostics.attention.parts.head_study import (
    HEADS,
    condition_words,
    head_study,
    score_rank,
    short_names,
)
from scrutiny.reliability.replicates import is_test

ALPHA: Final = 0.05  # of one run by itself, as the paper counts them
_HALVES: Final = "split_half_tau"
_ROLES: Final = ("null", "measured")  # a control family's estimates share a role with pseudo-cues
_LEAD: Final = (
    "Kendall's tau-b over all heads. Tau between datasets is compared with that of untrained "
    "networks (rarely 0) and with that between halves of one dataset (the ceiling); noise lowers "
    "all three. The counts are runs whose own test has p < .05, which says nothing about other "
    'texts. "The rich get richer": as published, the score before training is on both sides, '
    "and its noise alone makes tau negative; with the score from the other half it does not."
)


class KnownEstimates:
    """Estimates of a run by their key."""

    def __init__(self, view: RunView) -> None:
        self.bases = head_study(view).bases
        self.whole = [e for e in main_estimates(view) if e.key.replicate is None]
        self._by = {identity(e.key): e for e in self.whole}
        self._roles = {e.key.subject: e.key.role for e in self.whole if e.key.role in _ROLES}
        self._apart = grouped(
            (identity(replace(e.key, role="", reference=None)), e)
            for e in self.whole
            if e.key.role == "contrast" and e.key.reference
        )
        self._tests = by_identity(filter(is_test, view.estimates), without=["replicate"])

    def of(self, key: EstimateKey, **changes: object) -> Estimate | None:
        """Estimate that differs from a key in these fields."""
        return self._by.get(identity(replace(key, **changes)))  # type: ignore[arg-type]

    def tests(self, key: EstimateKey) -> Sequence[Estimate]:
        """Tests of single replicates for an estimate of tau."""
        name = "{}_kendall({})@1".format(*name_and_arguments(key.metric))
        return self._tests.get(identity(replace(key, metric=name), without=["replicate"]), ())

    def named(self, name: str) -> list[Estimate]:
        """Estimates of measured families by the name of their metric, F1 first."""
        found = [
            e
            for e in self.whole
            if e.key.role == "measured" and name_and_arguments(e.key.metric)[0] == name
        ]
        return sorted(found, key=lambda e: score_rank(name_and_arguments(e.key.metric)[1]))

    def others(self, e: Estimate) -> dict[str, Estimate]:
        """Differences of an estimate from other families, by their role."""
        found: dict[str, Estimate] = {}
        for other in self._apart.get(identity(replace(e.key, role="", reference=None)), ()):
            family = other.key.reference or ""
            is_base = family == self.bases.get(e.key.subject)
            found.setdefault("base" if is_base else self._roles.get(family, "control"), other)
        return found


def part(view: RunView) -> Part | None:
    """Tables of tau between datasets and between halves, and of gains."""
    known = KnownEstimates(view)
    datasets = {e.key.dataset for e in known.whole}
    between, gains = known.named("heads_tau"), known.named("gain_tau")
    halves = [] if between else known.named(_HALVES)
    made = [
        _table(
            [_between_row(e, known, label=_label(e, between), names=datasets) for e in between],
            anchor="heads-tau-between-table",
            title="Does the ranking of heads agree on two datasets?",
            caption="Halves of one dataset show about the tau that two datasets of half the size "
            "could reach.",
        ),
        _table(
            [{"": _label(e, halves), "tau between halves": interval(e)} for e in halves],
            anchor="heads-tau-halves-table",
            title="Does the ranking of heads agree on two halves of the data?",
            caption="There is only one dataset, so only the ceiling can be shown.",
        ),
        _table(
            [_gain_row(e, known, label=_label(e, gains)) for e in gains],
            anchor="heads-tau-gains-table",
            title="Do good heads gain more?",
            caption="Tau of a head's score before training and its gain.",
        ),
    ]
    charts = tuple(chart for chart in made if chart is not None)
    return Part("heads-tau", "Rankings of heads", _LEAD, charts, chapter=HEADS) if charts else None


def _between_row(
    e: Estimate, known: KnownEstimates, *, label: str, names: set[str]
) -> dict[str, str]:
    """Cells of one tau by their column."""
    _, score = name_and_arguments(e.key.metric)
    both = e.key.dataset  # names that are joined with a plus sign
    pairs = ((both[:at], both[at + 1 :]) for at, sign in enumerate(both) if sign == "+")
    sides = next((pair for pair in pairs if names.issuperset(pair)), ())
    halves = [
        interval(known.of(e.key, metric=f"{_HALVES}({score})@1", dataset=name)) for name in sides
    ] or [NO_VALUE] * 2
    tests = [test.value for test in known.tests(e.key) if test.value is not None]
    apart = known.others(e)
    level = {
        role: known.of(e.key, role=role, subject=other.key.reference)
        for role, other in apart.items()
    }
    return {
        "": label,
        "tau": interval(e),
        "runs p < .05": f"{sum(p < ALPHA for p in tests)}/{len(tests)}" if tests else NO_VALUE,
        "untrained": interval(level.get("null")),
        "minus untrained": interval(apart.get("null"), signed=True),
        "control task": interval(level.get("control")),
        "minus control": interval(apart.get("control"), signed=True),
        "minus before training": interval(apart.get("base"), signed=True),
        "halves, first dataset": halves[0],
        "halves, second": halves[1],
    }


def _gain_row(e: Estimate, known: KnownEstimates, *, label: str) -> dict[str, str]:
    """Cells of one family's gains by their column."""
    _, score = name_and_arguments(e.key.metric)
    metric = f"gain_tau_other_half({score})@1"
    base = known.bases.get(e.key.subject)
    families = [name for name, of in known.bases.items() if of == base and name != e.key.subject]
    controls = (known.of(e.key, subject=name, role="control") for name in families)
    control = next((one for one in controls if one is not None), None)
    other = known.of(e.key, metric=metric)
    control_other = None if control is None else known.of(control.key, metric=metric)
    minus = known.others(other or e).get("control")
    tests = [t for t in known.tests(e.key) if t.value is not None and "tau" in t.across]
    is_below = [t.across["tau"] < 0 for t in tests if (t.value or 0.0) < ALPHA]
    below, above = (
        f"{count}/{len(tests)}" if tests else NO_VALUE
        for count in (sum(is_below), len(is_below) - sum(is_below))
    )
    return {
        "": label,
        "as published": interval(e, signed=True),
        "runs below 0, p < .05": below,
        "runs above 0": above,
        "other half": interval(other, signed=True),
        "control, as published": interval(control, signed=True),
        "control, other half": interval(control_other, signed=True),
        "minus control": interval(minus, signed=True),
    }


def _label(e: Estimate, beside: Sequence[Estimate]) -> str:
    """Label of a row: score, family, dataset and condition, as far as they differ."""
    _, score = name_and_arguments(e.key.metric)
    families = {o.key.subject for o in beside}
    datasets = short_names(list(dict.fromkeys(o.key.dataset for o in beside)))
    parts = [e.key.subject] if len(families) > 1 else []
    parts += [datasets[e.key.dataset]] if len(datasets) > 1 else []
    words = condition_words(e.key)
    return " \N{MIDDLE DOT} ".join([metric_words(score), *parts, *([words] if words else [])])


def _table(
    rows: Sequence[Mapping[str, str]], *, anchor: str, title: str, caption: str
) -> Chart | None:
    """Table without empty columns."""
    if not rows:
        return None
    header = [n for n in rows[0] if not n or any(row[n] != NO_VALUE for row in rows)]
    cells = tuple(tuple(row[n] for n in header) for row in rows)
    return Chart(anchor, title, caption, ChartTable(tuple(header), cells))


PART: Final = ReportPart(__doc__, part)
