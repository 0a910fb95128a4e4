"""Contents of the HTML page, before any markup."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.core.plugin import without_versions
from scrutiny.parts.charts import findings as charts
from scrutiny.parts.charts.glyphs import Glyph, glyphs
from scrutiny.parts.charts.tables import Chart, ChartTable, Spec
from scrutiny.parts.flip_histogram import flips_of
from scrutiny.parts.part import Chapter, Part
from scrutiny.parts.run.identity import slug
from scrutiny.parts.run.lines import LineGroup, line_groups
from scrutiny.parts.run.rows import AuditRow
from scrutiny.parts.run.sections import Section, sections
from scrutiny.parts.run.view import Evidence, RunView
from scrutiny.parts.wording.labels import (
    GAP,
    constant_parts,
    distinct_labels,
    metric_words,
    short_names,
)
from scrutiny.parts.wording.numbers import denominator, interval, number, p_value, value_and_bounds
from scrutiny.parts.wording.verdicts import counts, headline, sentences
from scrutiny.report.formats.page_first_screen import CasePage, FirstScreen, case_page, first_screen
from scrutiny.report.formats.page_signs import SignsPage, signs_page
from scrutiny.report.formats.page_trust import how_far, how_measured
from scrutiny.report.parts import parts
from scrutiny.report.table.trusted import TrustedTable, trusted_table

GlyphPair = tuple[Glyph | None, Glyph | None]


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


#: Tried in this order until the page is small enough.
DETAILS = (
    Detail(48, 400, 1000, 60_000),
    Detail(24, 400, 1000, 60_000),
    Detail(8, 400, 1000, 60_000),
    Detail(4, 200, 600, 20_000),
    Detail(3, 80, 400, 20_000, charts=4),
    Detail(2, 40, 200, 8_000, charts=3),
    Detail(1, 15, 100, 8_000, charts=2),
    Detail(0, 0, 60, 4_000, charts=2),
    Detail(0, 0, 60, 4_000, charts=1, listed=250),
    Detail(0, 0, 40, 2_000, charts=1, listed=60),
    Detail(0, 0, 10, 500, charts=0, listed=10),
)


@dataclass(frozen=True, slots=True)
class ClaimPage:
    """A row of the audit table with its details."""

    row: AuditRow
    head: str
    tail: str
    value: str
    bounds: str
    control_value: str
    control_bounds: str
    glyph: Glyph | None
    control_glyph: Glyph | None
    flips: Chart | None
    cases: tuple[CasePage, ...]
    n_cases: int
    turned: str
    p_supported: str
    p_not_supported: str
    detectable: str

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


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page."""

    view: RunView
    sentences: tuple[str, ...]
    counts: dict[str, int]
    sections: tuple[SectionPage, ...]
    manifest: str
    trusted: TrustedTable | None
    parts: tuple[Part, ...]
    first: FirstScreen | None = None
    signs: SignsPage | None = None

    @property
    def columns(self) -> list[str]:
        """Columns of the table of claims in which some row has something to say."""
        rows = [claim.row for section in self.sections for claim in section.claims]
        outcomes = {
            "seeds": {row.seeds for row in rows},
            "choices": {row.choices for row in rows},
            "datasets": {row.datasets for row in rows},
        }
        found = ["control"] * any(row.finding.control is not None for row in rows)
        return found + [name for name, told in outcomes.items() if told - {"not run"}]

    @property
    def chapters(self) -> dict[Chapter, list[Part]]:
        """Parts under the headings that they stand under."""
        return grouped((part.chapter, part) for part in self.parts)

    def specs(self) -> dict[str, Spec]:
        """Specification of every chart by its anchor."""
        found = [chart for section in self.sections for chart in (*section.charts, *section.more)]
        found += [c.flips for s in self.sections for c in s.claims if c.flips]
        found += [chart for part in self.parts for chart in part.charts]
        return {name: spec for chart in found for name, spec, _ in chart.drawings}


