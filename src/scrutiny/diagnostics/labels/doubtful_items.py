"""Items with a doubtful gold label, those that most models doubt first, to be read by a person."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.labels import one_line
from scrutiny.blocks.numbers import number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import (
    FINDINGS,
    InShort,
    Part,
    ReportPart,
    SentenceBlock,
    left_out,
    part_of,
)
from scrutiny.blocks.terminal_and_markdown import cropped
from scrutiny.core.answers.answer import answer_of, type_of
from scrutiny.core.answers.choices import options_last
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.record import grouped
from scrutiny.reliability.assignment import assignments_in
from scrutiny.store.run_folder import RunFolder

_DIAGNOSTIC: Final = "labels"
_MOST: Final = 20
_MOST_LINES: Final = 5
_LONGEST: Final = 240
_LEAD: Final = (
    "These gold labels may be wrong: the model is confident of another one, or a nearly identical "
    "text has another one. A confident error of the model looks the same, so read the items."
)


@dataclass(frozen=True, slots=True)
class DoubtfulItem:
    """An item with a doubtful label.

    Parameters
    ----------
    item, text, gold
        What it is.
    answers
        What the models answer, with their mean probability: "spam .98 (3 of 3 models)".
    why
        Who disagrees: the model, a near duplicate, or both.
    votes
        How many models doubt it.
    confidence
        Mean probability of the answers.
    """

    item: str
    text: str
    gold: str
    answers: str
    why: str
    votes: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Doubtful:
    """Doubtful items of one model on one dataset, the most doubtful first."""

    subject: str
    dataset: str
    items: tuple[DoubtfulItem, ...]
    n_items: int
    n_models: int

    @property
    def sentence(self) -> str:
        """How many there are."""
        count = len(self.items)
        found = f"{count:,} of {self.n_items:,} labels are doubtful"
        if self.n_models == 1:
            return f"{found}."
        by_all = sum(one.votes == self.n_models for one in self.items)
        return f"{found} for at least one model, {by_all:,} for all {self.n_models}."


def doubtful_in(view: RunView) -> Iterator[Doubtful]:
    """Doubtful items of each model and dataset that has any; nothing without records."""
    folder = view.records.folder
    for assigned in assignments_in(view.manifest):
        key = assigned.key
        is_own = key.diagnostic_name == _DIAGNOSTIC and key.metric == "share(doubtful)@1"
        recorded = view.records.recorded(assigned) if is_own and folder is not None else None
        if recorded is None or folder is None:
            continue
        side = recorded.select(assigned.sides[""], assigned.within)
        _, disagreed, conflicting, doubtful = side.values.transpose(2, 0, 1)  # (replicate, item)
        against = {"the model": disagreed, "a near duplicate": conflicting}
        votes = (doubtful == 1).sum(axis=0)
        named = [recorded.panel.items[i] for i in votes.nonzero()[0].tolist()]
        texts = _texts(folder, key.dataset, named)
        # the answer that each model gives, with the probability of its surest part
        table = folder.original_answers("scores")
        mine = pc.is_in(table["item"], value_set=pa.array(named, pa.string()))
        for column, value in (("subject", key.subject), ("dataset", key.dataset)):
            mine = pc.and_(mine, pc.equal(table[column], value))
        rows = [row for row in table.filter(mine).to_pylist() if row["scores"]]
        answers = grouped((r["item"], (r["answer"], max(r["scores"]))) for r in rows)
        items = [
            DoubtfulItem(
                item=name,
                text=texts[name][0],
                gold=texts[name][1],
                answers=_said(answers.get(name, ()), texts[name][2]),
                why=" and ".join(who for who, by in against.items() if 1 in by[:, i]),
                votes=int(votes[i]),
                confidence=fmean(score for _, score in answers.get(name, (("", 0.0),))),
            )
            for i, name in enumerate(recorded.panel.items)
            if votes[i] and name in texts
        ]
        items.sort(key=lambda one: (-one.votes, -one.confidence))
        n_models, n_items = doubtful.shape
        if items:
            yield Doubtful(key.subject, key.dataset, tuple(items), n_items, n_models)


def _texts(
    folder: RunFolder, dataset: str, items: Sequence[str]
) -> dict[str, tuple[str, str, dict[str, str]]]:
    """Text and gold answer of items in words, and their fields."""
    wanted, found = set(items), {}
    for row in folder.table("items", columns=["dataset", "item", "gold", "fields"]).to_pylist():
        if row["dataset"] == dataset and row["item"] in wanted:
            fields = options_last(json.loads(row["fields"]))
            text = " | ".join(fields.values())
            found[row["item"]] = (
                cropped(one_line(text), _LONGEST),
                _shown(answer_of(row["gold"]), fields),
                fields,
            )
    return found


def _shown(answer: Any, fields: Mapping[str, str]) -> str:
    """Answer of any type in a line, with the texts that it speaks of."""
    return cropped(one_line(type_of(answer).show(answer, fields)), _LONGEST)


def _said(answers: Sequence[tuple[str, float]], fields: Mapping[str, str]) -> str:
    """Answers in words, the commonest first."""
    by_answer = grouped(answers)
    parts = [
        f"{_shown(answer_of(answer), fields)} {number(fmean(scores), 2)}"
        + (f" ({len(scores)} of {len(answers)} models)" if len(answers) > 1 else "")
        for answer, scores in sorted(by_answer.items(), key=lambda one: -len(one[1]))
    ]
    return ", ".join(parts)


def part(view: RunView) -> Part | None:
    """One table of items for each model and dataset that has any."""
    charts = []
    for found in doubtful_in(view):
        where = view.on_data(found.subject, found.dataset)
        rows = tuple((o.text, o.gold, o.answers, o.why, o.item) for o in found.items[:_MOST])
        chart = Chart(
            anchor=f"labels-{digest(where, size=4)}",
            title=f"{where}: labels to read",
            caption=found.sentence,
            table=ChartTable(("text", "gold label", "answers", "who disagrees", "item"), rows, 5),
            note=left_out(len(found.items), _MOST, "items"),
            is_open=True,
            has_texts=True,
        )
        charts.append(chart)
    return part_of(
        "labels", "Doubtful labels", _LEAD, charts, "models and datasets", chapter=FINDINGS
    )


def lines(view: RunView) -> Iterator[InShort]:
    """The most doubtful items in a terminal."""
    for found in doubtful_in(view):
        yield SentenceBlock("")
        yield SentenceBlock(f"Doubtful labels: {found.sentence}", "bold")
        for one in found.items[: _MOST_LINES if view.has_texts else 0]:
            yield SentenceBlock(one.text, hanging=2, is_cut=True)
            yield SentenceBlock(f"gold {one.gold}; {one.answers}; {one.why} disagrees")


PART: Final = ReportPart(__doc__, part, lines)
