"""The report as one HTML file: no network, at most two megabytes."""

import base64
import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from scrutiny.core.boundary.storable import printable
from scrutiny.core.grouping import grouped
from scrutiny.core.shares import whole_percent
from scrutiny.parts.charts.glyphs import WIDTH
from scrutiny.parts.part import Part
from scrutiny.parts.run.identity import slug
from scrutiny.parts.run.view import DatasetLine, RunView
from scrutiny.parts.wording.labels import capitalized, short_names
from scrutiny.parts.wording.verdicts import MEANINGS, OUTCOME_MARKS, STATES, VERDICTS, mark
from scrutiny.report.formats.page import DETAILS, Detail, Page, page
from scrutiny.report.reading.small_suites import OTHERS
from scrutiny.report.table.footer import seeds
from scrutiny.report.table.trusted import CONDITIONS, RULE

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
    return _whole(
        "report.html.j2",
        _style(content),
        page=content,
        facts=view.facts,
        title=_title(content),
        version=view.facts.version,
        seeds=seeds(view),
        most_trusted=min(MOST_TRUSTED, detail.listed),
        specs=content.specs(),
    )


def _whole(template: str, style: str, **values: Any) -> str:
    """A page with its style sheet and its scripts."""
    scripts = (static("vega.min.js"), static("report.js"))
    return (
        environment()
        .get_template(template)
        .render(
            style=Markup(style),
            scripts=[Markup(script) for script in scripts],
            policy=_policy_of(scripts),
            **values,
        )
    )


def _style(content: Page) -> str:
    """Style sheets for the contents of the page."""
    sheets = ["report.css", *["first.css"] * bool(content.first or content.signs)]
    sheets += ["signs.css"] * bool(content.signs)
    sheets += ["heads.css"] * _has_switch(content)
    return "\n".join(map(static, sheets))


def _title(content: Page) -> str:
    """Short title of the page."""
    if content.first:
        return content.first.front.title
    return content.view.facts.title or content.view.facts.path


def _has_switch(content: Page) -> bool:
    """Whether a page has charts with a switch, or drawn sentences."""
    charts = [chart for part in content.parts for chart in part.charts]
    return any(chart.has_choice or chart.sentences for chart in charts)


def _policy_of(scripts: tuple[str, ...]) -> str:
    """Content security policy: nothing is fetched, only our own scripts run."""
    digests = (hashlib.sha256(s.encode("utf-8", "backslashreplace")).digest() for s in scripts)
    hashes = " ".join(f"'sha256-{base64.b64encode(one).decode('ascii')}'" for one in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


@cache
def static(name: str) -> str:
    """Text of a static file, inserted unchanged."""
    return (_STATIC / name).read_text(encoding="utf-8")


def _shown(value: Any) -> Any:
    """Value in a template; control characters in texts are spelled out."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _said_of_data(datasets: Sequence[DatasetLine]) -> str:
    """Sentence about the run's data."""
    doubts = sum(len(d.doubts) for d in datasets)
    named = ", ".join(f"{short} ({d.size})" for d, short in _short(datasets))
    odd = f"{doubts} kind{'s' * (doubts > 1)} of doubtful rows" if doubts else "no doubtful rows"
    return f"{named}: {odd}." if named else "The run names no data."


def _short(datasets: Sequence[DatasetLine]) -> Iterator[tuple[DatasetLine, str]]:
    names = short_names([d.name for d in datasets])
    return ((d, names[d.name]) for d in datasets)


@cache
def environment() -> Environment:
    """Templates of the report; every value is escaped."""
    env = Environment(
        loader=PackageLoader("scrutiny.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    names: dict[str, Any] = {
        "mark": mark,
        "percent": whole_percent,
        "outcome_mark": lambda outcome: OUTCOME_MARKS.get(outcome, "?"),
        "verdicts": VERDICTS,
        "states": STATES,
        "meanings": MEANINGS,
        "others": OTHERS,
        "css": slug,
        "glyph_width": WIDTH,
        "rule": RULE,
        "conditions": CONDITIONS,
        "said_of_data": _said_of_data,
    }
    env.globals.update(names)
    env.filters["capitalized"] = capitalized
    env.filters["unbroken"] = _unbroken
    return env


def _unbroken(text: str) -> str:
    """Text whose lines do not break between a number and its percent sign."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")
