"""Change of every head by fine-tuning: the downstream task and the control task."""

from collections.abc import Sequence
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.heat_maps import MapPanel, heat_map
from scrutiny.blocks.labels import metric_words
from scrutiny.blocks.run_estimates import identity
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import Part, ReportPart, part_of
from scrutiny.core.record import grouped
from scrutiny.diagnostics.attention.parts.head_study import (
    HEADS,
    SCORES,
    HeadMap,
    HeadStudy,
    head_study,
    place_name,
    rank_of,
    score_of,
    score_rank,
    short_names,
)
from scrutiny.diagnostics.attention.parts.heads_maps import (
    MOST_MAPS,
    anchor_of,
    cell_text,
    matrix,
    title_of,
    top_places,
)

_MOST_PANELS: Final = 4
_SAME: Final = ("subject", "role", "dataset")
_LEAD: Final = (
    "Each head after training minus before, averaged over runs. Families trained from one model "
    "are shown together with the control task: a change in both is not specific to the task. All "
    "datasets have one color scale, with 0 in the middle."
)


def part(view: RunView) -> Part | None:
    """Changes of heads by training: one chart for each dataset and condition, of one base."""
    study = head_study(view)
    scores = {score_of(one.key) for one in study.maps}
    main = min((s for s in scores if s in SCORES), key=score_rank, default="")
    changed = (study.change(one) for one in study.maps if score_of(one.key) == main)
    changes = [change for change in changed if change is not None and change.values]
    changes.sort(key=lambda one: rank_of(one.key))
    charts = []
    for members in grouped((identity(one.key, without=_SAME), one) for one in changes).values():
        datasets = list(dict.fromkeys(one.key.dataset for one in members))
        names = short_names(datasets)
        most = max((abs(v) for one in members for v in one.values.values()), default=0.0)
        for dataset in datasets:
            here = [one for one in members if one.key.dataset == dataset]
            for at in range(0, len(here), _MOST_PANELS):
                shown = here[at : at + _MOST_PANELS]
                charts.append(_chart(shown, study, name=names[dataset], most=most))
    return part_of(
        "heads-changes",
        "Change by fine-tuning",
        _LEAD,
        charts,
        "maps",
        most=MOST_MAPS,
        chapter=HEADS,
    )


def _chart(members: Sequence[HeadMap], study: HeadStudy, *, name: str, most: float) -> Chart:
    key, score = members[0].key, score_of(members[0].key)
    titled = {one.key.subject + " (control)" * (one.key.role == "control"): one for one in members}
    titles = list(titled)
    panels = [MapPanel(title, {score: one.values}) for title, one in titled.items()]
    parts = ", ".join(
        f"{title} {cell_text(one.cells[best], signed=True)} at {place_name(best)}"
        for title, one in titled.items()
        if (best := one.best) is not None
    )
    base = study.base_of(members[0])
    rows = tuple(  # the heads that changed most in the first family
        (
            place_name(place),
            cell_text(base.cells.get(place) if base else None),
            *(cell_text(one.cells.get(place), signed=True) for one in members),
        )
        for place in top_places(members[0], by_size=True)
    )
    return Chart(
        anchor=anchor_of(f"change-{members[0].key.subject}", key, without=()),
        title=title_of(key, f"change of {metric_words(score)}", of=f"{key.reference} on {name}"),
        caption=f"Largest gains: {parts}. Values are means over runs \N{PLUS-MINUS SIGN} sd.",
        spec=heat_map(panels, [score], most=most or 1.0),
        table=ChartTable((f"{len(rows)} most changed heads", "before", *titles), rows),
        is_open=True,
        more=matrix(members, titles, signed=True),
        more_title="Change of every head",
    )


PART: Final = ReportPart(__doc__, part)
