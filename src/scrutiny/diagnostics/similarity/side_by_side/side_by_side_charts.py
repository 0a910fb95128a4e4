"""Agreement of two models' answers: flips, chance-corrected agreement, differing inputs.

`scrutiny compare` and the page of any run with two models show the same charts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.forest import Line, forest_or_table, forest_table
from scrutiny.blocks.labels import one_line
from scrutiny.blocks.numbers import number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import MOST_CHARTS, Part, ReportPart, left_out
from scrutiny.blocks.terminal_and_markdown import answer_cell, cropped
from scrutiny.core.errors import DataError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Counts
from scrutiny.diagnostics.similarity.side_by_side.sides import (
    UNKNOWN,
    FlippedItems,
    Noise,
    flips_of,
    noise_of_replicates,
)
from scrutiny.diagnostics.similarity.side_by_side.sides_agreement import (
    DifferingInput,
    SidesAgreement,
    agreement_of,
    find_disagreements,
)
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import (
    marked,
    promised_noise,
    sides_of_models,
)
from scrutiny.store.run_folder import RunFolder

#: Reference, other model and dataset.
Pair = tuple[str, str, str]
#: What became of an answer.
TO: Final = "\N{NO-BREAK SPACE}\N{RIGHTWARDS ARROW}\N{NO-BREAK SPACE}"
_LONGEST_TEXT: Final = 600
_INPUTS: Final = 10  # of two models, on the page of a run
_MOST_PAIRS: Final = MOST_CHARTS // 3
_LEAD: Final = (
    "The reference, or the first model of the run, compared with each other one, on the items "
    "that both answered. The noise floor is its difference from itself between replicates."
)
#: Measures of agreement by what they are called, with their units.
MEASURES: Final[Mapping[str, str]] = {
    "agreement@1": "same answer",
    "kappa@1": "kappa",
    "error_consistency@1": "error consistency",
    "capa@1": "CAPA",
    "capa_of_labels@1": "CAPA of labels",
    "jsd@1": "JSD, bits",
    "tv@1": "total variation",
    "kl_ab@1": "KL from the first, nats",
    "kl_ba@1": "KL from the second, nats",
}
#: Why a measure has no value, by its code.
_REASONS: Final[Mapping[str, str]] = {
    "no_probabilities": "neither side has probabilities",
    "one_sided_probabilities": "only one side has probabilities",
    "no_distribution": "the probabilities do not sum to 1",
    "no_label_order": "no CAPA and no divergences: a run did not store the order of its labels",
    "other_labels": "the two have different labels",
    "other_choices": "the two had different choices",
    "several_datasets": "labels of several datasets",
    "several_sets": "items have different numbers of choices",
    "no_value": "neither varies",
}
_FLOORS: Final[Mapping[str, str]] = {
    "replicates": "the replicates of the first model",
    "another run": "two runs of the first model",
    "asked again": "the first model asked again",
    "exact": "the first model asked again; its answers are exact",
    "unknown": "identical answers of the first model",
}


def stated(value: float, n: int, low: float | None = None, high: float | None = None) -> Estimate:
    """Number of two sides with its n, as charts of a comparison take it."""
    key = EstimateKey("compare", "", "second", "items", reference="first")
    return Estimate(key, value, low, high, 0.95, "", Counts(n), n)


def flips_chart(anchor: str, flips: FlippedItems | None, noise: Noise) -> Iterator[Chart]:
    """Share of items that flip, compared with the noise floor."""
    rates: dict[str, Estimate] = {}
    if noise.share is not None:
        rates["noise floor"] = stated(noise.share, noise.n_items)
    if flips is not None:
        names = ("worse", "better") if flips.is_graded else ("right to wrong", "wrong to right")
        n = flips.broken.counts.n
        rates["flips, either way"] = stated(flips.share, n)
        rates |= dict(zip(names, (flips.broken, flips.mended), strict=True))
        if flips.answers_differ is not None:
            rates["another answer"] = stated(flips.answers_differ, n)
    return forest_or_table(
        anchor,
        "How many items flip",
        "Share of the items, with intervals. The dashed line is the noise floor, if it is known "
        "and not 0: how often the first model disagrees with itself.",
        [Line(name, {"share of items": found}) for name, found in rates.items()],
        metric="share of items",
        limit=noise.share,
    )


def agreement_chart(anchor: str, found: SidesAgreement, n: int) -> Iterator[Chart]:
    """Measures of agreement on n items, compared with the first model against itself."""
    lines = list[Line]()
    itself = "with itself" if found.floor_of == "unknown" else "floor"
    for one in found.rows:
        series = {} if one.estimate is None else {"both": one.estimate}
        if one.floor is not None:
            series[itself] = stated(one.floor, n)
        why = f" ({_REASONS.get(one.reason, one.reason)})" if one.reason else ""
        lines.append(Line(MEASURES[one.measure] + why, series))
    caption = "Chance-corrected agreement, and distances of probabilities, with intervals."
    if any(itself in line.series for line in lines):
        caption += f" {itself.capitalize()}: {_FLOORS[found.floor_of]}."
    if lines:
        yield Chart(anchor, "How far both agree", caption, forest_table(lines))


def inputs_chart(
    anchor: str, found: Sequence[DifferingInput], total: int, *, is_whole: bool
) -> Iterator[Chart]:
    """Inputs that differ most beyond noise, with the answers of both sides."""
    header = ("input", "answers", "gold", "slices", "level", "rank", "from")
    rows = tuple(
        (
            cropped(one_line(one.text), _LONGEST_TEXT),
            ""
            if one.first is None
            else f"{answer_cell(one.first)}{TO}{answer_cell(str(one.second))}",
            "" if one.gold is None else answer_cell(one.gold),
            ", ".join(one.slices),
            f"{number(one.before, 2)}{TO}{number(one.after, 2)}",
            number(one.rank, 2),
            one.source or one.item,
        )[: len(header) if is_whole else -1]
        for one in found
    )
    title = f"Inputs that differ most beyond noise, {len(rows)} of {total:,}"
    caption = "Sorted by rank: the distance of both models, times the share beyond noise."
    if rows:
        table = ChartTable(header[: len(rows[0])], rows, len(header))
        yield Chart(anchor, title, caption, table)


def part(view: RunView) -> Part | None:
    """Charts of a reference and each other model of the run, on each dataset."""
    folder, manifest = view.records.folder, view.manifest
    models = [n for n, one in manifest.get("models", {}).items() if one.get("role") == "measured"]
    # the first model is the reference if the plan names none
    named = [one["reference"] for one in manifest.get("plan", {}).get("measure", ())]
    first = next((name for name in [*named, *models] if name in models), "")
    others = [model for model in models if model != first]
    pairs = [(first, other, data) for other in others for data in manifest.get("data", ())]
    if folder is None or not pairs:
        return None
    try:
        made = [_charts(view, folder, pair, n) for n, pair in enumerate(pairs[:_MOST_PAIRS], 1)]
    except DataError:  # the run kept no answers
        return None
    charts = tuple(chart for several in made for chart in several)
    note = left_out(len(pairs), _MOST_PAIRS, "pairs of models")
    title = "Agreement of two models"
    return Part("side-by-side", title, _LEAD, charts, note) if charts else None


def _charts(view: RunView, folder: RunFolder, pair: Pair, n: int) -> list[Chart]:
    """Flips, agreement and inputs of two models on a dataset; `None` without shared answers."""
    one, other, data = pair
    sides = sides_of_models(((folder, one), (folder, other)), [data])
    if sides is None:
        return []
    marks, noise = marked(sides), promised_noise(folder).get(data, UNKNOWN)
    if len(sides.first) > 1:
        noise = noise_of_replicates(sides)
    found = find_disagreements(sides, marks, noise=noise) if view.has_texts else []
    agreed, anchor = agreement_of(sides, marks, noise), f"side-by-side-{n}"
    charts = [
        *flips_chart(f"{anchor}-flips", flips_of(sides), noise),
        *agreement_chart(f"{anchor}-agreement", agreed, len(sides.examples)),
        *inputs_chart(f"{anchor}-inputs", found[:_INPUTS], len(found), is_whole=True),
    ]
    return [replace(c, title=f"{c.title}: {other} and {one} on {data}") for c in charts]


PART: Final = ReportPart(__doc__, part)
