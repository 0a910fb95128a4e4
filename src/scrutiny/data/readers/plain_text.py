"""Plain text: one passage on each nonblank line."""

from collections.abc import Iterator

from scrutiny.data.readers.files import files_in, lines
from scrutiny.data.readers.options import reader_defaults, takes
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table
from scrutiny.tasks.texts.passages import Passages

_COLUMNS = ("text", "document")


@takes("encoding")
def read(source: DataSource) -> Table:
    """Passages of a file, or of all ``.txt`` files of a folder by name.

    The file's name without its suffix is the ``document`` that passages share.

    Raises
    ------
    DataError
        If the folder has no .txt file.
    """
    return Table(
        columns=_COLUMNS,
        rows=_rows(source, files_in(source, "*.txt", ".txt file")),
        place=source.target,
        defaults=reader_defaults(Passages.name, _COLUMNS),
    )


def _rows(source: DataSource, files: list[DataSource]) -> Iterator[RawRow]:
    for file in files:
        place = "" if file is source else file.target
        for number, line in enumerate(lines(file), 1):
            text = line.strip()
            if text:
                yield RawRow(number, {"text": text, "document": file.path.stem}, place=place)
