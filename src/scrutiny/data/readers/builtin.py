"""The sample data that ships with the package."""

from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import as_file, files
from typing import Final

from scrutiny.core.errors import UnknownNameError
from scrutiny.data.readers import conll, delimited
from scrutiny.data.source import DataSource
from scrutiny.data.table import Table

#: File and columns of each sample.
SAMPLES: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "reviews": ("reviews.tsv", {"text": "text", "label": "label", "id": "id", "group": "topic"}),
    "pairs": (
        "pairs.tsv",
        {"text": "text", "text_pair": "text_pair", "label": "label", "id": "id"},
    ),
    "entities": ("entities.conll", {"tokens": "tokens", "tags": "tags"}),
}


def read(source: DataSource) -> Table:
    """Rows of the sample ``reviews``, ``pairs`` or ``entities``.

    Raises
    ------
    UnknownNameError
        If there is no such sample.
    """
    if source.target not in SAMPLES:
        raise UnknownNameError("sample", source.target, SAMPLES)
    name, columns = SAMPLES[source.target]
    with as_file(files("scrutiny.data") / "samples" / name) as path:
        reader = conll.read if name.endswith(".conll") else delimited.read_tsv
        table = reader(DataSource(source.scheme, str(path), source.options))
        rows = list(table.rows)  # within the block: a zipped package unpacks for its length only
    return replace(table, rows=iter(rows), place=name, defaults=columns)
