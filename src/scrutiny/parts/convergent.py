"""Convergent validity: two diagnostics of the same construct, seed by seed.

Groups are matched by their names, case and punctuation aside, and by a short table of aliases.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.parts.charts.tables import Chart, ChartTable, Spec
from scrutiny.parts.charts.vega import axis, guide, marks, series_color, tooltip, view_of
from scrutiny.parts.part import Part, ReportPart, part_of
from scrutiny.parts.run.identity import by_identity, slug
from scrutiny.parts.run.references import References, replicated
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import estimate_words, replicate_words
from scrutiny.parts.wording.numbers import NO_VALUE, bracketed, decimals_for, interval, number

#: Names of the same construct in different test sets.
ALIASES: Final[Mapping[str, str]] = {
    "race-color": "race",
    "ethnicity": "race",
    "sex": "gender",
    "occupation": "profession",
    "physical": "physical-appearance",
    "sexual": "sexual-orientation",
}
_NOT_A_CONSTRUCT: Final = frozenset({"all", "changed"})
_LEAD: Final = (
    "Two diagnostics of the same construct should agree: in sign for every replicate, and in the "
    "ranking of replicates. With five replicates, a correlation is very uncertain; its interval "
    "shows this."
)


@dataclass(frozen=True, slots=True)
class _Match:
    """Two estimates of one construct for the same replicates."""

    construct: str
    a: Estimate
    b: Estimate
    replicates: tuple[str, ...]


def _construct_of(group: str) -> str:
    """Name of the construct of a group.

    Examples
    --------
    >>> _construct_of("Race-Color"), _construct_of("race"), _construct_of("religion")
    ('race', 'race', 'religion')
    """
    name = slug(group)
    return ALIASES.get(name, name)


def part(view: RunView) -> Part | None:
    """Chart and table for each pair of diagnostics that share constructs."""
    references = References(view)
    charts = [
        _chart(matches, references) for matches in grouped(_matches(view, references)).values()
    ]
    title = "Convergent validity"
    return part_of("reliability-convergent", title, _LEAD, charts, "pairs of diagnostics")


def _matches(view: RunView, references: References) -> Iterator[tuple[str, _Match]]:
    """Matches by pair of diagnostics."""
    usable = [e for e in replicated(view) if e.key.role == "measured"]
    usable = [e for e in usable if references.of(e) is not None]
    usable = [e for e in usable if _construct_of(e.key.group) not in _NOT_A_CONSTRUCT]
    by_question = by_identity(usable, without=["metric", "condition", "group"])
    mains = [_main(members, references) for members in by_question.values()]
    for (place, one), (other_place, other) in combinations(mains, 2):
        is_apart = place[0] != other_place[0] and place[2] == other_place[2]
        for group, a in one.items():
            b = other.get(group)
            if not is_apart or b is None:
                continue
            names = tuple(name for name in a.by_replicate if name in b.by_replicate)
            if len(names) >= 2:
                pair = f"{place[0]} \N{MIDDLE DOT}\N{MIDDLE DOT} {other_place[0]} {place[2]}"
                yield f"{pair} {place[1]} {other_place[1]}", _Match(group, a, b, names)


_Place = tuple[str, str, str]


def _main(
    members: Sequence[Estimate], references: References
) -> tuple[_Place, dict[str, Estimate]]:
    """Metric and condition of most claims, by construct; the first if there are no claims."""
    series = by_identity(members, without=["group"])
    best = max(series.values(), key=lambda s: sum(references.is_claimed(e) for e in s))
    key = best[0].key
    place = (key.diagnostic_name, key.dataset, key.subject)
    return place, {_construct_of(e.key.group): e for e in reversed(best)}


def _chart(matches: Sequence[_Match], references: References) -> Chart:
    a, b = matches[0].a, matches[0].b
    names = [f"{e.key.diagnostic_name} {estimate_words(e.key)}" for e in (a, b)]
    where = f"{a.key.dataset} and {b.key.dataset}"
    subject = slug(" ".join([*names, where, a.key.subject]))
    return Chart(
        anchor=f"reliability-convergent-{subject}",
        title=f"{names[0]} against {names[1]}",
        caption=f"A dot is one replicate on one construct ({where}). Dashed: the references.",
        spec=_spec(matches, names, references),
        table=_table(matches, references),
    )


def _spec(matches: Sequence[_Match], names: Sequence[str], references: References) -> Spec:
    values = [
        {
            "construct": m.construct,
            "replicate": replicate_words(name),
            "x": m.a.by_replicate[name],
            "y": m.b.by_replicate[name],
        }
        for m in matches
        for name in m.replicates
    ]
    constructs = [m.construct for m in matches]
    axes: dict[str, Any] = {at: axis(at, name) for at, name in zip("xy", names, strict=True)}
    color = series_color(constructs[:5], name="construct") if len(constructs) <= 5 else None
    encoding = {**axes, "tooltip": tooltip("construct", "replicate", "x", "y")}
    encoding |= {"color": color} if color else {}
    layers: list[Spec] = []
    for at, one in zip("xy", (matches[0].a, matches[0].b), strict=True):
        reference = references.of(one)
        if reference is not None:
            layers.append(guide(reference, dashed=True, along=at))
    layers.append(marks("point", encoding, filled=True, size=50))
    return view_of(values, height=240, layer=layers)


def _table(matches: Sequence[_Match], references: References) -> ChartTable:
    rows = [_row(m, references) for m in matches]
    header = ("construct", "first", "second", "first, by seed", "second, by seed")
    return ChartTable((*header, "same sign", "correlation over seeds"), tuple(rows), 5)


def _row(m: _Match, references: References) -> tuple[str, ...]:
    from scrutiny.stats.association.correlation import seed_correlation

    one, other = ([e.by_replicate[name] for name in m.replicates] for e in (m.a, m.b))
    limits = references.of(m.a), references.of(m.b)
    same = NO_VALUE
    if limits[0] is not None and limits[1] is not None:
        agree = [
            (x > limits[0]) == (y > limits[1]) and x != limits[0] and y != limits[1]
            for x, y in zip(one, other, strict=True)
        ]
        same = f"{sum(agree)}/{len(agree)}"
    found = seed_correlation(one, other)
    value = f"{number(found.value, 2)} {bracketed(found.low, found.high, 2)}".rstrip()
    each = (
        ", ".join(number(v, decimals_for(e.low, e.high, e.value)) for v in values)
        for e, values in ((m.a, one), (m.b, other))
    )
    return (m.construct, interval(m.a), interval(m.b), *each, same, f"{value} (n = {found.n})")


PART: Final = ReportPart(__doc__, part)
