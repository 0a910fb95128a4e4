"""Answers of a run to items and their changed texts: compared as codes, told in few words."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.blocks.cases import parts_in_words
from scrutiny.core.answers.answer import AnswerType, PartDifference, answer_of, answer_text, type_of
from scrutiny.core.edit import EditRefusedError
from scrutiny.core.errors import ScrutinyError
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.example import Example
from scrutiny.reliability.metrics import metric_of
from scrutiny.store.arrow import coded, is_among, is_value
from scrutiny.store.stored_forms import edits_of
from scrutiny.text.edits import apply_to_text, track_of

if TYPE_CHECKING:
    from scrutiny.store.run_folder import RunFolder


Codes = NDArray[np.int64]
_COLUMNS: Final = {
    "items": ["dataset", "item"],
    "variants": ["kind", "dataset", "item", "variant", "role", "recipe", "draw", "status"],
    "outputs": None,
}


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables of a run: items, variants and outputs.

    ``rows`` reads whole rows of a table by its name, their places and their columns; without it
    they are taken from the tables.
    """

    items: pa.Table
    variants: pa.Table
    outputs: pa.Table
    rows: Callable[[str, Sequence[int], Sequence[str]], list[dict[str, Any]]] | None = None

    @classmethod
    def of(cls, folder: "RunFolder") -> "Tables":
        """Compared columns of a run folder; the rest stays on disk.

        Raises
        ------
        DataError
            If the run kept no variants or outputs.
        """
        read = {name: folder.coded(name, columns) for name, columns in _COLUMNS.items()}
        return cls(**read, rows=folder.rows)

    def at(self, name: str, places: Sequence[int], columns: Sequence[str]) -> list[dict[str, Any]]:
        """Rows of a table."""
        if self.rows is not None:
            return self.rows(name, places, columns)
        table: pa.Table = getattr(self, name)
        taken = table.select(list(columns)).take(np.array(places, dtype=np.int64))
        rows: list[dict[str, Any]] = taken.to_pylist()
        return rows


@dataclass(frozen=True, slots=True)
class AnswersTo:
    """Answers to items before and after a change.

    Parameters
    ----------
    words
        Every answer that was given.
    before, after
        Positions among the words  # (item, replicate); -1 where there is none
    asked, answered
        Rows of the outputs before and after the change  # (item, replicate)
    replicates
        Names, in order.
    read
        Measures that the estimate reads: other layers of answers are not told.
    """

    words: Sequence[str]
    before: Codes
    after: Codes
    asked: Codes
    answered: Codes
    replicates: Sequence[str | None]
    read: frozenset[str] = frozenset()

    def pairs(self, at: int) -> list[tuple[str, str]]:
        """Answers of each replicate to an item in few words, before and after the change."""
        both = zip(self.before[at].tolist(), self.after[at].tolist(), strict=True)
        return [(self.words[b], self.words[a]) for b, a in both if b >= 0 and a >= 0]

    def stored(self, places: Codes, tables: Tables) -> list[list[tuple[str | None, str | None]]]:
        """Answers of each replicate to items as they are stored, before and after the change."""
        rows = np.stack([self.asked[places], self.answered[places]], axis=2)
        found = tables.at("outputs", rows.ravel().tolist(), ["answer"])
        texts = iter([one["answer"] for one in found])
        pairs = zip(texts, texts, strict=True)
        return [[next(pairs) for _ in self.replicates] for _ in places.tolist()]


def variant_rows(key: EstimateKey, table: pa.Table) -> Codes:
    """Rows of the changed texts behind a finding, one for each item, the last of several."""
    recipes = sorted(value for value in key.condition.values() if isinstance(value, str))
    fits = is_among(table["recipe"], [*recipes])
    fixed = {"kind": key.diagnostic, "dataset": key.dataset, "role": "measured", "status": "ok"}
    draw = key.condition.get("draw", 0)
    for name, value in {**fixed, "draw": (draw if isinstance(draw, int) else 0)}.items():
        fits &= is_value(table[name], value)
    rows = np.flatnonzero(fits)
    names, code = coded(table["item"].take(rows))
    last = np.empty(len(names), dtype=np.int64)
    last[code] = rows
    return last


def answers_to(
    key: EstimateKey, items: pa.ChunkedArray, own: pa.ChunkedArray, outputs: pa.Table
) -> AnswersTo:
    """Answers of every replicate to these items, and to the variant of each."""
    variants, of_item = coded(own)
    fits = is_value(outputs["subject"], key.subject) & is_value(outputs["dataset"], key.dataset)
    named = dict(key.condition)
    found = coded(outputs["condition"])[0].to_pylist()
    fits &= is_among(
        outputs["condition"], [text for text in found if json.loads(text).items() <= named.items()]
    )
    fits &= is_among(outputs["variant"], [None, *variants.to_pylist()])
    rows = np.flatnonzero(fits)
    names, replicate = coded(outputs["replicate"].take(rows))
    place = _matched(outputs["item"].take(rows), items)
    asked = _matched(outputs["variant"].take(rows), variants)
    is_original = is_value(outputs["variant"].take(rows), None)
    is_changed = (place >= 0) & (asked >= 0) & (asked == of_item[place])
    try:
        needs = metric_of(key.metric).needs if key.metric else ()
    except ScrutinyError:  # of a plug-in that is not here
        needs = ()
    read = frozenset(need.rpartition(".")[2] for need in needs)
    # answers in few words, and which of them each row holds
    words: dict[str, int] = {}
    given, code = coded(outputs["answer"].take(rows))
    place_of = [words.setdefault(said(text, read), len(words)) for text in given.to_pylist()]
    answer = np.array(place_of, dtype=np.int64)[code]
    shape = len(items), len(names)
    before, after, asked_at, answered = (np.full(shape, -1, dtype=np.int64) for _ in range(4))
    for into, of, chosen in (
        (before, asked_at, is_original & (place >= 0)),
        (after, answered, is_changed),
    ):
        into[place[chosen], replicate[chosen]] = answer[chosen]
        of[place[chosen], replicate[chosen]] = rows[chosen]
    return AnswersTo([*words], before, after, asked_at, answered, names.to_pylist(), read)


