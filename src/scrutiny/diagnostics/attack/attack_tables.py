"""Attacks: success, preserved meaning, excess over random change, cost, and example texts."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scrutiny.blocks.cases import SearchedText, stretches
from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    Spec,
    axis,
    band_and_line,
    drawn,
    series_color,
    view_of,
)
from scrutiny.blocks.labels import replicate_words
from scrutiny.blocks.numbers import NO_VALUE, interval, number
from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, MOST_CHARTS, Part, ReportPart, left_out
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.boundary.printable import whole_percent
from scrutiny.core.edit import Edit
from scrutiny.core.estimate import Estimate
from scrutiny.core.expressions import expression_in_words
from scrutiny.core.record import grouped
from scrutiny.diagnostics.attack.kept_texts import FoundText, found_in

NOT_RATED: Final = "not checked"
#: A rater that does not tell an unchanged text from another item's says nothing about the others.
NO_RATER: Final = "refused: see the rater"
_SUCCESS: Final = "attack_success"
_WITHIN: Final = "success_within("
_EACH: Final = 3  # texts of an attack
_CONTEXT: Final = 60  # code points on either side of a change
_LONGEST: Final = 120  # code points of an answer in a cell
_MOST_LINES: Final = 8
_COLUMNS: Final = (
    ("success", _SUCCESS, "measured"),
    ("keeps meaning", "valid_share", "measured"),
    ("random change", _SUCCESS, "control"),
    ("beyond random", "beyond(attack_success)", "measured"),
)
_FURTHER: Final = (
    ("accuracy under attack", "accuracy_under_attack"),
    ("valid success", "valid_attack_success"),
    ("cosine to the original", "mean(similarity)"),
    ("perplexity ratio", "perplexity_ratio"),
    ("new mistakes", "mean(mistakes)"),
    ("valid from .5", "valid_success(50)"),
    ("from .7", "valid_success(70)"),
    ("from .9", "valid_success(90)"),
    ("cosine from .7", "similar_success(70)"),
    ("from .8", "similar_success(80)"),
    ("from .9 ", "similar_success(90)"),
    ("from .95", "similar_success(95)"),
)
_RATED: Final = (
    ("the unchanged item", "near 1", ("mean(valid)", "control")),
    ("another item's text", "near 0", ("mean(valid)", "null")),
    ("the first minus the second", "near 1, .5 at least", ("rater_separation", "measured")),
)
_LEAD: Final = (
    "Success is over the items that the model gets right without a change (where answers are no "
    "labels: of which something is right), for each replicate separately; a success only counts if "
    "the text still means the same. Random change draws from the same candidates, asks about as "
    "many texts and changes no more words. Texts asked are the distinct texts that the model "
    "answered."
)


def part(view: RunView) -> Part | None:
    """Tables, curves and texts of each model and dataset that was attacked."""
    whole = [e for e in view.estimates if e.key.replicate is None]
    own = [e for e in whole if e.key.metric_name == _SUCCESS and e.key.role == "measured"]
    if not own:
        return None
    places = grouped((_place(e), e) for e in whole)
    shown = list(dict.fromkeys(_place(e) for e in own))
    folder = view.records.folder
    kept = () if folder is None else found_in(folder.path)
    texts = grouped((f"{t.kind} {t.subject} {t.dataset}", t) for t in kept)
    charts = []
    for place in shown[:MOST_CHARTS]:
        members = places[place]
        key = members[0].key
        where = view.on_data(key.subject, key.dataset)
        charts.append(_chart(members, where, anchor=digest(place, size=4)))
        if rater := _rater(members, anchor=digest(place, size=4)):
            charts.append(rater)
        found = texts.get(f"{key.diagnostic} {key.subject} {key.dataset}", [])
        if found:
            charts.append(_texts(found, where, anchor=digest(place, size=4)))
    note = left_out(len(shown), MOST_CHARTS, "models and datasets")
    return Part("attacks", "Adversarial attacks", _LEAD, tuple(charts), note, chapter=FINDINGS)


def _place(estimate: Estimate) -> str:
    return identity(estimate.key, without=["metric", "role", "condition", "group"])


def _chart(members: Sequence[Estimate], where: str, *, anchor: str) -> Chart:
    by_attack: dict[str, list[Estimate]] = {}
    for e in members:
        condition = e.key.condition
        if "recipe" in condition:  # the draw is named unless it is the first
            name, draw = str(condition["recipe"]).replace("@1", ""), condition.get("draw", 0)
            name = f"{name}, draw {int(str(draw)) + 1}" if draw else name
            by_attack.setdefault(name, []).append(e)
    rows = tuple(_row(name, own) for name, own in by_attack.items())
    header = ("attack", *(name for name, _, _ in _COLUMNS), "texts asked", "words changed")
    curves: dict[str, list[dict[str, Any]]] = {}
    for name, own in by_attack.items():
        within = [
            {"texts": int(e.key.metric_name.removeprefix(_WITHIN).rstrip(")")), **drawn(e)}
            for e in own
            if e.key.metric_name.startswith(_WITHIN)
            and e.key.role == "measured"
            and e.value is not None
        ]
        curves[name] = sorted(within, key=lambda point: point["texts"])
    shown = {name: points for name, points in list(curves.items())[:_MOST_LINES] if points}
    return Chart(
        anchor=f"attacks-{anchor}",
        title=f"{where}: success within a number of texts",
        caption="Bands are intervals; when the budget ends a search, its curve is flat.",
        spec=_spec(shown) if shown else None,
        table=ChartTable(header, rows),
        is_open=True,
        more=_further(by_attack, [e.key.metric for e in members if e.key.role == "baseline"]),
        more_title="Score under attack, validity and similarity",
        note=left_out(len(curves), _MOST_LINES, "attacks in the chart"),
    )


def _further(by_attack: Mapping[str, Sequence[Estimate]], levels: Sequence[str]) -> ChartTable:
    """Other measures of each attack, without empty columns; ``levels`` are scores of the items."""
    found = {
        name: {e.key.metric_name: e for e in own if e.key.role == "measured"}
        for name, own in by_attack.items()
    }
    scores = [(f"{expression_in_words(m)} under attack", m.partition("@")[0]) for m in levels]
    columns = [p for p in (*scores, *_FURTHER) if any(p[1] in own for own in found.values())]
    rows = tuple(
        (name, *(interval(own.get(metric)) for _, metric in columns)) for name, own in found.items()
    )
    return ChartTable(("attack", *(title for title, _ in columns)), rows)


def _row(name: str, own: Sequence[Estimate]) -> tuple[str, ...]:
    """Row of an attack; success is always shown with the state of its validity."""
    found = {(e.key.metric_name, e.key.role): e for e in own}
    cells = []
    for _, metric, role in _COLUMNS:
        estimate = found.get((metric, role))
        is_unrated = metric == "valid_share" and (estimate is None or estimate.value is None)
        is_refused = estimate is not None and estimate.status == "refused"
        unrated = NO_RATER if is_refused else NOT_RATED
        cells.append(unrated if is_unrated else interval(estimate))
    mean, median = (_value(found, f"{kind}(asked)") for kind in ("mean", "median"))
    asked = f"{number(median, 0)} (mean {number(mean, 1)})"
    changed = _value(found, "words_changed")
    return name, *cells, asked, NO_VALUE if changed is None else whole_percent(changed)


def _rater(members: Sequence[Estimate], *, anchor: str) -> Chart | None:
    """The rater's answers on texts of known validity; `None` without a model that rates."""
    found = {(e.key.metric_name, e.key.role): e for e in members}
    rows = tuple(
        (text, known, interval(found[place])) for text, known, place in _RATED if place in found
    )
    if not rows:
        return None
    return Chart(
        anchor=f"attacks-{anchor}-rater",
        title="Check of the rater on texts of known validity",
        caption=(
            "The rater must distinguish these two kinds of texts; otherwise no share of valid "
            "texts is stated. A rater that passes may still overlook a word that is replaced by "
            "its opposite."
        ),
        table=ChartTable(("text", "should be", "called valid"), rows),
        is_open=True,
    )


