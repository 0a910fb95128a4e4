"""A finished run, as Python and notebooks see it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.boundary.given import path_given, text_given
from scrutiny.core.claim import Finding
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.estimate import Estimate
from scrutiny.core.expressions import gained
from scrutiny.core.slice_syntax import metric_and_slices, parted
from scrutiny.reliability.gate_rules import Rule
from scrutiny.report.formats.named import format_of, render
from scrutiny.report.reading.load import load_view
from scrutiny.run.estimating.judging import estimates_on, judge_run, names_slice
from scrutiny.store.files import save_text
from scrutiny.store.run_folder import RunFolder


class Records:
    """Raw measures that can be narrowed down and taken out as tables."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __len__(self) -> int:
        """Number of rows."""
        return int(self._table.num_rows)

    def where(self, **columns: object) -> "Records":
        """Rows whose columns have these values; None selects rows that have none.

        A mapping stands for its canonical JSON: ``condition={"draw": 0}``.

        Raises
        ------
        scrutiny.errors.PlanError
            For a name that is no column.
        """
        table = self._table
        for name, value in columns.items():
            if name not in table.column_names:
                raise PlanError(
                    f"Records have no column {name!r}: {', '.join(table.column_names)}."
                )
            if isinstance(value, Mapping):
                value = canonical_json(value)
            column = table[name]
            table = table.filter(pc.is_null(column) if value is None else pc.equal(column, value))
        return Records(table)

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table: zero-copy to pandas, polars, duckdb."""
        return self._table

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame."""
        return self._table.to_pandas()


def _the_one(metric: str, found: list[Estimate], others: Sequence[Estimate] = ()) -> Estimate:
    """The only one of some estimates; the same number of two diagnostics is one number.

    Raises
    ------
    PlanError
        If there is none, or more than one: the conditions that tell them apart are listed.
    """
    distinct = {(e.key.metric, e.value, canonical_json(_place(e))): e for e in found}
    if len(distinct) != 1:
        near = sorted({f"{e.key.metric} {_place(e)}" for e in found or others})
        raise PlanError(
            f"{len(distinct)} estimates fit {metric!r}; say which: {'; '.join(near[:8])}."
        )
    return next(iter(distinct.values()))


def _place(estimate: Estimate) -> dict[str, object]:
    """What an estimate is of, beside its metric."""
    key = estimate.key
    return {"subject": key.subject, "dataset": key.dataset, **key.condition}


class Run:
    """A finished run.

    Examples
    --------
    ``run.records("robustness").where(role="control").to_pandas()``
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.folder.path

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Plan, versions, identities, promise."""
        return self.folder.manifest

    def records(self, kind: str | None = None) -> Records:
        """Raw measures of all diagnostics, or of one: "robustness", with or without its version."""
        table = self.folder.records()
        if kind is not None:
            ends = [text_given(kind, "kind"), *(kind + mark for mark in "@#")]
            of_kind = pc.equal(table["kind"], ends[0])
            for start in ends[1:]:
                of_kind = pc.or_(of_kind, pc.starts_with(table["kind"], start))
            known = {m["kind"] for m in self.manifest.get("measure", {}).values()}
            known.update(pc.unique(table["kind"]).to_pylist())
            if not any(one == kind or one.startswith(tuple(ends[1:])) for one in known):
                raise UnknownNameError("kind of records in this run", kind, known)
            table = table.filter(of_kind)
        return Records(table)

    @property
    def items(self) -> pa.Table:
        """Content of every item."""
        return self.folder.items()

    @property
    def variants(self) -> pa.Table:
        """Every variant with its edits."""
        return self.folder.variants()

    @property
    def outputs(self) -> pa.Table:
        """What the models answered."""
        return self.folder.outputs()

    @property
    def estimates(self) -> list[Estimate]:
        """All numbers with their intervals and denominators."""
        return self.folder.estimates()

    @property
    def findings(self) -> list[Finding]:
        """All claims with their verdicts."""
        return self.folder.findings()

    def estimate(self, metric: str, *, group: str = "all", **condition: object) -> Estimate:
        """The one estimate of a metric with this condition, over all replicates.

        ``condition`` may name the ``dataset`` and the ``subject`` beside what varies in the run;
        versions may be left out. A slice behind the metric (``accuracy where length > 20``), or a
        column of the items (``a_topic="film"``), makes it the estimate on that slice, computed now
        if the run has not. ``accuracy where negated minus not negated`` is a gap of two slices,
        ``gain(drop(accuracy))`` the drop of the second model minus that of the first.

        Raises
        ------
        PlanError
            If there is none, or more than one: the conditions that tell them apart are listed.
        """
        texts = {n: v if isinstance(v, str) else canonical_json(v) for n, v in condition.items()}
        metric, where, minus = metric_and_slices(metric)
        columns, rest = parted(where)
        side = parted(minus) if minus else None
        rule = Rule(metric, ">", 0.0, {**texts, **columns}, rest, side)
        # which the run need not have computed
        if rest or side or gained(metric) or names_slice(self.folder, rule.where):
            return _the_one(metric, estimates_on(self.folder, rule, group=group))
        whole = [e for e in self.estimates if e.key.replicate is None]
        found = [
            e
            for e in whole
            if e.key.role != "control"
            and e.key.group == group
            and rule.fits(e.key.metric, _place(e))
        ]
        return _the_one(metric, found, whole)

    def gate(self, *rules: str) -> list[Finding]:
        """Finding of each rule, such as "drop(accuracy) <= 0.05"."""
        return judge_run(self.folder, [text_given(rule, "a rule") for rule in rules])

    def report(self, path: str | Path | None = None) -> str:
        """Report as text; written where a path is given, in the format of its suffix."""
        view = load_view(self.path)
        if path is None:
            return render(view, "text")
        place = Path(path_given(path, "report"))
        text = render(view, format_of(place))
        save_text(place, text)
        return text

    def __repr__(self) -> str:
        verdicts = [f.verdict for f in self.findings]
        said = ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts))
        return f"<Run {self.path}: {said or 'no claims'}>"

    def _repr_html_(self) -> str:
        from scrutiny.report.formats.snippet import render_snippet

        return render_snippet(load_view(self.path))