def _matched(column: pa.ChunkedArray, among: pa.ChunkedArray | pa.Array) -> Codes:
    """Index of each row's value among distinct values; -1 if it is none of them."""
    names, codes = coded(column)
    known = pc.index_in(names, value_set=among.cast(pa.string()), skip_nulls=True)
    found: Codes = pc.fill_null(known, -1).to_numpy(zero_copy_only=False).astype("int64")[codes]
    return found


def item_rows(items: pa.ChunkedArray, dataset: str, table: pa.Table) -> Codes:
    """Rows of the report's evidence in the items table; -1 for missing ones."""
    rows = np.flatnonzero(is_value(table["dataset"], dataset))
    found = _matched(items, table["item"].take(rows))
    return np.where(found >= 0, np.append(rows, -1)[found], -1)


NO_ANSWER: Final = "no answer"
#: Answer of parts that all stayed.
_AS_WAS: Final = "the same"


def told(
    stored: Sequence[tuple[str | None, str | None]],
    item: Mapping[str, Any],
    edits: str,
    read: frozenset[str],
) -> tuple[list[tuple[str, str]], str]:
    """Answers of each replicate before and after a change, and the right one.

    Long answers are told by the parts that differ; then what is right is told of those of the
    first replicate that has any.

    Parameters
    ----------
    stored
        Answers of each replicate before and after, as they are stored.
    item
        Its row: gold answer, source and texts.
    edits
        What was changed, as it is stored: with what the edits say of words and spans.
    read
        Measures that are read: other layers are not told.
    """
    shown, gold = [], ""
    example = Example("", json.loads(item["fields"]))
    text = next(iter(example.fields.values()))
    (made,) = edits_of([edits])
    changed = {
        name: apply_to_text(old, [edit for edit in made if edit.field == name])
        for name, old in example.fields.items()
    }
    for both in stored:
        before, after, right = (
            None if one is None else _with_layers(one, read) for one in (*both, item["gold"])
        )
        parts: Sequence[PartDifference] = ()
        is_kept = False
        if before is not None and after is not None:
            with suppress(EditRefusedError):
                track = track_of(example, made)
                parts = type_of(before).differences(before, after, right, track, text)
                is_kept = not parts and tells_parts(before)
        parts = sorted(parts, key=lambda part: not part.is_broken)  # those that broke first
        sides = [parts_in_words(parts, side) for side in ("before", "after", "right")]
        whole = _beside(before, example.fields), _beside(after, changed)
        was, now, wanted = sides if parts else (*whole, "")
        shown.append((_AS_WAS, _AS_WAS) if is_kept else (was, now))
        gold = gold or wanted
    return shown, gold or _beside(_with_layers(item["gold"], read), example.fields)


def _beside(answer: Any, fields: Mapping[str, str]) -> str:
    """Answer in few words beside its text."""
    return NO_ANSWER if answer is None else type_of(answer).beside(answer, fields)


def tells_parts(answer: Any) -> bool:
    """Whether differences from an answer are told by its parts; none where there is no answer."""
    return answer is not None and type(type_of(answer)).differences is not AnswerType.differences


def said(stored: str | None, read: frozenset[str]) -> str:
    """Answer in few words, of the layers that are read."""
    return NO_ANSWER if stored is None else _brief(_with_layers(stored, read))


@lru_cache(maxsize=1 << 14)
def right_of_case(stored: str, read: frozenset[str]) -> str:
    """Right answer of a case as it is told: without layers that its diagnostic does not read."""
    answer = answer_of(stored)
    left = _with_layers(stored, read)
    return stored if left == answer else answer_text(left)


def brief_words(stored: str) -> str:
    """Answer of a case told in a few words, equal for answers that only moved."""
    return _brief(answer_of(stored))


def is_relabeled(before: str, after: str) -> bool:
    """Whether the stored right answers before and after a change are two labels."""
    return before != after and type(answer_of(before)) is type(answer_of(after)) is str


def _with_layers(stored: str, read: frozenset[str]) -> Any:
    """Answer without layers that are not among those that are read, if any of them is."""
    answer = answer_of(stored)
    kind = None if answer is None else type_of(answer)
    if kind is None or not read.intersection(kind.layers):
        return answer
    return kind.without(answer, [layer for layer in kind.layers if layer not in read])


def _brief(answer: Any) -> str:
    return "none" if answer is None else type_of(answer).brief(answer)