def _value(found: Mapping[tuple[str, str], Estimate], metric: str) -> float | None:
    estimate = found.get((metric, "measured"))
    return None if estimate is None else estimate.value


def _spec(curves: Mapping[str, list[dict[str, Any]]]) -> Spec:
    values = [{"attack": name, **p} for name, points in curves.items() for p in points]
    ticks = sorted({point["texts"] for point in values})
    x: dict[str, Any] = {"field": "texts", "type": "quantitative"}
    x["scale"] = {"type": "log", "nice": False}
    x["axis"] = {"title": "texts asked, at most", "values": ticks}
    y = axis("value", "attack success", domain=[0, 1])
    color = series_color(list(curves), name="attack")
    if color["legend"] is not None:
        color["legend"]["symbolOpacity"] = 1  # the bands are pale, their names shall not be
    layers = band_and_line(x, y, "attack", "texts", "interval", color=color)
    return view_of(values, height=240, layer=list(layers))


def _texts(found: Sequence[FoundText], where: str, *, anchor: str) -> Chart:
    """Some successful texts of each attack, chosen by the hash of their items."""
    wins = [one for one in found if one.is_success and one.role == "measured" and not one.draw]
    replicates = list(dict.fromkeys(one.replicate for one in wins))
    first = [one for one in wins if one.replicate == replicates[0]] if replicates else []
    by_attack = grouped((one.recipe.replace("@1", ""), one) for one in first)
    rows = []
    for name, own in by_attack.items():
        for one in sorted(own, key=lambda t: digest(t.item))[:_EACH]:
            valid = NOT_RATED if one.valid is None else number(one.valid, 2)
            both = [said or NO_VALUE for said in (one.before, one.after)]
            before, after = (said[:_LONGEST] + "…" * (len(said) > _LONGEST) for said in both)
            rows.append((name, one.item, f"{before} → {after}", changes_in(one), valid))
    whose = f" ({replicate_words(replicates[0])})" if replicates and replicates[0] else ""
    return Chart(
        anchor=f"attacks-{anchor}-texts",
        title=f"Texts that fool {where}{whose}",
        caption=(
            "Chosen by the hash of their items. [old \N{RIGHTWARDS ARROW} new] marks the change; "
            "check whether the text still means the same."
        ),
        table=ChartTable(("attack", "item", "answer", "text", "valid"), tuple(rows), 5),
        is_open=True,
        has_texts=True,
        note=f"{len(wins):,} texts were found; all are kept in the run.",
    )


def changes_in(found: FoundText) -> str:
    """Every field that an attack changed, with ``[old → new]`` marks; long parts are shortened."""
    before = dict(zip(found.fields, found.originals, strict=True))
    forms = {"removed": "[{} → ]", "inserted": "[ → {}]"}
    parts = []
    for name in dict.fromkeys(field for field, *_ in found.edits):
        edits = [Edit(*edit) for edit in found.edits if edit[0] == name]
        pieces = stretches(before[name], edits, context=_CONTEXT)
        marked = "".join(forms.get(piece.kind, "{}").format(piece.text) for piece in pieces)
        parts.append(marked.replace(" → ][ → ", " → "))  # removed and inserted in one place
    return " | ".join(parts)


def _found(folder: Path) -> Iterator[SearchedText]:
    """Final texts of the attacks of a run, and of random change."""
    for one in found_in(folder):
        of = (one.subject, one.replicate, one.dataset, one.item, one.recipe, one.draw)
        facts = {"asked": one.asked, "words_changed": one.words_changed}
        ended = (one.before, one.after, one.is_success, one.role)
        yield SearchedText(*of, one.edits, *ended, facts, right=one.right)


PART: Final = ReportPart(__doc__, part, found_in=_found)
