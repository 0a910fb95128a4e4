"""Similarity of last-layer vectors, compared with other runs and untrained networks.

Never one measure alone; what a model's own runs share is the most that can be expected of another.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from scrutiny.blocks.charts import Chart
from scrutiny.blocks.forest import Line, forest_or_table
from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import Part, ReportPart, part_of
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped

_METRIC: Final = "likeness("
_LEAD: Final = (
    "1 means equal, up to transformations that the measure ignores; do not read one measure "
    "alone. The first model is compared with its own other runs, if there are any: the highest "
    "value to expect."
)


@dataclass(frozen=True, slots=True)
class Likened:
    """One measure of the similarity of last-layer vectors.

    Parameters
    ----------
    value
        The second model beside the first.
    own
        Another run of the first beside the first; the first beside itself where there is one run.
    untrained
        Untrained networks of the second's kind beside the first, where there are any.
    """

    value: Estimate
    own: Estimate | None
    untrained: Estimate | None

    @property
    def measure(self) -> str:
        """The measure."""
        return self.value.key.metric.partition("(")[2].partition(")")[0]

    @property
    def pooling(self) -> str:
        """How a text becomes one vector."""
        return str(self.value.key.condition.get("pooling", ""))


def likened_in(estimates: Iterable[Estimate]) -> list[Likened]:
    """Every measure of the last layers of two models, with its baselines."""
    known = [e for e in estimates if e.key.metric.startswith(_METRIC)]
    by_key = {identity(e.key): e for e in known}

    def beside(one: Estimate, **other: Any) -> Estimate | None:
        return by_key.get(identity(replace(one.key, **other)))

    nulls = {e.key.subject for e in known if e.key.role == "null"}
    found = []
    for one in known:
        key = one.key
        if (key.role, key.condition.get("layer")) != ("measured", "last"):
            continue
        untrained = next((n for n in sorted(nulls) if n.startswith(f"{key.subject} ")), "")
        if key.subject != key.reference and key.replicate is None:
            own = beside(one, subject=key.reference)
            found.append(Likened(one, own, beside(one, subject=untrained, role="null")))
    return found


def likeness_chart(found: Iterable[Likened], anchor: str, title: str) -> Iterable[Chart]:
    """Each measure with its baselines; `None` without measures."""
    lines = []
    for one in found:
        name = one.measure.replace("_", " ")
        series = {
            "second and first": one.value,
            "the first and itself": one.own,
            "untrained networks": one.untrained,
        }
        label = f"{name} ({one.pooling})" if one.pooling else name
        lines.append(Line(label, {n: e for n, e in series.items() if e is not None}))
    return forest_or_table(anchor, title, _LEAD, lines, metric="likeness")


def part(view: RunView) -> Part | None:
    """Similarity of last-layer vectors: a chart for each pair of models and dataset."""
    keys = ((one, one.value.key) for one in likened_in(view.estimates))
    pairs = grouped((f"{k.subject} and {k.reference} on {k.dataset}", one) for one, k in keys)
    charts = [
        chart
        for n, (name, several) in enumerate(pairs.items())
        for chart in likeness_chart(several, f"likeness-{n}", name)
    ]
    title = "Similarity of last-layer vectors"
    return part_of("likeness", title, "", charts, "models beside a reference")


PART: Final = ReportPart(__doc__, part)
