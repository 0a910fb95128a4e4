"""Suites: the matrix of capabilities and kinds of tests, and every test with its numbers.

Rows are capabilities, columns kinds of tests (minimum functionality, invariance, directional), as
in CheckList (Ribeiro et al. 2020); contrast sets and frozen changes have tables of their own.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.heat_maps import matrix_map
from scrutiny.blocks.numbers import NO_VALUE, interval
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, MOST_ROWS, Part, ReportPart, left_out, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.estimate import Estimate
from scrutiny.core.example import PERTURBATION
from scrutiny.core.record import grouped
from scrutiny.diagnostics.suites.suites import cases_in

if TYPE_CHECKING:
    from scrutiny.store.run_folder import RunFolder


_KINDS: Final = ("minimum functionality", "invariance", "directional")
_FAILED: Final = "share(failed)"
#: Share of failures that has the strongest color, in percent.
_STRONGEST: Final = 50.0
_LEAD: Final = (
    "The share of cases whose answer is not as the suite expects. Minimum functionality: simple "
    "texts that a model should get right. Invariance: changes that should not change its answer. "
    "Directional: changes that should move a probability one way. A model that gives one answer "
    "to everything passes every invariance test, so read the columns together."
)
_COLUMNS: Final = (
    ("cases failed", _FAILED, "measured"),
    ("under random change", _FAILED, "control"),
    ("score lost", "drop", "measured"),
    ("beyond random", "excess", "measured"),
    ("answers changed", "flip_rate", "measured"),
    ("whole groups right", "share(whole)", "measured"),
    ("by chance", "chance_consistency", "measured"),
    ("all originals of a group right", "whole_originals", "measured"),
    ("all its changed texts right", "whole_changed", "measured"),
)
_OF_CASES: Final = ("outcome", "test", "case", "text", "answered", "expected")
MOST_CASES: Final = 200
#: Group of an estimate over the cases of one kind of change.
_KIND: Final = re.compile(rf"(?:a_)?{PERTURBATION.removeprefix('a_')} = (.+)")
_NO_SCORE: Final = (_FAILED, "drop", "excess")
Numbers = Mapping[tuple[str, str], Estimate]


def part(view: RunView) -> Part | None:
    """Matrix and table of each model and suite."""
    own = grouped(
        ((e.key.subject, e.key.dataset), e)
        for e in view.estimates
        if e.key.diagnostic_name == "suites" and e.key.replicate is None
    )
    charts = [_chart(es, view.on_data(*place)) for place, es in own.items()]
    charts += filter(None, (_kinds(es, view.on_data(*place)) for place, es in own.items()))
    if view.has_texts and view.records.folder is not None:
        charts += _cases(view.records.folder, view)
    return part_of("suites", "Suites", _LEAD, charts, "models and suites", chapter=FINDINGS)


def _chart(estimates: Sequence[Estimate], where: str) -> Chart:
    """Matrix of capabilities where there are any, and the table of tests."""
    own = [
        (e.key.condition, e)
        for e in estimates
        if "test" in e.key.condition and e.key.group == "all"
    ]
    tests = grouped(
        ((str(of.get("capability", "")), str(of["kind"]), str(of["test"])), e) for of, e in own
    )
    rows = []
    for name, several in tests.items():
        numbers = _numbers(several)
        failed = numbers.get((_FAILED, "measured"))
        count = NO_VALUE if failed is None else f"{failed.counts.n:,}"
        shown = (interval(numbers.get((metric, role))) for _, metric, role in _COLUMNS)
        rows.append((*name, count, *shown))
    table = ChartTable(
        ("capability", "kind of test", "test", "cases", *(title for title, *_ in _COLUMNS)),
        tuple(rows[:MOST_ROWS]),
        3,
    ).told()
    cells = _cells(estimates)
    anchor = f"suites-{digest(where, size=4)}"
    if not cells:
        return Chart(anchor, f"{where}: tests", _said(tests), table, is_open=True)
    capabilities = list(dict.fromkeys(capability for capability, _ in cells))
    kinds = [kind for kind in _KINDS if any(kind == k for _, k in cells)]
    values = {place: 100 * e.value for place, e in cells.items() if e.value is not None}
    matrix = tuple((c, *(interval(cells.get((c, k))) for k in kinds)) for c in capabilities)
    return Chart(
        anchor=anchor,
        title=f"{where}: share of cases failed, by capability and kind of test",
        caption=f"{_said(tests)} Numbers in the picture are percent.",
        spec=matrix_map(
            [("failed", values)],
            rows=capabilities,
            columns=kinds,
            titles=("capability", "kind of test"),
            domain=(0.0, _STRONGEST),
        ),
        table=ChartTable(("capability", *kinds), matrix),
        is_open=True,
        more=table,
        more_title="Every test",
        note=left_out(len(rows), MOST_ROWS, "tests"),
    )


def _kinds(estimates: Sequence[Estimate], where: str) -> Chart | None:
    """Each kind of change with its cases, its score and what it costs; None without kinds."""
    rows = []
    for (test, kind), own in grouped(
        ((str(e.key.condition["test"]), match[1]), e)
        for e in estimates
        if "test" in e.key.condition and (match := _KIND.fullmatch(e.key.group))
    ).items():
        numbers = _numbers(own)
        failed = numbers[_FAILED, "measured"]
        score = next((e for (name, _), e in numbers.items() if name not in _NO_SCORE), None)
        lost = numbers.get(("drop", "measured"))
        row = (test, kind, f"{failed.counts.n:,}", interval(failed), interval(score))
        rows.append((*row, interval(lost)))
    if not rows:
        return None
    header = ("test", "kind of change", "cases", "cases failed", "score", "score lost")
    return Chart(
        f"kinds-{digest(where, size=4)}",
        f"{where}: by kind of change",
        "Cases of each test, by what was done to their originals.",
        ChartTable(header, tuple(rows[:MOST_ROWS]), 2).told(),
        note=left_out(len(rows), MOST_ROWS, "kinds"),
        is_open=True,
    )


def _cases(folder: "RunFolder", view: RunView) -> Iterator[Chart]:
    """Every case of each model and suite with its outcome; what failed first."""
    told = grouped(((one.model, one.dataset), one) for one in cases_in(folder.path))
    texts: dict[tuple[str, str], str] = {}
    if told:
        for row in folder.items().select(["dataset", "item", "fields"]).to_pylist():
            text = " / ".join(json.loads(row["fields"]).values())
            texts[row["dataset"], row["item"]] = text
    for place, found in told.items():
        cases = grouped(((one.change, one.name), one) for one in found)
        rows = []
        for own in cases.values():
            one = next((case for case in own if case.is_success), own[0])
            failed = sum(case.is_success for case in own)
            outcome = "failed" if failed else "no answer" if one.after is None else "passed"
            if failed and len(own) > 1:
                outcome += f" in {failed} of {len(own)} models"
            text = texts.get((one.dataset, one.name), "")
            rows.append((outcome, one.change, one.name, text, one.after or NO_VALUE, one.right))
        order = ("failed", "no answer", "passed")
        rows.sort(key=lambda row: order.index(row[0].partition(" in ")[0]))
        where = view.on_data(*place)
        yield Chart(
            f"cases-{digest(where, size=4)}",
            f"{where}: every case",
            "Failed: the answer is not as expected, in any of the models. No answer: the model "
            "gave none that could be judged.",
            ChartTable(_OF_CASES, tuple(rows[:MOST_CASES]), len(_OF_CASES)),
            note=left_out(len(rows), MOST_CASES, "cases"),
            is_open=True,
            has_texts=True,
        )


def _numbers(estimates: Sequence[Estimate]) -> Numbers:
    """Numbers of a test by what they are, the main score's first."""
    found: dict[tuple[str, str], Estimate] = {}
    for e in estimates:
        name = e.key.metric_name
        head = name.partition("(")[0]
        found.setdefault((head if head in ("drop", "excess") else name, e.key.role), e)
    return found


def _cells(estimates: Sequence[Estimate]) -> dict[tuple[str, str], Estimate]:
    """Share of failures of each capability and kind: of all its tests, or of its only one."""
    found: dict[tuple[str, str], Estimate] = {}
    for e in estimates:
        condition = e.key.condition
        if e.key.metric_name != _FAILED or e.key.role != "measured":
            continue
        if "capability" in condition:
            place = str(condition["capability"]), str(condition["kind"])
            if place not in found or "test" not in condition:
                found[place] = e
    return found


def _said(tests: Mapping[tuple[str, str, str], Sequence[Estimate]]) -> str:
    """The test with the largest share of failures, in words."""
    shares = {
        name: e
        for name, own in tests.items()
        if (e := _numbers(own).get((_FAILED, "measured"))) is not None and e.value is not None
    }
    if not shares:
        return "No test could be measured."
    worst = max(shares, key=lambda name: shares[name].value or 0.0)
    capability, kind, name = worst
    of = f"{capability}, {kind}: {name}" if capability else name
    return f"Most cases fail in {of}: {interval(shares[worst])}."


PART: Final = ReportPart(__doc__, part, found_in=cases_in)
