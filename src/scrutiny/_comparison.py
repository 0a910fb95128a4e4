"""Comparison of two runs, or of two models on data, in Python."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from scrutiny._api import run
from scrutiny._results import Run
from scrutiny._table import ResultTable, numbers_table
from scrutiny.core.boundary.given import path_given, plain_given
from scrutiny.core.claim import Finding
from scrutiny.core.errors import PlanError
from scrutiny.core.long_runs import Progress
from scrutiny.report.compare.certified import certified
from scrutiny.report.compare.headline import headline, verdicts
from scrutiny.report.compare.output import lines_of
from scrutiny.report.compare.page import page_of
from scrutiny.report.notebook import table_snippet
from scrutiny.run.comparing.comparison_results import CompareOptions, Level, SideBySide
from scrutiny.run.comparing.whole_comparison import compare_side_by_side
from scrutiny.store.files import save_text
from scrutiny.store.run_folder import RunFolder

#: What a notebook shows of each level, and of its inputs.
_OF_LEVEL: Final = ("dataset", "metric", "before", "after", "change", "low", "high", "n")
_INPUTS: Final = 5


class Comparison:
    """Comparison of two runs, the second against the first.

    Examples
    --------
    >>> seeds = "builtin:sentiment/seed-1", "builtin:sentiment/seed-2"
    >>> found = compare(*seeds, data="builtin:reviews", margin=0.05)
    >>> found.outcome
    'no regression'
    >>> found.levels.columns[:4]
    ['dataset', 'metric', 'condition', 'before']
    """

    def __init__(self, first: RunFolder, second: RunFolder, options: CompareOptions) -> None:
        self.first, self.second = Run(first), Run(second)
        self._margin = options.margin
        self._found: SideBySide = compare_side_by_side(first, second, options)

    @property
    def headline(self) -> str:
        """Whether the second is better or worse, by how much and where, in a few sentences."""
        said = headline(self._found)
        return " ".join((said.lead, *said.rest))

    @property
    def outcome(self) -> str | None:
        """``regression``, ``no regression`` or ``undecided``; None without a margin."""
        return self._found.outcome

    @property
    def certificate(self) -> str:
        """Certificate of the verdict: false alarms, and what would decide; empty without a margin.

        "Calls an unchanged system worse in at most 3 of 1,000 runs; finds a loss of 8.2 points in
        80 of 100." ``levels`` has the numbers.
        """
        return " ".join(certified(self._found, self._margin))

    @property
    def verdict(self) -> str:
        """Outcome in words, as ``scrutiny compare --margin`` prints it; empty without a margin."""
        return " ".join(verdicts(self._found, self._margin))

    @property
    def levels(self) -> ResultTable:
        """Accuracy or mean score on each dataset, before and after, with the change's interval."""
        return _table(_level_row(level) for level in self._found.levels)

    @property
    def slices(self) -> ResultTable:
        """All tested slices with their changes, clearest first."""
        rows = (
            {"dataset": level.dataset, **_members(change), "change": change.value}
            | {"is_shown": change.is_shown}
            for level in self._found.levels
            for change in sorted(level.changes[1:], key=lambda one: one.p_holm)
        )
        return _table(rows)

    @property
    def inputs(self) -> ResultTable:
        """Inputs with different answers; largest differences beyond noise first."""
        rows = (
            {"dataset": level.dataset, **_members(one), "slices": ", ".join(one.slices)}
            for level in self._found.levels
            for one in level.disagreements
        )
        return _table(rows)

    @property
    def findings(self) -> list[Finding]:
        """Differences of all numbers that both runs have, with verdicts."""
        return [*self._found.comparison.findings]

    @property
    def numbers(self) -> ResultTable:
        """Differences of all shared numbers as a table, second minus first."""
        return ResultTable(numbers_table([f.estimate for f in self.findings if f.estimate]))

    def report(self, path: str | Path | None = None) -> str:
        """Output of ``scrutiny compare --all``; also written as a page if a path is given."""
        if path is None:
            lines = lines_of(self._found, margin=self._margin, top=_INPUTS, is_whole=True)
            return "\n".join(line.plain for line in lines)
        place = Path(path_given(path, "report"))
        sides = [(str(one.path), one.folder) for one in (self.first, self.second)]
        page = page_of(self._found, sides, margin=self._margin, command="scrutiny.compare(...)")
        save_text(place, page)
        return page

    def __repr__(self) -> str:
        """Headline of the comparison."""
        return f"<Comparison: {self.headline}>"

    def _repr_html_(self) -> str:
        rows = [{n: row[n] for n in _OF_LEVEL} for row in self.levels]
        inputs = [*self.inputs][:_INPUTS]
        shown = ("text", "first", "second", "gold", "slices")
        said = [*verdicts(self._found, self._margin), *certified(self._found, self._margin)]
        own = table_snippet(_OF_LEVEL, rows, title=self.headline, said=said)
        more = len(self.inputs) - len(inputs)
        return own + (table_snippet(shown, inputs, n_more=more) if inputs else "")