@lru_cache(maxsize=1)
def _made(view: RunView) -> tuple[tuple[Part, ...], TrustedTable | None]:
    """Parts and the table of trusted claims: slow to compute, the same at every level of detail."""
    return parts(view), trusted_table(view)


def page(view: RunView, detail: Detail = DETAILS[0]) -> Page:
    """Contents of a run's page at a level of detail."""
    manifest = json.dumps(view.manifest, indent=1, ensure_ascii=False, sort_keys=True, default=str)
    if len(manifest) > detail.manifest:
        manifest = manifest[: detail.manifest] + f"\n{GAP} the rest is in manifest.json"
    opening = sentences(view.findings, view.families)
    made, trusted = _made(view)
    own = tuple(_section(view, section, detail) for section in sections(view))
    anchors = {c.row.finding.claim.id: c.row.anchor for s in own for c in s.claims}
    return Page(
        view=view,
        sentences=opening or (headline(view.findings, view.families),),
        counts=counts(view.findings),
        sections=own,
        manifest=manifest,
        trusted=trusted,
        parts=tuple(
            _told(
                part.cut(
                    charts=detail.charts * part.chapter.charts,
                    rows=detail.charts * part.chapter.rows,
                )
            )
            for part in made
        ),
        first=first_screen(view, anchors),
        signs=signs_page(view),
    )


def _section(view: RunView, section: Section, detail: Detail) -> SectionPage:
    shown = section.estimates[: detail.rows]
    listed = replace(
        section,
        rows=section.rows[: detail.listed],
        estimates=section.estimates[: _ESTIMATES_PER_CLAIM * detail.listed],
    )
    groups = line_groups(listed)
    findings = [row.finding for row in section.rows]
    return SectionPage(
        section=section,
        headline=_shortened(" ".join(sentences(findings, view.families)), view),
        charts=tuple(_charts(section, [g for g in groups if g.is_claimed])),
        more=tuple(_more(section, [g for g in groups if not g.is_claimed])),
        claims=_claims(view, listed, detail),
        measured=tuple(how_measured(section, view)),
        trust=tuple(how_far(section, view)),
        numbers=_number_table(shown),
        shared=_shared(section.estimates),
        n_numbers=len(section.estimates),
        n_shown=min(detail.claims, len(listed.rows)),
    )


def _told(part: Part) -> Part:
    """A part whose tables have no empty columns."""
    return replace(part, charts=tuple(replace(c, table=c.table.told()) for c in part.charts))


def _shortened(text: str, view: RunView) -> str:
    """A sentence with the short names of models and datasets."""
    names = short_names([*view.facts.subjects, *(d.name for d in view.datasets)])
    for name, short in names.items():
        text = text.replace(name, short)
    return text


def _said(section: Section, metric: str) -> str:
    """A metric in words, as its diagnostic says it."""
    diagnostics = {e.key.diagnostic for e in section.estimates if e.key.metric == metric}
    return metric_words(metric, next(iter(diagnostics), ""))


def _charts(section: Section, groups: Sequence[LineGroup]) -> list[Chart]:
    """Charts of the estimates of claims."""
    found: list[Chart | None] = []
    for group in groups:
        metric, lines = group.metric, group.lines
        anchor = f"{section.anchor}-{slug(metric)}"
        limit, said = section.shared_limit(metric), _said(section, metric)
        found.append(charts.forest(anchor, lines, metric=said, limit=limit))
        found.append(charts.strip(f"{anchor}-replicates", lines, metric=said))
        found.append(charts.variance(f"{anchor}-variance", lines))
    return [chart for chart in found if chart is not None]


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


