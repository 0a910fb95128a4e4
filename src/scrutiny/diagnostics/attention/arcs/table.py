"""The dependency-head table: which head and which offset are best at each relation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scrutiny.core.estimate import Estimate
from scrutiny.diagnostics.attention.arcs.params import DIRECTIONS, OFFSETS


@dataclass(frozen=True, slots=True)
class DependencyHead:
    """One row of the table.

    Parameters
    ----------
    relation
        Name of the relation, or ``all``.
    layer, head, direction
        The best head on all sentences, layer and head counted from 1, and how it is read.
    best
        Its accuracy on the sentences it was chosen on, as published.
    selected
        Accuracy of the head chosen on the other half: an honest one, with its interval.
    offset
        The best offset on all sentences.
    best_offset, selected_offset
        The same two numbers of offsets.
    beyond
        Chosen head minus chosen offset.
    """

    relation: str
    layer: int
    head: int
    direction: str
    best: Estimate
    selected: Estimate
    offset: int
    best_offset: Estimate
    selected_offset: Estimate
    beyond: Estimate

    @property
    def line(self) -> str:
        """The row for a terminal."""
        return (
            f"{self.relation:<12} {self.layer:>2}-{self.head:<2} {self.direction:<17} "
            f"{_percent(self.best):>5} {_between(self.selected):<20} {self.offset:>+2d} "
            f"{_percent(self.best_offset):>5} {_between(self.selected_offset):<20} "
            f"{_between(self.beyond)}"
        )


def dependency_heads(
    estimates: Iterable[Estimate], *, subject: str, dataset: str, preset: str = "default"
) -> list[DependencyHead]:
    """Rows of the table, in the order of the estimates; relations without a value are left out.

    Parameters
    ----------
    estimates
        Of a finished run.
    subject, dataset
        Which family on which data.
    preset
        Way from pieces to words.
    """
    by_relation: dict[str, dict[str, list[Estimate]]] = {}
    for one in estimates:
        key = one.key
        if not key.diagnostic.startswith("attention.arcs@") or key.role != "measured":
            continue
        if (key.subject, key.dataset, key.replicate) != (subject, dataset, None):
            continue
        condition = key.condition
        if condition.get("preset") == preset and "tree" not in condition and one.value is not None:
            metrics = by_relation.setdefault(str(condition["relation"]), {})
            metrics.setdefault(key.metric, []).append(one)
    rows = (_row(relation, metrics) for relation, metrics in by_relation.items())
    return [row for row in rows if row is not None]


def _row(relation: str, metrics: Mapping[str, Sequence[Estimate]]) -> DependencyHead | None:
    """Row of one relation, if it has all numbers."""
    once = [
        metrics.get(f"{name}@1", [None])[0]
        for name in (
            "selected_head(accuracy)",
            "selected_baseline(accuracy)",
            "selected_head_over_baseline(accuracy)",
        )
    ]
    heads, offsets = metrics.get("head(accuracy)@1", ()), metrics.get("baseline(accuracy)@1", ())
    selected, selected_offset, beyond = once
    if not heads or not offsets or not selected or not selected_offset or not beyond:
        return None
    best, offset = (max(several, key=_value) for several in (heads, offsets))  # first of equals
    return DependencyHead(
        relation=relation,
        layer=_place(best, "layer"),
        head=_place(best, "head"),
        direction=DIRECTIONS[_place(best, "direction") - 1],
        best=best,
        selected=selected,
        offset=OFFSETS[_place(offset, "offset") - 1],
        best_offset=offset,
        selected_offset=selected_offset,
        beyond=beyond,
    )


def _value(one: Estimate) -> float:
    return -1.0 if one.value is None else one.value


def _place(one: Estimate, axis: str) -> int:
    return int(str(one.key.condition[axis]))


def _percent(one: Estimate) -> str:
    return f"{100 * _value(one):.1f}"


def _between(one: Estimate) -> str:
    if one.low is None or one.high is None:
        return _percent(one)
    return f"{_percent(one)} [{100 * one.low:.1f}, {100 * one.high:.1f}]"
