"""Training examples that decisions rest on, in their words, and whether removing them matters."""

from collections.abc import Iterator
from typing import Any, Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.labels import one_line
from scrutiny.blocks.numbers import interval, number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, InShort, Part, ReportPart, SentenceBlock, part_of
from scrutiny.blocks.terminal_and_markdown import cropped
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.record import grouped
from scrutiny.diagnostics.influence.influence import EXAMPLES
from scrutiny.diagnostics.influence.influence_params import REMOVAL_DROP
from scrutiny.store.stored_forms import packed_in

_LONGEST: Final = 160
_DECIDED: Final = "decided"
_LEAD: Final = (
    "Each decision is followed by the training examples that support it most and that speak most "
    "against it. Believe them only if it is supported above that training without the helpful ones "
    "lowers confidence more than training without as many at random."
)


def part(view: RunView) -> Part | None:
    """A table of what removal costs for each model and dataset, and one of examples."""
    charts = [*_removals(view), *_examples(view)]
    return part_of(
        "influence",
        "Influential training examples",
        _LEAD,
        charts,
        "models and datasets",
        chapter=FINDINGS,
    )


def _removal_rows(view: RunView) -> dict[tuple[str, str], list[tuple[str, str, str]]]:
    """What training without each kind of examples costs, and random ones, by model and dataset."""
    found: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for one in view.estimates:
        key = one.key
        if key.metric == REMOVAL_DROP.id:
            by_kind = found.setdefault((key.subject, key.dataset), {})
            by_kind.setdefault(str(key.condition.get("check")), {})[key.role] = one
    return {
        where: [
            (kind, interval(roles.get("measured")), interval(roles.get("control")))
            for kind, roles in kinds.items()
        ]
        for where, kinds in found.items()
    }


def _removals(view: RunView) -> Iterator[Chart]:
    """Confidence lost by model and dataset."""
    for where, rows in _removal_rows(view).items():
        said = view.on_data(*where)
        yield Chart(
            anchor=f"influence-removal-{digest(*where, size=4)}",
            title=f"{said}: confidence lost by training without examples",
            caption="Mean loss of the probability of the label decided for, with 95 % intervals.",
            table=ChartTable(
                ("examples left out", "confidence lost", "as many at random"), tuple(rows)
            ),
            is_open=True,
        )


def _examples(view: RunView) -> Iterator[Chart]:
    """Decisions with their examples; of the first replicate of each model and dataset."""
    folder = view.records.folder
    if folder is None:
        return
    kept = grouped(((r["subject"], r["dataset"]), r) for r in packed_in(folder.path, EXAMPLES))
    for where, decisions in kept.items():
        first = decisions[0]["replicate"]
        rows: list[tuple[str, str, str]] = []
        heads = set()
        for one in decisions:
            if one["replicate"] != first:
                continue
            heads.add((len(rows), 1))
            sure = f"{_DECIDED}, {number(one['confidence'], 2)}"
            rows.append((cropped(one_line(one["text"]), _LONGEST), sure, one["label"]))
            rows += [
                (
                    cropped(one_line(e["text"]), _LONGEST),
                    f"{e['influence']:+.3g}".replace("-", "\N{MINUS SIGN}"),
                    e["label"],
                )
                for e in one["examples"]
            ]
        header = ("decision, then training examples", "influence", "label")
        yield Chart(
            anchor=f"influence-{digest(*where, size=4)}",
            title=f"{view.on_data(*where)}: influential training examples",
            caption="Under each decision, with its probability, the three most helpful and the "
            "three most harmful examples; of the first sample of the training data. Positive is "
            "helpful: without the example the loss would be higher.",
            table=ChartTable(header, tuple(rows), 3, frozenset(heads)),
            is_open=True,
            has_texts=True,
        )


def lines(view: RunView) -> Iterator[InShort]:
    """What removal costs, in a sentence for a terminal."""
    for where, rows in _removal_rows(view).items():
        for kind, own, random in rows:
            if kind == "helpful":
                yield SentenceBlock("")
                yield SentenceBlock(
                    f"{view.on_data(*where)}: training without the most helpful examples costs "
                    f"{own} of confidence, without as many at random {random}."
                )


PART: Final = ReportPart(__doc__, part, lines)
