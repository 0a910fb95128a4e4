"""How far to trust a section: each sentence is so of the numbers that it speaks of, or not said."""

from dataclasses import replace

import pytest
import report_sample

from scrutiny.core.record import Counts
from scrutiny.report.findings.audit_rows import sections
from scrutiny.report.findings.diagnostic_section import how_far


def said(*estimates):
    view = report_sample.sample()
    section = replace(sections(view)[0], estimates=estimates)
    return " ".join(how_far(section, view))


@pytest.fixture
def drops():
    found = [e for e in report_sample.sample().estimates if e.value is not None and e.variance]
    return [replace(e, counts=Counts(100)) for e in found[:3]]


def test_a_control_that_does_not_exist_is_no_missing_row(drops):
    absent = replace(
        drops[0],
        key=replace(drops[0].key, role="control"),
        value=None,
        low=None,
        high=None,
        counts=Counts(0, undefined=100),
        status="undefined",
    )
    text = said(*drops, absent)
    assert "No row of a value failed or was undefined." in text
    assert "Up to" not in text
    assert "1 of 4 numbers are missing, because their rows were undefined: " in text
    assert "control" in text


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (Counts(90, failed=10), "failed"),
        (Counts(90, undefined=10), "were undefined"),
        (Counts(90, undefined=5, failed=5), "failed or were undefined"),
    ],
)
def test_missing_rows_are_called_what_became_of_them(drops, counts, words):
    first, *others = drops
    text = said(replace(first, counts=counts), *others)
    assert f"Up to 10 % of the rows that applied {words} (" in text
    assert "do not exist" not in text


def test_many_absent_numbers_are_counted(drops):
    gone = {"value": None, "low": None, "high": None, "counts": Counts(0, failed=100)}
    absent = [replace(drops[0], key=replace(drops[0].key, group=f"g{i}"), **gone) for i in range(5)]
    text = said(*absent)
    assert "5 of 5 numbers are missing, because their rows failed: " in text
    assert "and 2 more" in text


def test_no_share_of_seeds_where_there_are_none(drops):
    parts = {"seeds": 0.0, "items": 1.0}
    one = [replace(e, n_replicates=1, variance=parts) for e in drops]
    held = [replace(e, method="items@1", variance=parts) for e in drops]
    assert "Seeds cause" not in said(*one)
    assert "Seeds cause" not in said(*held)
    assert "Seeds cause 0 % of the variance" in said(*one, replace(drops[0], variance=parts))


def test_of_nothing_nothing_is_said():
    assert "row" not in said()
