"""``check_part`` passes what the report shows and names the first broken promise."""

from dataclasses import replace

import pytest

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.run_view import RunFacts, RunView
from scrutiny.blocks.section import ColumnsBlock, Part, ReportPart
from scrutiny.core.errors import ConformanceError
from scrutiny.testing import check_part

VIEW = RunView(RunFacts("a run", title="x"))
CHART = Chart("own-table", "A table", "", ChartTable(("of", "n"), (("x", "1"),)))
GOOD = Part("own", "A question?", "How to read it.", (CHART,))


def of(made):
    return ReportPart("What it shows.", lambda view: made if view.facts.title else None)


def test_a_part_that_keeps_its_promises_passes():
    check_part(of(GOOD), VIEW)


RAGGED_COLUMNS = ColumnsBlock(("of", "n"), (10, 5), (("x",),))
RAGGED = replace(CHART, table=ChartTable(("of", "n"), (("x",),)))


@pytest.mark.parametrize(
    ("part", "says"),
    [
        (ReportPart(None, lambda view: GOOD), "does not say"),
        (ReportPart("s", lambda view: GOOD), "shown for an empty run"),
        (of(None), "not shown for a run that has its data"),
        (of(replace(GOOD, lead="")), "lacks a title, a lead"),
        (of(replace(GOOD, charts=(CHART, CHART))), "anchors are not their own"),
        (of(replace(GOOD, anchor="not an anchor")), "anchors are not their own"),
        (of(replace(GOOD, charts=(RAGGED,))), "empty or ragged"),
        (replace(of(GOOD), lines=lambda view: [RAGGED_COLUMNS]), "rows in columns are ragged"),
    ],
)
def test_the_first_broken_promise_is_named(part, says):
    with pytest.raises(ConformanceError, match=says):
        check_part(part, VIEW)
