"""What a model can know without reading: partial inputs, label words, and what AFLite left."""

from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.numbers import interval, number, p_value
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, Part, ReportPart, left_out, part_of
from scrutiny.core.answers.choices import Option, options_in
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.estimate import Estimate
from scrutiny.core.example import Example
from scrutiny.core.record import grouped
from scrutiny.diagnostics.artifacts.label_words import label_words
from scrutiny.store.item_tables import examples_of

_LEAD: Final = (
    "Artifacts are traces of how data were made: words or lengths that go with one answer. Here "
    "baselines saw a part of each item alone. What they are right about, beyond the same baseline "
    "of shuffled answers, a model can know without reading the rest."
)
_OWN: Final = ("artifacts", "artifacts.one-text")
_MOST: Final = 40
_LEVEL: Final = 0.05


def part(view: RunView) -> Part | None:
    """A table of the parts of each model and dataset, and one of the words of each dataset."""
    charts = [*_parts(view), *_words(view), *_filtered(view)]
    return part_of(
        "without-reading",
        "What a model can know without reading",
        _LEAD,
        charts,
        "tables",
        chapter=FINDINGS,
    )


def _named(view: RunView, *diagnostics: str) -> dict[tuple[str, str], list[Estimate]]:
    """Estimates of diagnostics over all replicates, by model and dataset."""
    return grouped(
        ((e.key.subject, e.key.dataset), e)
        for e in view.estimates
        if e.key.diagnostic_name in diagnostics and e.key.replicate is None
    )


def _parts(view: RunView) -> Iterator[Chart]:
    """Baselines of each model and dataset, part by part."""
    for (subject, dataset), found in _named(view, *_OWN).items():
        by_part = grouped((str(e.key.condition["shown"]), e) for e in found)
        rows = []
        for shown, own in by_part.items():
            known = {(e.key.metric, e.key.role): e for e in own}
            rows.append((shown, *(interval(known.get(wanted)) for wanted in _COLUMNS)))
        where = view.on_data(subject, dataset)
        yield Chart(
            anchor=f"without-reading-{digest(where, size=4)}",
            title=f"{where}: what a part of the items tells",
            caption="Shares of the items whose answer a baseline gets right that sees this part "
            "alone; and accuracy of the model where that baseline is right, and where it is not.",
            table=ChartTable(_HEADER, tuple(rows)),
            is_open=True,
        )


_HEADER: Final = (
    "shown",
    "answers told",
    "shuffled answers",
    "beyond them",
    "model, where told",
    "model, where not",
)
_COLUMNS: Final = (
    ("told@1", "measured"),
    ("told@1", "control"),
    ("beyond(told)@1", "measured"),
    ("mean(right_told)@1", "measured"),
    ("mean(right_not_told)@1", "measured"),
)


def _words(view: RunView) -> Iterator[Chart]:
    """Words that go with a label, of each dataset and text field."""
    folder = view.records.folder
    datasets = dict.fromkeys(dataset for _, dataset in _named(view, *_OWN))
    for dataset in datasets:
        if folder is None:
            return
        examples = examples_of(folder.table("items"), dataset).values()
        texts, labels = _labeled(list(examples))
        rows = [one for one in label_words(texts, labels) if one.p <= _LEVEL]
        if not rows:
            continue
        said = f"{len(rows):,} words go" if len(rows) > 1 else "One word goes"
        yield Chart(
            anchor=f"label-words-{digest(dataset, size=4)}",
            title=f"{dataset}: words that go with a label",
            caption=f"{said} with a label more often than chance, corrected for every word and "
            "label tested. A word may rightly belong to its label: read them.",
            table=ChartTable(
                _WORDS,
                tuple(
                    (
                        one.word,
                        one.field,
                        one.label,
                        f"{one.with_label:,}/{one.texts:,}",
                        number(one.share, 2),
                        number(one.expected, 2),
                        number(one.pmi, 2, signed=True),
                        number(one.z, 1, signed=True),
                        p_value(one.p),
                    )
                    for one in rows[:_MOST]
                ),
                3,
            ),
            note=left_out(len(rows), _MOST, "words"),
            is_open=True,
            has_texts=True,
        )


def _labeled(examples: Sequence[Example]) -> tuple[dict[str, list[str]], list[str]]:
    """Texts by field, and their labels; of options, whether each is the right one."""
    known = [e for e in examples if isinstance(e.gold, str)]
    if known:
        names = dict.fromkeys(name for e in known for name in e.fields)
        return {n: [e.fields.get(n, "") for e in known] for n in names}, [
            str(e.gold) for e in known
        ]
    chosen = [
        (text, "right" if place == e.gold else "wrong")
        for e in examples
        if isinstance(e.gold, Option)
        for place, text in enumerate(options_in(e.fields))
    ]
    return {"option": [text for text, _ in chosen]}, [label for _, label in chosen]


_WORDS: Final = ("word", "text", "label", "texts", "share", "expected", "PMI", "z", "adjusted p")


def _filtered(view: RunView) -> Iterator[Chart]:
    """What the filter took out of each dataset, and what a linear classifier makes of the rest."""
    for (subject, dataset), found in _named(view, "aflite").items():
        known = {e.key.metric: e for e in found if e.key.role == "measured"}
        rows = [(says, interval(known.get(metric))) for metric, says in _FILTERED.items()]
        alarm = [known.get(metric) for metric in ("under@1", "beyond(under)@1")]
        is_over = all(e is not None and e.low is not None and e.low > 0 for e in alarm)
        where = view.on_data(subject, dataset)
        yield Chart(
            anchor=f"aflite-{digest(where, size=4)}",
            title=f"{where}: what AFLite leaves",
            caption=(TOO_FAR if is_over else "")
            + "Items that linear classifiers of the features get right were removed in rounds; the "
            "round and the predictability of each item stand in the records.",
            table=ChartTable(("share of the items", "value"), tuple(rows)),
            is_open=True,
        )


#: Said where the filter went so far that features tell what it left worse than chance.
TOO_FAR: Final = (
    "The filter went too far: on what is left a linear classifier falls below always giving the "
    "commonest label, and further than on as many items at random, so what the features told now "
    "stands the other way round. Stop earlier. "
)
_FILTERED: Final = {
    "share(removed)@1": "removed",
    "mean(predictability)@1": "predictability, mean",
    "mean(linear_all)@1": "linear classifier, all items",
    "mean(linear_kept)@1": "linear classifier, what is left",
    "mean(linear_random)@1": "linear classifier, as many at random",
    "under@1": "what is left: commonest label minus linear classifier",
    "beyond(under)@1": "the same, beyond as many at random",
    "mean(right)@1": "the model, all items",
    "mean(right_kept)@1": "the model, what is left",
}


def filtered(view: RunView) -> Part | None:
    """What AFLite left, where no baseline was shown a part and the section above is not there."""
    if _named(view, *_OWN):
        return None
    charts = list(_filtered(view))
    return part_of("aflite", "What AFLite leaves", _FILTER_LEAD, charts, "tables", chapter=FINDINGS)


_FILTER_LEAD: Final = (
    "Items that linear classifiers read off fixed features hold artifacts, or are easy. What is "
    "left shows what a model can do without them."
)

PART: Final = ReportPart(__doc__, part)
FILTERED: Final = ReportPart("What AFLite left of the data, by itself.", filtered)
