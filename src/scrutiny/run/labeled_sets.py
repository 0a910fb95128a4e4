"""Contrast sets of your own: changed texts of a run, and a sheet on which people labeled them.

Gardner et al. (2020) had experts change items by hand. Here a run changes them (robustness, an
attack, changes of your own), and people say which label is right of each changed text.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from scrutiny.core.answers.answer import label_in, type_of
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import PERTURBATION, Example
from scrutiny.core.record import grouped
from scrutiny.core.registry import registry
from scrutiny.data.readers.published_contrast_sets import TEST
from scrutiny.data.source import DataSource
from scrutiny.stats.agreement.kappa import krippendorff_alpha

SHEET_COLUMNS: Final = ("id", "change", "original", "original_label", "text", "annotator", "label")
_BETWEEN: Final = " || "  # between the texts of one item
_MOST_SHOWN: Final = 6


class LabeledSet(NamedTuple):
    """Contrast set made of a sheet.

    Parameters
    ----------
    examples
        Originals, and a case for each changed text on whose label most annotators agree.
    n_unlabeled, n_tied
        Changed texts without a label, and those on which the annotators are divided.
    n_changed
        Cases whose label is another than that of the original.
    agreement
        Krippendorff's alpha of the annotators; None where no text has two labels.
    """

    examples: list[Example]
    n_unlabeled: int
    n_tied: int
    n_changed: int
    agreement: float | None

    @property
    def said(self) -> str:
        """How many texts are labeled, and how far the annotators agree."""
        n = sum(one.case is not None for one in self.examples)
        lines = [f"{n:,} changed texts are labeled, {self.n_changed:,} unlike their original."]
        if self.n_unlabeled or self.n_tied:
            left = f"{self.n_unlabeled:,} without a label, {self.n_tied:,} with two equally often"
            lines.append(f"Left out: {left}.")
        if self.agreement is not None:
            lines.append(
                f"Agreement of the annotators, Krippendorff's alpha: {self.agreement:.2f}."
            )
        return "\n".join(lines)


def sheet_text(examples: Iterable[Example]) -> str:
    """Sheet (CSV) with a row for each changed text of a frozen suite, for people to label.

    The column ``label`` is empty. Several people have a row each, with their name under
    ``annotator``.
    """
    known = {example.id: example for example in examples}
    out = io.StringIO()
    writer = csv.DictWriter(out, SHEET_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for one in _asked(known.values()):
        assert one.case is not None
        base = known[one.case.of]
        row = {"id": one.id, "change": one.case.test, "original": _text(base), "text": _text(one)}
        writer.writerow({**row, "original_label": label_in(base.gold) or ""})
    return out.getvalue()


def labeled_set(examples: Sequence[Example], sheet: Path) -> LabeledSet:
    """Contrast set of the changed texts that a sheet labels, each with the label most people gave.

    Parameters
    ----------
    examples
        Items of a frozen suite (`scrutiny.run.reusing.frozen`).
    sheet
        CSV, TSV or JSONL file with the columns ``id`` and ``label``; ``annotator`` if there are
        several people, and ``text``, which is compared with the text of the run.

    Raises
    ------
    PlanError
        If right answers to these items are no labels.
    DataError
        If the sheet names an unknown text or label, one whose text is another, or labels nothing.
    """
    known = {example.id: example for example in examples}
    labels = {label_in(e.gold) for e in examples if e.case is None and e.gold is not None}
    if not labels or None in labels:
        kinds = {type_of(e.gold).name for e in examples if e.gold is not None}
        raise PlanError(
            "A sheet says which label is right of each changed text, and the right answers here "
            f"are no labels ({', '.join(sorted(kinds)) or 'there are none'})."
        )
    asked = {one.id: one for one in _asked(examples)}
    rows = [row for row in _rows(sheet) if str(row.get("label") or "").strip()]
    for row in rows:
        _must_fit(row, asked, {str(label) for label in labels}, sheet)
    given = grouped((str(row["id"]), str(row["label"]).strip()) for row in rows)
    cases, tied = [], 0
    for name, votes in given.items():
        (label, n), *rest = Counter(votes).most_common()
        if rest and rest[0][1] == n:
            tied += 1
            continue
        cases.append(_case(asked[name], label))
    if not cases:
        raise DataError(f"{sheet} labels no text: fill in its column `label`.")
    bases = dict.fromkeys(one.case.of for one in cases if one.case is not None)
    return LabeledSet(
        [*(known[name] for name in bases), *cases],
        n_unlabeled=len(asked) - len(given),
        n_tied=tied,
        n_changed=sum(
            one.case is not None and one.gold != known[one.case.of].gold for one in cases
        ),
        agreement=_alpha(rows),
    )


def _asked(examples: Iterable[Example]) -> list[Example]:
    """Changed texts: cases that were made, random changes aside."""
    named = ((one, one.case) for one in examples)
    return [
        one
        for one, case in named
        if case is not None and case.status == "ok" and case.role == "measured"
    ]


def _case(one: Example, label: str) -> Example:
    """Case of a contrast set: right is the label that people gave."""
    assert one.case is not None
    kind = {**one.attributes, PERTURBATION: one.case.test}
    case = replace(one.case, expect="gold", test=TEST, made_for="", twin_of="")
    return replace(one, gold=label, case=case, attributes=kind)


def _rows(sheet: Path) -> list[Mapping[str, Any]]:
    """Rows of the sheet.

    Raises
    ------
    DataError
        If it cannot be read, or lacks a column.
    """
    scheme = sheet.suffix.removeprefix(".").lower()
    if scheme not in ("csv", "tsv", "jsonl"):
        raise DataError(f"{sheet} is no sheet: it is a .csv, .tsv or .jsonl file.")
    table = registry().load("reader", scheme)(DataSource(scheme, str(sheet)))
    lacks = [name for name in ("id", "label") if name not in table.columns]
    if lacks:
        raise DataError(
            f"{sheet} has no column {lacks[0]!r}; its columns are {', '.join(table.columns)}. "
            "`scrutiny freeze RUN -o FILE --sheet SHEET.csv` writes a sheet to fill in."
        )
    found: list[Mapping[str, Any]] = []
    for row in table.rows:
        if row.problem:
            raise DataError(f"{sheet}:{row.line}: {row.problem}.")
        found.append({**row.values, "line": row.line})
    return found


def _must_fit(
    row: Mapping[str, Any], asked: Mapping[str, Example], labels: set[str], sheet: Path
) -> None:
    """Raise for a row of another run, or with a label that the data does not have."""
    place, label = f"{sheet}:{row['line']}", str(row["label"]).strip()
    one = asked.get(str(row["id"]))
    if one is None:
        raise DataError(f"{place}: the run has no changed text {row['id']!r}.")
    if row.get("text") and str(row["text"]).split() != _text(one).split():
        raise DataError(
            f"{place}: the text of {row['id']!r} is another one in the run: the sheet is of "
            "another run, or the text was edited. Write a new sheet with --sheet."
        )
    if label not in labels:
        shown = ", ".join(sorted(labels)[:_MOST_SHOWN])
        raise DataError(
            f"{place}: the label {label!r} is none of the data, which has {shown}. Leave the cell "
            "empty where no label is right."
        )


def _alpha(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """Krippendorff's alpha of the annotators who labeled the same texts."""
    people = dict.fromkeys(str(row.get("annotator") or "") for row in rows)
    names = dict.fromkeys(str(row["id"]) for row in rows)
    classes = {label: n for n, label in enumerate(dict.fromkeys(r["label"] for r in rows))}
    ratings = np.full((len(people), len(names)), np.nan)
    places = [{name: n for n, name in enumerate(own)} for own in (people, names)]
    for row in rows:
        at = places[0][str(row.get("annotator") or "")], places[1][str(row["id"])]
        ratings[at] = classes[row["label"]]
    return krippendorff_alpha(ratings).value


def _text(example: Example) -> str:
    """All texts of an item."""
    return _BETWEEN.join(example.fields.values())
