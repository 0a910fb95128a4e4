"""Findings of one diagnostic on a page: charts, claims with their cases, and numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scrutiny.blocks import forest as charts
from scrutiny.blocks.cases import Evidence
from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.drawings import Glyph, glyphs
from scrutiny.blocks.labels import constant_parts, distinct_labels, metric_words, short_names
from scrutiny.blocks.numbers import denominator, interval, value_and_bounds
from scrutiny.blocks.run_estimates import slug
from scrutiny.blocks.run_view import RunView
from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin_base import without_versions
from scrutiny.core.record import grouped
from scrutiny.report.cases.shown import CasePage, case_page
from scrutiny.report.findings.audit_rows import AuditRow, Section
from scrutiny.report.findings.diagnostic_section import (
    LineGroup,
    how_far,
    how_measured,
    line_groups,
)
from scrutiny.report.sections.item_hits import flips_of
from scrutiny.report.wording import sentences

GlyphPair = tuple[Glyph | None, Glyph | None]
#: Columns of the table of all numbers; the last one stands where there are several replicates.
_NUMBERS: Final = (
    *("of", "role", "value", "n", "planned", "undefined", "failed", "skipped", "refused"),
    *("units", "method", "replicates"),
)
_ESTIMATES_PER_CLAIM: Final = 20  # more would be drawn by nobody


@dataclass(frozen=True, slots=True)
class Detail:
    """Level of detail of a page, to limit its size.

    Parameters
    ----------
    cases
        Items shown for a claim.
    claims
        Claims of a section, in the order of the table, whose items are shown.
    rows
        Rows of the table of all numbers.
    manifest
        Characters of the manifest.
    charts
        Charts of each part on reliability; their tables have ten rows for each.
    listed
        Claims of a section that are listed at all.
    """

    cases: int
    claims: int
    rows: int
    manifest: int
    charts: int = 6
    listed: int = 1000


@dataclass(frozen=True, slots=True)
class ClaimPage:
    """A row of the audit table with its details."""

    row: AuditRow
    glyph: Glyph | None
    control_glyph: Glyph | None
    flips: Chart | None
    cases: tuple[CasePage, ...]
    n_cases: int
    turned: str

    @property
    def figures(self) -> tuple[str, str]:
        """Value and its limits, apart; empty without a value."""
        return _split(self.row.finding.estimate)

    @property
    def control_figures(self) -> tuple[str, str]:
        """The same against its control."""
        return _split(self.row.finding.control, signed=True)

    @property
    def change(self) -> str:
        """Name by which all of its cases are asked for; empty where it has none."""
        return without_versions(self.row.finding.change)

    @property
    def turns(self) -> list[str]:
        """What became of the cases that are shown."""
        return sorted({page.case.turn for page in self.cases})

    @property
    def labels(self) -> list[str]:
        """Gold answers of the cases that are shown."""
        return sorted({page.case.gold for page in self.cases})


@dataclass(frozen=True, slots=True)
class SectionPage:
    """One diagnostic: charts, boxes, claims and numbers."""

    section: Section
    headline: str
    charts: tuple[Chart, ...]
    more: tuple[Chart, ...]
    claims: tuple[ClaimPage, ...]
    measured: tuple[str, ...]
    trust: tuple[str, ...]
    numbers: ChartTable
    shared: str
    n_numbers: int
    n_shown: int

    @property
    def hurts(self) -> bool:
        """Whether it found something that hurts, so that it is shown unasked."""
        return any(row.verdict == "hurts" for row in self.section.rows)


def section_page(view: RunView, section: Section, detail: Detail) -> SectionPage:
    """Section of one diagnostic at a level of detail."""
    listed = replace(
        section,
        rows=section.rows[: detail.listed],
        estimates=section.estimates[: _ESTIMATES_PER_CLAIM * detail.listed],
    )
    names = [row.finding.claim.id for row in listed.rows]
    evidence = [view.evidence.get(name, Evidence()) for name in names[: detail.claims]]
    evidence += [Evidence()] * (len(names) - len(evidence))
    groups = line_groups(listed)
    keys = [e.key for e in section.estimates]
    common = constant_parts(keys) if keys else {}
    findings = [row.finding for row in section.rows]
    text = " ".join(sentences(findings, view.families))
    long_names = [*view.facts.subjects, *(d.name for d in view.datasets)]
    for name, short in short_names(long_names).items():
        text = text.replace(name, short)
    found: list[Chart | None] = []
    for group in [g for g in groups if g.is_claimed]:
        anchor, said = f"{section.anchor}-{slug(group.metric)}", _said(section, group.metric)
        limit = section.shared_limit(group.metric)
        found.append(charts.forest(anchor, group.lines, metric=said, limit=limit))
        found.append(charts.strip(f"{anchor}-replicates", group.lines, metric=said))
        found.append(charts.variance(f"{anchor}-variance", group.lines))
    return SectionPage(
        section=section,
        headline=text,
        charts=tuple(chart for chart in found if chart is not None),
        more=tuple(_more(section, [g for g in groups if not g.is_claimed])),
        claims=tuple(_claims(listed.rows, evidence, cases=detail.cases)),
        measured=tuple(how_measured(section, view)),
        trust=tuple(how_far(section, view)),
        numbers=_number_table(section.estimates[: detail.rows]),
        shared=", ".join(f"{n} {value}" for n, value in common.items() if n != "role"),
        n_numbers=len(section.estimates),
        n_shown=min(detail.claims, len(listed.rows)),
    )


def _said(section: Section, metric: str) -> str:
    """A metric in words, as its diagnostic says it."""
    diagnostics = {e.key.diagnostic for e in section.estimates if e.key.metric == metric}
    return metric_words(metric, next(iter(diagnostics), ""))


def _more(section: Section, groups: Sequence[LineGroup]) -> list[Chart]:
    """Charts of estimates without claims, if they have intervals."""
    found: list[Chart | None] = []
    for group in groups:
        anchor = f"{section.anchor}-{slug(group.metric)}-of-{slug(group.group)}"
        anchor += f"-{slug(group.what)}" if group.what else ""
        drawn = [
            line for line in group.lines if any(e.low is not None for e in line.series.values())
        ]
        chart = charts.forest(anchor, drawn, metric=_said(section, group.metric), limit=None)
        if chart is not None and group.what:
            chart = replace(chart, title=f"{group.what.replace('_', ' ')}: {chart.title}")
        if chart is not None and group.group != "all":
            chart = replace(chart, title=f"{chart.title}, over {group.group} items")
        found.append(chart)
    return [chart for chart in found if chart is not None]


def _claims(
    rows: Sequence[AuditRow], evidence: Sequence[Evidence], *, cases: int
) -> Iterator[ClaimPage]:
    """Rows with glyphs of estimate and control; rows of one metric share a scale."""
    by_metric = grouped(
        (one.key.metric if (one := row.finding.estimate) else "", i) for i, row in enumerate(rows)
    )
    drawn: dict[int, GlyphPair] = {}
    for places in by_metric.values():
        findings = [rows[i].finding for i in places]
        made = glyphs([e for f in findings for e in (f.estimate, f.control)])
        drawn.update(zip(places, zip(made[::2], made[1::2], strict=True), strict=True))
    for i, (row, behind) in enumerate(zip(rows, evidence, strict=True)):
        flips = behind.flips
        yield ClaimPage(
            row=row,
            glyph=drawn[i][0],
            control_glyph=drawn[i][1],
            flips=flips_of(f"{row.anchor}-flips", flips) if flips else None,
            cases=tuple(case_page(case) for case in behind.cases[:cases]),
            n_cases=max(behind.n_cases, len(behind.cases)),
            turned=", ".join(f"{n:,} {turn}" for turn, n in behind.n_turned.items() if n),
        )


def _split(estimate: Estimate | None, *, signed: bool = False) -> tuple[str, str]:
    if estimate is None or estimate.value is None:
        return "", ""
    return value_and_bounds(estimate, signed=signed)


def _number_table(estimates: Sequence[Estimate]) -> ChartTable:
    """Every estimate with its interval, its denominator and the status of the planned rows."""
    labels = distinct_labels([e.key for e in estimates], without=frozenset({"role"}))
    rows = []
    for e, label in zip(estimates, labels, strict=True):
        c = e.counts
        missing = f"{e.status}: {e.reason or 'no reason given'}"
        value = interval(e) if e.status == "ok" else missing
        figures = c.planned, c.undefined, c.failed, c.skipped, c.refused, e.n_units
        how = denominator(e), *map(str, figures), e.method, str(e.n_replicates)
        rows.append((label, e.key.role, value, *how))
    columns = len(_NUMBERS) - all(e.n_replicates <= 1 for e in estimates)
    return ChartTable(_NUMBERS[:columns], tuple(row[:columns] for row in rows), 2)
