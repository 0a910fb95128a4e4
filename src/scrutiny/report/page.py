"""The report as one HTML file: no network, at most two megabytes."""

import base64
import hashlib
import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from scrutiny.blocks.charts import Spec
from scrutiny.blocks.drawings import GLYPH_WIDTH
from scrutiny.blocks.labels import GAP, capitalized, replicate_words, short_names
from scrutiny.blocks.numbers import interval, number, p_value
from scrutiny.blocks.run_estimates import slug
from scrutiny.blocks.run_view import DatasetLine, RunView
from scrutiny.blocks.section import Chapter, Part, parts
from scrutiny.core.boundary.printable import printable, whole_percent
from scrutiny.core.record import grouped
from scrutiny.report.cases.changed_texts import OTHERS, STATE_OF
from scrutiny.report.findings.audit_rows import sections
from scrutiny.report.findings.page import Detail, SectionPage, section_page
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.first_screen.found_risks import MORE_THAN_RANDOM
from scrutiny.report.first_screen.page import RisksPage, risks_page
from scrutiny.report.signs import Signs
from scrutiny.report.trust import CONDITIONS, RULE, TrustedTable, trusted_table
from scrutiny.report.wording import (
    MEANINGS,
    OUTCOME_MARKS,
    STATES,
    VERDICTS,
    counts,
    mark,
    seeds,
)

LARGEST: Final = 2_000_000
MOST_TRUSTED: Final = 200
_STATIC: Final = files("scrutiny.report") / "static"


def render_html(view: RunView, *, largest: int = LARGEST) -> str:
    """Render the report page as HTML; details are omitted until it is small enough.

    Parameters
    ----------
    view
        The run.
    largest
        Bytes that the page must stay under.
    """

    @cache
    def made(place: int) -> str:
        return _render(view, DETAILS[place])

    def fits(place: int) -> bool:
        return len(made(place).encode("utf-8", "backslashreplace")) < largest

    places = range(1, len(DETAILS))  # each shows less than the one before, so halving finds it
    return made(0 if fits(0) else 1 + bisect_left(places[:-1], x=True, key=fits))


def render_parts(parts: Sequence[Part], **said: Any) -> str:
    """Render a page with parts only, such as that of a comparison.

    Parameters
    ----------
    parts
        In the order of the page, those of a chapter one after the other.
    said
        Title, headline, verdicts and facts under it, command and version.
    """
    specs = {name: spec for p in parts for c in p.charts for name, spec, _ in c.drawings}
    chapters = grouped((part.chapter, part) for part in parts)
    style = "\n".join(map(static, ("report.css", "first.css")))
    return _whole("compare.html.j2", style, chapters=chapters, specs=specs, **said)


def _render(view: RunView, detail: Detail) -> str:
    content = page(view, detail)
    sheets = ["report.css", *["first.css"] * bool(content.first or content.signs)]
    sheets += ["signs.css"] * bool(content.signs)
    charts = [chart for part in content.parts for chart in part.charts]
    sheets += ["heads.css"] * any(chart.has_choice or chart.sentences for chart in charts)
    is_explained = any(case.explained for one in view.evidence.values() for case in one.cases)
    sheets += ["scored.css"] * (is_explained or any(chart.scored for chart in charts))
    return _whole(
        "report.html.j2",
        "\n".join(map(static, sheets)),
        page=content,
        facts=view.facts,
        title=content.first.screen.title if content.first else view.facts.title or view.facts.path,
        version=view.facts.version,
        seeds=seeds(view),
        most_trusted=min(MOST_TRUSTED, detail.listed),
        specs=content.specs(),
    )


def _whole(template: str, style: str, **values: Any) -> str:
    """A page with its style sheet and its scripts."""
    scripts = (static("vega.min.js"), static("report.js"))
    digests = (hashlib.sha256(s.encode("utf-8", "backslashreplace")).digest() for s in scripts)
    hashes = " ".join(f"'sha256-{base64.b64encode(one).decode('ascii')}'" for one in digests)
    return (
        environment()
        .get_template(template)
        .render(
            style=Markup(style),
            scripts=[Markup(script) for script in scripts],
            policy=(
                f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
                "img-src data: blob:; base-uri 'none'; form-action 'none'"
            ),
            **values,
        )
    )


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
    first: RisksPage | None = None
    signs: Signs | None = None

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


@cache
def static(name: str) -> str:
    """Text of a static file, inserted unchanged."""
    return (_STATIC / name).read_text(encoding="utf-8")


def _said_of_data(datasets: Sequence[DatasetLine]) -> str:
    """Sentence about the run's data."""
    doubts = sum(len(d.doubts) for d in datasets)
    names = short_names([d.name for d in datasets])
    named = ", ".join(f"{names[d.name]} ({d.size})" for d in datasets)
    odd = f"{doubts} kind{'s' * (doubts > 1)} of doubtful rows" if doubts else "no doubtful rows"
    return f"{named}: {odd}." if named else "The run names no data."


@cache
def environment() -> Environment:
    """Templates of the report; every value is escaped."""
    env = Environment(
        loader=PackageLoader("scrutiny.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # control characters in texts are spelled out
        finalize=lambda v: printable(v) if isinstance(v, str) and not isinstance(v, Markup) else v,
    )
    names: dict[str, Any] = {
        "mark": mark,
        "percent": whole_percent,
        "outcome_mark": lambda outcome: OUTCOME_MARKS.get(outcome, "?"),
        "verdicts": VERDICTS,
        "states": STATES,
        "more_than_random": MORE_THAN_RANDOM,
        "meanings": MEANINGS,
        "others": OTHERS,
        "state_of": STATE_OF,
        "css": slug,
        "gap": GAP,
        "number": number,
        "p_value": p_value,
        "glyph_width": GLYPH_WIDTH,
        "interval": interval,
        "replicate_words": replicate_words,
        "rule": RULE,
        "conditions": CONDITIONS,
        "said_of_data": _said_of_data,
    }
    env.globals.update(names)
    env.filters["capitalized"] = capitalized
    # lines do not break between a number and its percent sign
    env.filters["unbroken"] = lambda text: text.replace(" %", "\N{NO-BREAK SPACE}%")
    return env


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
    Detail(0, 0, 20, 1_000, charts=1, listed=25),
    Detail(0, 0, 10, 500, charts=0, listed=10),
)


@lru_cache(maxsize=1)
def _made(view: RunView) -> tuple[tuple[Part, ...], TrustedTable | None]:
    """Parts and the table of trusted claims: slow to compute, the same at every level of detail."""
    return parts(view), trusted_table(view)


def page(view: RunView, detail: Detail = DETAILS[0]) -> Page:
    """Contents of a run's page at a level of detail."""
    manifest = json.dumps(view.manifest, indent=1, ensure_ascii=False, sort_keys=True, default=str)
    if len(manifest) > detail.manifest:
        manifest = manifest[: detail.manifest] + f"\n{GAP} the rest is in manifest.json"
    screen = first_screen_of(view)
    made, trusted = _made(view)
    own = tuple(section_page(view, section, detail) for section in sections(view))
    anchors = {c.row.finding.claim.id: c.row.anchor for s in own for c in s.claims}
    return Page(
        view=view,
        sentences=(*(screen.sentences or (screen.headline,)), *screen.notes),
        counts=counts(view.findings),
        sections=own,
        manifest=manifest,
        trusted=trusted,
        parts=tuple(
            part.cut(
                charts=detail.charts * part.chapter.charts,
                rows=detail.charts * part.chapter.rows,
            )
            for part in made
        ),
        first=risks_page(view, anchors),
        signs=screen.signs,
    )
