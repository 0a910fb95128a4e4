"""MATRES: which of two events begins first (Ning, Wu and Roth 2018)."""

from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import existing_file
from scrutiny.data.readers.options import reader_defaults
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table
from scrutiny.tasks.classification.classes import TextClassification

_COLUMNS: Final = ("id", "text", "label", "perturbation")
_EVENTS: Final = ("E1", "E2")


def read(source: DataSource) -> Table:
    """Sentences with two events, written as ``[E1 said ]``, and BEFORE, AFTER, EQUAL or VAGUE.

    What annotators wrote of a change (39 wordings) is its ``perturbation``: order (of appearance,
    of sentences), tense alone, indicator alone, or other.

    Raises
    ------
    DataError
        If it is no such file.
    """
    try:
        rows = list(_rows(ElementTree.parse(existing_file(source)).iter("SENTENCE")))
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise DataError(
            f"{source.target} is no file of MATRES, whose SENTENCEs have a UNITID, a LABEL and "
            f"words as WORD///LEMMA///TAG///ROLE: {error!r}."
        ) from None
    defaults = {**reader_defaults(TextClassification.name, _COLUMNS), "group": "perturbation"}
    return Table(_COLUMNS, iter(rows), source.target, defaults=defaults)


def _rows(sentences: Iterator[ElementTree.Element]) -> Iterator[RawRow]:
    for number, one in enumerate(sentences, 1):
        words = (word.rsplit("///", 3) for word in (one.text or "").split())
        text = " ".join(f"[{role} {w} ]" if role in _EVENTS else w for w, _, _, role in words)
        kind = _kind(one.attrib["PERTURB"])
        cells = (one.attrib["UNITID"], text, one.attrib["LABEL"], kind)
        yield RawRow(number, dict(zip(_COLUMNS, cells, strict=True)))


def _kind(said: str) -> str:
    """Kind of a change; empty for an original."""
    if "order" in said:
        return "order"
    alone = said.strip()
    return alone if alone in ("", "tense", "indicator") else "other"