def compare(  # noqa: PLR0913 - a notebook shows the names of all that can be asked
    first: Any,
    second: Any,
    data: Any = None,
    *,
    margin: float | None = None,
    baseline_rerun: Any = None,
    where: str | Sequence[str] = (),
    paired: bool | None = None,
    task: str = "",
    columns: Mapping[str, str | Sequence[str]] | None = None,
    labels: Mapping[Any, Any] | None = None,
    seed: int | None = None,
    workers: int = 1,
    progress: bool | Progress | None = None,
    cache: str | Path | None = None,
) -> Comparison:
    """Compare a second run, or model, with a first.

    Parameters
    ----------
    first, second
        Two runs or their folders; or, with ``data``, two models: strings or objects.
    data
        Data for two models: a data string or an object, as in `scrutiny.run`.
    margin
        Largest tolerable loss (0.02); with it there is an outcome.
    baseline_rerun
        Another run of the first model, for the noise floor: how much it differs from itself.
    where
        One or several slices to test in addition to the declared ones.
    paired
        Whether replicate k of one belongs to replicate k of the other; by default, if both have
        the same.
    task, columns, labels, seed, workers, progress, cache
        Of the models' runs, as in `scrutiny.run`.

    Raises
    ------
    scrutiny.errors.ScrutinyError
        If the two share no items, or models come without data.
    """
    slices = (where,) if isinstance(where, str) else tuple(where)
    of_data = {"task": task or None, "columns": columns, "labels": labels, "seed": seed}
    stated = next((name for name, value in of_data.items() if value is not None), None)
    if data is not None:
        running: dict[str, Any] = {"workers": workers, "progress": progress, "cache": cache}
        asked: dict[str, Any] = {**of_data, "task": task, **running}
        sides = [run("performance", one, data, **asked) for one in (first, second)]
    elif stated:
        raise PlanError(
            f"{stated}= is about models that are asked on data, and none are given: give data=, "
            "or leave it out to compare two finished runs."
        )
    else:
        sides = [_run_of(one, of) for one, of in ((first, "first"), (second, "second"))]
    options = CompareOptions(
        paired=paired,
        margin=plain_given(margin),
        where=slices,
        baseline_rerun=(
            None if baseline_rerun is None else _run_of(baseline_rerun, "baseline_rerun").folder
        ),
    )
    return Comparison(sides[0].folder, sides[1].folder, options)


def _run_of(given: Any, name: str) -> Run:
    """Finished run, from a run or its folder.

    Raises
    ------
    PlanError
        If it is neither.
    """
    if isinstance(given, Run):
        return given
    if isinstance(given, str | Path) and (Path(given).exists() or ":" not in str(given)):
        return Run(RunFolder.open(given))
    said = repr(given) if isinstance(given, str) else f"of type {type(given).__name__}"
    raise PlanError(
        f"compare: {name} is {said}, and without data it must be a run or the folder of one. Two "
        "models are compared on data: scrutiny.compare(a, b, data=...)."
    )


def _level_row(level: Level) -> dict[str, Any]:
    """Row of a level; the interval is of second minus first."""
    whole, found = level.overall, level.difference
    ends = (None if found.high is None else -found.high, None if found.low is None else -found.low)
    return {
        "dataset": level.dataset,
        "metric": level.metric.partition("@")[0],
        "condition": level.condition or None,
        "before": whole.before,
        "after": whole.after,
        "change": whole.value,
        "low": ends[0],
        "high": ends[1],
        "n": whole.n,
        "noise": level.noise.share,
        "could_show": level.detectable,
        "outcome": level.outcome,
    }


def _members(value: Any) -> dict[str, Any]:
    """Fields of a value, with lists as texts."""
    return {one.name: getattr(value, one.name) for one in fields(value)}


def _table(rows: Any) -> ResultTable:
    return ResultTable(pa.Table.from_pylist([*rows]))
