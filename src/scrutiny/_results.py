"""Finished run, for Python and notebooks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from scrutiny._table import ResultTable, numbers_table
from scrutiny.blocks.numbers import number
from scrutiny.blocks.scores import no_skill_in
from scrutiny.core.boundary.given import path_given, text_given
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.claim import Finding
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.estimate import DRAW, Estimate, of_all_draws
from scrutiny.core.expressions import metric_and_slices, names_metric
from scrutiny.core.slice_syntax import parted
from scrutiny.data.source import handed_over
from scrutiny.reliability.written_metrics import Rule, asks_more
from scrutiny.report.cases.changed_texts import CASES, EXPLAINED, case_rows
from scrutiny.report.cases.evidence import found_texts
from scrutiny.report.findings.risks import RiskLine, risks_of
from scrutiny.report.first_screen.content import FirstScreen, first_screen_of
from scrutiny.report.formats import format_of, render, write_report
from scrutiny.report.load import load_view
from scrutiny.report.signatures import Signer
from scrutiny.run.estimating.gate import estimates_on, gate_run, names_slice, not_in_run
from scrutiny.store.run_folder import RunFolder

if TYPE_CHECKING:
    from scrutiny.run.planning.loading import LoadedModels

_MOST_NAMED: Final = 8  # estimates
#: Columns of the table of risks.
_RISKS: Final = pa.schema(
    [(one.name, pa.string() if one.type is str else pa.float64()) for one in fields(RiskLine)]
)


def _the_one(
    metric: str,
    found: list[Estimate],
    others: Sequence[Estimate] = (),
    asked: Collection[str] = (),
) -> Estimate:
    """The only one of some estimates; the same number from two diagnostics counts once.

    Parameters
    ----------
    metric
        As it was asked for.
    found
        Estimates that fit.
    others
        Those of the run, to say which there are where none fits.
    asked
        Names of the conditions that were asked for.

    Raises
    ------
    PlanError
        If there is none, or more than one: what tells them apart is listed.
    UnknownNameError
        If the run has no such metric.
    """
    distinct = {(e.key.metric, e.value, canonical_json(_place(e))): e for e in found}
    if len(distinct) == 1:
        return next(iter(distinct.values()))
    if distinct:
        raise PlanError(
            f"{len(distinct)} estimates fit {metric!r}; choose one: "
            f"{_listed(_apart(list(distinct.values())))}."
        )
    alike = [e for e in others if names_metric(metric, e.key.metric)]
    if not alike:
        raise not_in_run(metric, {e.key.metric for e in others})
    raise PlanError(
        f"No estimate of {metric!r} fits these conditions. There are: "
        f"{_listed(_apart(alike, asked))}."
    )


def _listed(told: Sequence[str]) -> str:
    """Estimates by what tells them apart, and how many more there are."""
    more = len(told) - _MOST_NAMED
    return "; ".join([*told[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else [])])


def _apart(estimates: Sequence[Estimate], asked: Collection[str] = ()) -> list[str]:
    """Arguments that choose each of several estimates, with its value and items.

    Conditions that were ``asked`` for are named, too, where the estimates are alike in them.
    """
    places = [{**_origin(e), **_place(e)} for e in estimates]
    names = dict.fromkeys(name for place in places for name in place)
    values = {n: {canonical_json(place.get(n)) for place in places} for n in names}
    telling = [n for n in names if n in asked or len(values[n]) > 1]
    return sorted(
        f"{', '.join(f'{n}={place[n]!r}' for n in telling if n in place) or 'no condition'}"
        f" ({number(e.value)} on {e.counts.planned:,} items)"
        for e, place in zip(estimates, places, strict=True)
    )


def _origin(estimate: Estimate) -> dict[str, object]:
    """Diagnostic that an estimate is from, and its role there."""
    return {"diagnostic": estimate.key.diagnostic_name, "role": estimate.key.role}


def _place(estimate: Estimate) -> dict[str, object]:
    """Conditions of an estimate: subject, dataset, what varies in the run, and the group."""
    key = estimate.key
    group = {} if key.group == "all" else {"group": key.group}
    return {"subject": key.subject, "dataset": key.dataset, **key.condition, **group}


class Run:
    """Finished run: its estimates, findings, risks and cases.

    In a notebook it shows what was found, the verdicts first.

    Examples
    --------
    >>> import scrutiny
    >>> data = [{"text": "good", "label": "positive"}, {"text": "bad", "label": "negative"}]
    >>> run = scrutiny.run("performance", model="builtin:sentiment", data=data * 20)
    >>> run
    <Run of builtin:sentiment on list: 1 supported>
    >>> run.risks.columns[:4]
    ['state', 'what', 'cost', 'low']
    """

    def __init__(self, folder: RunFolder, models: "LoadedModels | None" = None) -> None:
        self.folder = folder
        self._models = models  # that can be asked again

    @property
    def path(self) -> Path:
        """Folder of the run."""
        return self.folder.path

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Manifest: plan, versions, identities, reproducibility."""
        return self.folder.manifest

    def records(self, kind: str | None = None) -> ResultTable:
        """Raw measures of all diagnostics, or of one: "robustness", with or without version."""
        table = self.folder.records()
        if kind is not None:
            ends = tuple(text_given(kind, "kind") + mark for mark in "@#")
            known = {m["kind"] for m in self.manifest.get("measure", {}).values()}
            known.update(pc.unique(table["kind"]).to_pylist())
            fitting = [one for one in known if one == kind or one.startswith(ends)]
            if not fitting:
                raise UnknownNameError("kind of records in this run", kind, known)
            table = table.filter(pc.is_in(table["kind"], value_set=pa.array(fitting)))
        return ResultTable(table)

    @property
    def items(self) -> pa.Table:
        """Table of all items."""
        return self.folder.items()

    @property
    def variants(self) -> pa.Table:
        """Table of all variants with their edits."""
        return self.folder.variants()

    @property
    def outputs(self) -> pa.Table:
        """Table of the models' answers."""
        return self.folder.outputs()

    @property
    def risks(self) -> ResultTable:
        """Risks by state: changes that hurt, that hold, and that can't be told.

        What hurts comes first, the largest cost first. What the columns are says
        `scrutiny.report.findings.risks.RiskLine`.

        A single state: ``run.risks.where(state="hurts")``.
        """
        rows = [asdict(risk) for risk in risks_of(self.findings)]
        return ResultTable(pa.Table.from_pylist(rows, schema=_RISKS))

    @property
    def first_screen(self) -> FirstScreen:
        """First screen: what a reader needs first, as terminal, page, comment and notebook show it.

        Title and scores, risks worst first with their costs and cases, what to do, and what would
        decide the rest; of an audit of language, signs over seeds.

        Raises
        ------
        scrutiny.errors.DataError
            If the run is not finished.
        """
        return first_screen_of(load_view(self.path))

    def cases(self, change: str | None = None, *, explain: bool | int = False) -> ResultTable:
        """Cases of one change, or of all: changed texts with answers before and after, worst first.

        Parameters
        ----------
        change
            Name of a transformation, an attack, or a composition: "typos", with or without its
            version. Default: all of the run.
        explain
            Ask the models again which words the answers to the changed texts hang on: of the 24
            worst, or of so many. Those get more columns: ``explained``, the answer in words,
            ``explained_by`` ("occlusion": each word is left out once), ``words``, and ``scores``,
            what the answer loses without each word, in probability. The page shows them from then
            on.

        Raises
        ------
        scrutiny.errors.UnknownNameError
            If the run has no such change.
        scrutiny.errors.PlanError
            If a model is to be asked again and is not at hand.

        Examples
        --------
        ``run.cases("typos").where(broken=1, label="positive").to_pandas()``
        """
        name = None if change is None else text_given(change, "change")
        rows = case_rows(self.folder, name, found_texts(self.path, self.estimates))
        if explain is False:
            return ResultTable(pa.Table.from_pylist(rows, schema=CASES))
        from scrutiny.run.explaining import MOST_EXPLAINED, explain_rows
        from scrutiny.run.planning.loading import LoadedModels

        most = MOST_EXPLAINED if explain is True else explain
        if not isinstance(most, int) or most < 1:
            raise PlanError(f"explain is {explain!r}: it is True, or a number of cases from 1 on.")
        explain_rows(self.folder, rows, self._models or LoadedModels(), most)
        schema = pa.schema([*CASES, *EXPLAINED])
        return ResultTable(pa.Table.from_pylist(rows, schema=schema))

    @property
    def estimates(self) -> list[Estimate]:
        """All estimates, with intervals and denominators."""
        return self.folder.estimates()

    @property
    def findings(self) -> list[Finding]:
        """All findings: claims with their verdicts."""
        return self.folder.findings()

    def estimate(self, metric: str, *, group: str = "all", **condition: object) -> Estimate:
        """The one estimate of a metric under this condition, over all replicates.

        ``condition`` may name the ``dataset``, the ``subject``, the ``diagnostic`` and the ``role``
        beside what varies in the run; versions may be left out. Of a number that one diagnostic
        reports and another only compares with (its baseline), the reported one is meant.

        A slice behind the metric (``accuracy where length > 20``), or a column of the items
        (``a_topic="film"``), makes it the estimate on that slice, computed now if the run has not.
        ``accuracy where negated minus not negated`` is a gap of two slices,
        ``gain(drop(accuracy))`` the drop of the second model minus that of the first.

        Raises
        ------
        PlanError
            If there is none, or more than one: the conditions that tell them apart are listed.
        UnknownNameError
            If the run has no such metric; similar names are listed.
        """
        texts = {n: v if isinstance(v, str) else canonical_json(v) for n, v in condition.items()}
        metric, where, minus = metric_and_slices(metric)
        columns, rest = parted(where)
        side = parted(minus) if minus else None
        rule = Rule(metric, ">", 0.0, {**texts, **columns}, rest, side)
        # which the run need not have computed
        if rest or side or asks_more(metric) or names_slice(self.folder, rule.where):
            return _the_one(metric, estimates_on(self.folder, rule, group=group))
        whole = [e for e in self.estimates if e.key.replicate is None]
        found = [
            e
            for e in whole
            if e.key.group == group and rule.fits(e.key.metric, {**_origin(e), **_place(e)})
        ]
        if "role" not in rule.where:  # none of controls, or of baselines beside a measured one
            found = [e for e in found if e.key.role != "control"]
            found = [e for e in found if e.key.role != "baseline"] or found
        if DRAW not in rule.where:
            found = of_all_draws(found, lambda e: e.key)
        return _the_one(metric, found, whole, asked=rule.where)

    def gate(self, *rules: str) -> list[Finding]:
        """Findings of rules such as "drop(accuracy) <= 0.05"."""
        return gate_run(self.folder, [text_given(rule, "a rule") for rule in rules])

    def report(self, path: str | Path | None = None) -> str:
        """Report as text; written to a path if given, in the format of its suffix."""
        view = load_view(self.path)
        if path is None:
            return render(view, "text")
        place = Path(path_given(path, "report"))
        return write_report(view, place, format_of(place))[place]

    def log_to(self, tracker: str) -> str:
        """Log numbers with limits, risks and the page to a tracker of experiments.

        Parameters
        ----------
        tracker
            ``mlflow`` (into the active run, if there is one), ``mlflow:URI``, ``wandb`` or
            ``wandb:PROJECT``. It needs the extra ``mlflow`` or ``wandb``.

        Raises
        ------
        scrutiny.errors.ScrutinyError
            If there is no such tracker, its package is not installed, or it refuses the run.
        """
        from scrutiny.report.exports.tracking import log_to

        return log_to(load_view(self.path), text_given(tracker, "tracker"))

    def signature(self, number: Estimate | Finding) -> str:
        """One line of a number that ``scrutiny verify`` checks against this run.

        Parameters
        ----------
        number
            One of `estimates`, or one of `findings`, whose limits hold for its whole family.

        Raises
        ------
        PlanError
            If it has no value.

        Examples
        --------
        ``run.signature(run.estimate("accuracy"))``
        """
        return str(Signer(self.folder).sign(number))

    @property
    def numbers(self) -> ResultTable:
        """All estimates as a table: one row each, with a column for each varying factor."""
        return ResultTable(numbers_table(self.estimates))

    def to_arrow(self) -> pa.Table:
        """All estimates as an Arrow table; raw measures are ``run.records()``."""
        return self.numbers.to_arrow()

    def to_pandas(self) -> Any:
        """All estimates as a pandas data frame."""
        return self.numbers.to_pandas()

    def to_polars(self) -> Any:
        """All estimates as a polars data frame; it needs the extra ``polars``."""
        return self.numbers.to_polars()

    def __repr__(self) -> str:
        """Models, data, that there is no skill, and number of verdicts of each kind."""
        verdicts = [f.verdict for f in self.findings]
        lacking = no_skill_in(self.findings)
        kinds = [f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts)]
        said = ", ".join([lacking.short, *kinds] if lacking else kinds)
        return f"<Run of {self._title()}: {said or 'no claims'}>"

    def _title(self) -> str:
        """Models and data, as given."""
        given = (self.manifest.get("models", {}), self.manifest.get("data", {}))
        own = [m for m in given[0].values() if m.get("role", "measured") == "measured"]
        models = dict.fromkeys(str(m["source"]).removeprefix("python:object:") for m in own)
        sources = [str(d["source"]) for d in given[1].values()]
        data = dict.fromkeys(handed_over(source) or source for source in sources)
        return f"{', '.join(models)} on {', '.join(data)}"

    def _repr_html_(self) -> str:
        from scrutiny.report.notebook import render_snippet

        return render_snippet(load_view(self.path))
