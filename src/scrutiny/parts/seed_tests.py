"""Tests of single replicates, with the smallest p that each could have."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rich.text import Text

from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.grouping import grouped
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.part import MOST_ROWS
from scrutiny.parts.run.identity import anchor, identity
from scrutiny.parts.run.view import RunView
from scrutiny.parts.terminal.layout import fold, side_by_side, wrapped
from scrutiny.parts.titles import title_of
from scrutiny.parts.wording.labels import capitalized, metric_words, replicate_words, row_labels
from scrutiny.parts.wording.numbers import NO_VALUE, p_value
from scrutiny.reliability.replicates.tests import is_test

ALPHA: Final = 0.01
_MOST_COLUMNS: Final = 10  # replicates with a column each; of more, the range is shown
_MOST_PRINTED: Final = 8  # estimates of a test in a terminal
_CAPTION: Final = (
    "p of every replicate; the shares count replicates with p \N{LESS-THAN OR EQUAL TO} .01, alone "
    "and with Holm's correction over the rows of the same test. If the smallest possible p of a "
    "test is above .01, no model can pass it."
)


@dataclass(frozen=True, slots=True)
class SeedTests:
    """One test of one estimate for every replicate; rows are estimates whose value is p."""

    rows: tuple[Estimate, ...]

    @property
    def metric(self) -> str:
        """Name of the test."""
        return self.rows[0].key.metric

    @property
    def smallest(self) -> float:
        """Smallest p that any replicate could have."""
        return min(e.across["smallest_p"] for e in self.rows)

    @property
    def passed(self) -> str:
        """Number of replicates with p of at most `ALPHA`, and of all, as "3/5"."""
        return f"{sum((e.value or 0.0) <= ALPHA for e in self.rows)}/{len(self.rows)}"

    @property
    def passed_holm(self) -> str:
        """The same after Holm's correction; an en dash if there is only one test."""
        each = [e.across["holm"] for e in self.rows if "holm" in e.across]
        return f"{sum(p <= ALPHA for p in each)}/{len(each)}" if each else NO_VALUE


def tests_beside(
    estimates: Iterable[Estimate], view: RunView
) -> dict[str, Mapping[str, SeedTests]]:
    """Tests stored with these estimates: by metric, and the index of the estimate."""
    wanted = {tests_row(e) for e in estimates}
    having = [e for e in view.estimates if is_test(e) and e.value is not None]
    of_these = [e for e in having if tests_row(e) in wanted]
    return {
        metric: {
            place: SeedTests(tuple(rows))
            for place, rows in grouped((tests_row(e), e) for e in members).items()
        }
        for metric, members in grouped((e.key.metric, e) for e in of_these).items()
    }


def tests_row(estimate: Estimate) -> str:
    """Row that an estimate has in tables by seed, shared with the tests of its replicates."""
    return identity(estimate.key, without=["metric", "replicate"])


def chart_of_tests(metric: str, tests: Sequence[SeedTests], view: RunView) -> Chart:
    """Table of one test: p of every replicate, shares that pass, smallest possible p."""
    shown = tests[:MOST_ROWS]
    keys = [t.rows[0].key for t in shown]
    names = list(dict.fromkeys(e.key.replicate or "" for t in shown for e in t.rows))
    one_each = len(names) <= _MOST_COLUMNS
    columns = [replicate_words(n) for n in names] if one_each else ["min p", "max p"]
    header = ("", *columns, "p \N{LESS-THAN OR EQUAL TO} .01", "after Holm", "smallest p")
    rows = []
    for label, test in zip(row_labels(_of_any_replicate(keys)), shown, strict=True):
        found = {e.key.replicate: e.value for e in test.rows}
        each = [found.get(n) for n in names] if one_each else _ends(test)
        cells = [p_value(p) for p in each]
        rows.append((label, *cells, test.passed, test.passed_holm, p_value(test.smallest)))
    return Chart(
        anchor=anchor(f"tests-{metric.partition('@')[0]}", keys[0]),
        title=title_of(_of_any_replicate(keys), view),
        caption=_CAPTION,
        table=ChartTable(header, tuple(rows)),
    )


def _of_any_replicate(keys: Sequence[EstimateKey]) -> list[EstimateKey]:
    return [replace(key, replicate=None) for key in keys]


def _ends(test: SeedTests) -> list[float | None]:
    values = [e.value for e in test.rows if e.value is not None]
    return [min(values), max(values)]


def tests_lines(view: RunView) -> Iterator[Text]:
    """P-values over replicates, with the smallest possible one, for each test, for a terminal.

    Of those that stand beside the claims' own estimates, where there are any.
    """
    claimed = [f.estimate for f in view.findings if f.estimate is not None]
    beside = tests_beside(claimed, view) or tests_beside(view.estimates, view)
    for metric, found in beside.items():
        tests = list(found.values())
        labels = row_labels(_of_any_replicate([test.rows[0].key for test in tests]))
        yield Text()
        title = capitalized(f"{metric_words(metric)}, one replicate at a time")
        yield Text(title, style="bold")
        header = ("test", 33), ("p, min\N{EN DASH}max", 17), ("p ≤ .01", 8), ("Holm", 7)
        yield Text(side_by_side(*header, ("smallest p", 12)), style="dim")
        for label, test in list(zip(labels, tests, strict=True))[:_MOST_PRINTED]:
            first, *others = fold(label, 32) or [""]
            span = " … ".join(map(p_value, _ends(test)[: len(test.rows)]))
            cells = (span, 17), (test.passed, 8), (test.passed_holm, 7)
            yield Text(side_by_side((first, 33), *cells, (p_value(test.smallest), 12)))
            yield from (Text(piece) for piece in others)
        if len(tests) > _MOST_PRINTED:
            yield from wrapped(f"… and {len(tests) - _MOST_PRINTED} more; `--format md` has them.")
