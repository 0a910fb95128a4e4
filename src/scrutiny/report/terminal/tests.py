"""Tests of single replicates, and correlations over replicates, for a terminal."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from rich.text import Text

from scrutiny.core.grouping import grouped
from scrutiny.parts.charts.vega import metric_title
from scrutiny.parts.run.view import RunView
from scrutiny.parts.seed_tests import SeedTests, is_test, place_of
from scrutiny.parts.wording.labels import capitalized
from scrutiny.parts.wording.layout import fold, side_by_side, wrapped
from scrutiny.parts.wording.numbers import p_value
from scrutiny.parts.words import row_labels

_MOST_TESTS: Final = 8


def tests_lines(view: RunView) -> Iterator[Text]:
    """P-values over replicates, with the smallest possible one, for each test.

    Of those that stand beside the claims' own estimates, where there are any.
    """
    tests = [e for e in view.estimates if is_test(e) and e.value is not None]
    claimed = {place_of(f.estimate) for f in view.findings if f.estimate is not None}
    tests = [e for e in tests if place_of(e) in claimed] or tests
    for metric, rows in grouped((e.key.metric, e) for e in tests).items():
        found = [SeedTests(tuple(own)) for own in grouped((place_of(e), e) for e in rows).values()]
        labels = row_labels([replace(t.rows[0].key, replicate=None) for t in found])
        yield Text()
        title = f"{metric_title(metric)}, one replicate at a time"
        yield Text(capitalized(title), style="bold")
        header = ("test", 33), ("p, min\N{EN DASH}max", 17), ("p ≤ .01", 8), ("Holm", 7)
        yield Text(side_by_side(*header, ("smallest p", 12)), style="dim")
        for label, test in list(zip(labels, found, strict=True))[:_MOST_TESTS]:
            first, *others = fold(label, 32) or [""]
            yield Text(side_by_side((first, 33), *_cells(test)))
            yield from (Text(piece) for piece in others)
        if len(found) > _MOST_TESTS:
            yield from wrapped(f"… and {len(found) - _MOST_TESTS} more; `--format md` has them.")


def _cells(test: SeedTests) -> tuple[tuple[str, int], ...]:
    values = [e.value for e in test.rows if e.value is not None]
    span = p_value(min(values))
    span += f" … {p_value(max(values))}" if len(values) > 1 else ""
    smallest = p_value(test.smallest)
    return (span, 17), (test.passed, 8), (test.passed_holm, 7), (smallest, 12)
