"""CrowS-Pairs as published, its revision, and the control sets made from it.

Published: Nangia, Vania, Bhalerao and Bowman 2020, ``crows_pairs_anonymized.csv``. Revised: Neveol,
Dupont, Bezancon and Fort 2022; controls: Pikuliak, Benova and Bachraty 2023 (``crows_revised.csv``,
``crows_negation.csv``, ``crows_antistereotype.csv``).
"""

import csv
from collections.abc import Iterator
from typing import Final

from scrutiny.core.errors import DataError
from scrutiny.data.readers.delimited import read_csv
from scrutiny.data.readers.files import file_in, lines
from scrutiny.data.readers.options import reader_defaults, takes
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table
from scrutiny.tasks.stereotypes.sentence_pairs import SentencePairs

_FILES: Final = ("crows_pairs_anonymized.csv",)
_COLUMNS: Final = ("id", "more", "less", "direction", "category", "set", "pair")
_ORIGINALS: Final = ("original", "revised")
_DIRECTIONS: Final = ("stereo", "antistereo")
_CONTROLS: Final = {"negated": ("negated", "negated-2"), "antistereotype": ("antistereotype",)}


@takes("encoding", control=f"kind of a control set: {' or '.join(_CONTROLS)}")
def read(source: DataSource) -> Table:
    """Pairs of the published file, of the revised one, or of a control set.

    A control set has no header: each of its columns is one item, its first two rows the original
    pair, the next two (and two more) the controls.
    """
    found = file_in(source, _FILES)
    first = next(_cells(found), [])
    rows = list(_published(found, first) if "sent_more" in first else _transposed(found))
    return Table(
        columns=_COLUMNS,
        rows=iter(rows),
        place=found.target,
        defaults=reader_defaults(SentencePairs.name, _COLUMNS),
        notes=_notes(rows),
    )


def _cells(source: DataSource) -> Iterator[list[str]]:
    """Cells of each row of a file."""
    try:
        yield from csv.reader(lines(source))
    except csv.Error as error:
        raise DataError(f"{source.target} is no file of CrowS-Pairs: {error}.") from None


def _notes(rows: list[RawRow]) -> tuple[str, ...]:
    good = [row.values for row in rows if not row.problem]
    twice = sum(row.get("is_repeated", False) for row in good)
    folded = sum(row.get("is_folded", False) for row in good)
    controls = sum(row["set"] not in _ORIGINALS for row in good)
    sentences = (
        (twice, "pairs repeat an earlier one and are one unit with it (u_pair)."),
        (folded, "categories were written with capitals and were lowered."),
        (controls, "pairs are controls (a_set); u_pair ties them to their originals."),
    )
    return tuple(f"{n:,} {says}" for n, says in sentences if n)


def _published(source: DataSource, header: list[str]) -> Iterator[RawRow]:
    missing = {"sent_less", "stereo_antistereo", "bias_type"} - set(header)
    if missing:
        raise DataError(
            f"{source.target} is not a file of CrowS-Pairs: it lacks {', '.join(sorted(missing))}. "
            "Pairs of your own are read by csv: with more= and less=."
        )
    is_numbered = header[0] not in ("sent_more", "sent_less", "stereo_antistereo", "bias_type")
    has_annotations = "annotations" in header
    return _pairs(
        source, header[0].strip() if is_numbered else None, has_annotations=has_annotations
    )


def _pairs(source: DataSource, number: str | None, *, has_annotations: bool) -> Iterator[RawRow]:
    """Rows of the file with a header; its repetitions share a ``pair``."""
    firsts: dict[tuple[str, str], str] = {}
    name = "original" if has_annotations else "revised"
    for i, raw in enumerate(read_csv(source).rows):
        problem = raw.problem or _problem(raw)
        if problem:
            yield RawRow(raw.line, {}, problem)
            continue
        row = raw.values
        texts = row["sent_more"], row["sent_less"]
        own = str(i) if number is None else str(row[number])
        first = firsts.setdefault(texts, own)
        yield RawRow(
            raw.line,
            {
                "id": own,
                "more": texts[0],
                "less": texts[1],
                "direction": row["stereo_antistereo"],
                "category": row["bias_type"].lower(),
                "set": name,
                "pair": first,
                "is_repeated": first != own,
                "is_folded": row["bias_type"] != row["bias_type"].lower(),
            },
        )


def _problem(raw: RawRow) -> str:
    direction, category = raw.values["stereo_antistereo"], raw.values["bias_type"]
    if direction not in _DIRECTIONS:
        return f"stereo_antistereo is {direction!r}, neither stereo nor antistereo"
    if category in _DIRECTIONS or not category:
        return f"bias_type is {category!r}: its columns are out of place"
    return ""


def _transposed(source: DataSource) -> Iterator[RawRow]:
    """Pairs of a control set, originals and their variants, item by item."""
    rows = [cells for cells in _cells(source) if cells]
    if len(rows) not in (4, 6) or len({len(cells) for cells in rows}) > 1:
        raise DataError(
            f"{source.target} is no file of CrowS-Pairs: it has neither a column sent_more nor the "
            "form of a control set (4 or 6 rows of equal length)."
        )
    return _controls(rows, ("original", *_control(source, len(rows) // 2 - 1)))


def _control(source: DataSource, n: int) -> tuple[str, ...]:
    """Names of the sets of controls, by the option or the file's name."""
    stated = source.option("control")
    name = source.path.name.lower()
    kind = stated or ("negated" if "negat" in name else "antistereotype" if "anti" in name else "")
    if kind not in _CONTROLS or len(_CONTROLS[kind]) < n:
        raise DataError(
            f"{source.target}: its name does not tell the kind of controls: add "
            f"control={' or control='.join(_CONTROLS)} to the data string."
        )
    return _CONTROLS[kind][:n]


def _controls(rows: list[list[str]], sets: tuple[str, ...]) -> Iterator[RawRow]:
    for i in range(len(rows[0])):
        for k, name in enumerate(sets):
            line = 2 * k + 1
            more, less = rows[line - 1][i].strip(), rows[line][i].strip()
            if not more and not less and k:
                continue  # most items have no control
            values = {"id": f"{i}/{name}", "more": more, "less": less, "set": name}
            values |= {"pair": str(i), "category": "gender"}
            values["direction"] = ""
            yield RawRow(line, values)
