"""The page of a comparison: one self-contained file in the style of the run's report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from scrutiny.parts.charts.tables import Chart, Spec
from scrutiny.parts.wording.labels import slug
from scrutiny.parts.wording.numbers import number
from scrutiny.report.compare import charts as drawn
from scrutiny.report.compare.agreement import agreement
from scrutiny.report.compare.view import CompareView, InputFacts, KeptFacts, LevelFacts
from scrutiny.report.formats.html import LARGEST, environment, policy_of, static

#: Inputs of each level, tried in this order until the page is small enough.
_INPUTS: Final = (40, 20, 10, 5, 0)
#: Inputs that stand open; the others are folded.
_MOST_OPEN: Final = 10
#: Classes of the sheet by outcome.
OUTCOME_CLASSES: Final = {
    "no regression": "v-supported",
    "regression": "v-regression",
    "undecided": "v-undecided",
}


@dataclass(frozen=True, slots=True)
class LevelPage:
    """A level with its charts."""

    anchor: str
    level: LevelFacts
    flips: Chart | None
    agreement: Chart | None
    slices: Chart | None
    inputs: tuple[InputFacts, ...]

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Charts that are there."""
        several = (self.flips, self.agreement, self.slices)
        return tuple(one for one in several if one is not None)


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction of shared invariances: chart, and the claims with their reasons."""

    chart: Chart | None
    kept: tuple[KeptFacts, ...]
    is_judged: bool


@dataclass(frozen=True, slots=True)
class ComparePage:
    """The whole page, before any markup."""

    view: CompareView
    levels: tuple[LevelPage, ...]
    directions: tuple[Direction, ...]
    vectors: Chart | None
    differences: Chart | None

    def specs(self) -> dict[str, Spec]:
        """Specification of every chart by its anchor."""
        found = [chart for level in self.levels for chart in level.charts]
        found += [one.chart for one in self.directions if one.chart is not None]
        found += [one for one in (self.vectors, self.differences) if one is not None]
        return {name: spec for chart in found for name, spec, _ in chart.drawings}


def render_compare_html(view: CompareView, *, largest: int = LARGEST) -> str:
    """Return the whole page; inputs are left out until it is small enough.

    Parameters
    ----------
    view
        What two runs show side by side.
    largest
        Bytes that the page must stay under.
    """
    text = ""
    for most in _INPUTS:
        text = _render(compare_page(view, most_inputs=most))
        if len(text.encode("utf-8", "backslashreplace")) < largest:
            break
    return text


def compare_page(view: CompareView, *, most_inputs: int = _INPUTS[0]) -> ComparePage:
    """Return the page of a comparison as a value."""
    kept = () if view.shared is None else view.shared.kept
    vectors = None
    if view.shared is not None and view.shared.vectors:
        vectors = drawn.vectors("vectors", view.shared.vectors)
    return ComparePage(
        view=view,
        levels=tuple(
            _level(level, anchor, most_inputs=most_inputs)
            for level, anchor in zip(view.levels, _anchors(view.levels), strict=True)
        ),
        directions=tuple(
            _direction(kept, is_judged=is_judged) for is_judged in (True, False) if kept
        ),
        vectors=vectors,
        differences=drawn.differences("numbers-chart", view.findings),
    )


def _anchors(levels: Sequence[LevelFacts]) -> list[str]:
    """Anchor of each level, unique."""
    names = [f"level-{slug(f'{one.name} {one.dataset}')}" for one in levels]
    return [
        name if names.index(name) == place else f"{name}-{place + 1}"
        for place, name in enumerate(names)
    ]


def _level(level: LevelFacts, anchor: str, *, most_inputs: int) -> LevelPage:
    return LevelPage(
        anchor=anchor,
        level=level,
        flips=drawn.noise_and_flips(f"{anchor}-flips", level),
        agreement=agreement(f"{anchor}-agreement", level),
        slices=drawn.slices(f"{anchor}-slices", level),
        inputs=level.inputs[:most_inputs],
    )


def _direction(kept: Sequence[KeptFacts], *, is_judged: bool) -> Direction:
    own = tuple(one for one in kept if one.is_judged == is_judged)
    name = "kept-of-the-first" if is_judged else "kept-of-the-second"
    return Direction(drawn.kept(name, own), own, is_judged)


def _render(page: ComparePage) -> str:
    scripts = (static("vega.min.js"), static("report.js"))
    names: dict[str, Any] = {
        "outcome_class": lambda outcome: OUTCOME_CLASSES.get(outcome or "", ""),
        "number": number,
        "sentence": _sentence,
        "most_open": _MOST_OPEN,
    }
    return (
        environment()
        .get_template("compare.html.j2")
        .render(
            page=page,
            view=page.view,
            style=Markup(static("report.css") + static("compare.css")),
            scripts=[Markup(script) for script in scripts],
            policy=policy_of(scripts),
            specs=page.specs(),
            **names,
        )
    )


def _sentence(reason: str) -> str:
    """A reason with a capital and a full stop."""
    said = reason or "no reason was given"
    return f"{said[:1].upper()}{said[1:].rstrip('.')}."