def _claims(view: RunView, section: Section, detail: Detail) -> tuple[ClaimPage, ...]:
    drawn = _glyphs(section.rows)
    names = [row.finding.claim.id for row in section.rows]
    evidence = [view.evidence.get(name, Evidence()) for name in names[: detail.claims]]
    evidence += [Evidence()] * (len(names) - len(evidence))
    return tuple(
        _claim(row, behind, pair, cases=detail.cases)
        for row, behind, pair in zip(section.rows, evidence, drawn, strict=True)
    )


def _glyphs(rows: Sequence[AuditRow]) -> list[GlyphPair]:
    """Glyphs of estimate and control of each row; rows of one metric share a scale."""
    by_metric = grouped(
        (one.key.metric if (one := row.finding.estimate) else "", i) for i, row in enumerate(rows)
    )
    drawn: dict[int, GlyphPair] = {}
    for places in by_metric.values():
        findings = [rows[i].finding for i in places]
        made = glyphs([e for f in findings for e in (f.estimate, f.control)])
        drawn.update(zip(places, zip(made[::2], made[1::2], strict=True), strict=True))
    return [drawn[i] for i in range(len(rows))]


def _claim(row: AuditRow, evidence: Evidence, pair: GlyphPair, *, cases: int) -> ClaimPage:
    head, _, tail = row.frame.partition(GAP)
    value, bounds = _split(row.finding.estimate)
    control_value, control_bounds = _split(row.finding.control, signed=True)
    flips = evidence.flips
    return ClaimPage(
        row=row,
        head=head,
        tail=tail,
        value=value,
        bounds=bounds,
        control_value=control_value,
        control_bounds=control_bounds,
        glyph=pair[0],
        control_glyph=pair[1],
        flips=flips_of(f"{row.anchor}-flips", flips) if flips else None,
        cases=tuple(case_page(case) for case in evidence.cases[:cases]),
        n_cases=max(evidence.n_cases, len(evidence.cases)),
        turned=", ".join(f"{n:,} {turn}" for turn, n in evidence.n_turned.items() if n),
        p_supported=p_value(row.finding.p_supported),
        p_not_supported=p_value(row.finding.p_not_supported),
        detectable=_detectable(row.finding),
    )


def _detectable(finding: Finding) -> str:
    effect = finding.minimum_detectable_effect
    return "" if effect is None else number(effect)


def _split(estimate: Estimate | None, *, signed: bool = False) -> tuple[str, str]:
    if estimate is None or estimate.value is None:
        return "", ""
    return value_and_bounds(estimate, signed=signed)


def _number_table(estimates: Sequence[Estimate]) -> ChartTable:
    """Every estimate with its interval, its denominator and the status of the planned rows."""
    header = (
        "of",
        "role",
        "value",
        "n",
        "planned",
        "undefined",
        "failed",
        "skipped",
        "refused",
        "units",
        "method",
        "replicates",
    )
    labels = distinct_labels([e.key for e in estimates], without=frozenset({"role"}))
    rows = [_numbers(e, label) for e, label in zip(estimates, labels, strict=True)]
    columns = len(header) - all(e.n_replicates <= 1 for e in estimates)
    return ChartTable(header[:columns], tuple(row[:columns] for row in rows), 2)


def _numbers(estimate: Estimate, label: str) -> tuple[str, ...]:
    c = estimate.counts
    missing = f"{estimate.status}: {estimate.reason or 'no reason given'}"
    value = interval(estimate) if estimate.status == "ok" else missing
    figures = c.planned, c.undefined, c.failed, c.skipped, c.refused
    numbers = (str(figure) for figure in (*figures, estimate.n_units))
    how = estimate.method, str(estimate.n_replicates)
    return label, estimate.key.role, value, denominator(estimate), *numbers, *how


def _shared(estimates: Sequence[Estimate]) -> str:
    """Common attributes of all numbers of a section, for the caption of their table."""
    if not estimates:
        return ""
    parts = constant_parts([e.key for e in estimates])
    return ", ".join(f"{name} {value}" for name, value in parts.items() if name != "role")
