"""Tables of a folder: written in row groups of one size; read whole, by columns, groups or rows."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from scrutiny.core.errors import DataError
from scrutiny.store.arrow import reading, writing
from scrutiny.store.files import write_atomically
from scrutiny.store.run_tables import ROW_GROUP, in_row_groups


class StoredTables:
    """Tables of a folder by their names, without the suffix ``.parquet``.

    Parameters
    ----------
    path
        The folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def table(self, name: str, *, columns: list[str] | None = None) -> pa.Table:
        """One of the tables; all its columns, or some.

        Raises
        ------
        DataError
            If the run has no such table yet, or no such column, or the file is damaged.
        """
        with self._opened(name) as file:
            table = file.read(columns=columns)
            lacking = next((n for n in columns or () if n not in table.column_names), None)
            if lacking is not None:
                raise pa.ArrowInvalid(f"it has no column {lacking!r}")
            return table if columns is None else table.select(columns)

    def coded(
        self, name: str, columns: Sequence[str] | None = None, *, plain: Sequence[str] = ()
    ) -> pa.Table:
        """One of the tables, or some of its columns, dictionary-encoded (`store.coded`).

        Texts of ``plain`` columns stay texts: each is another one.

        Raises
        ------
        DataError
            As `table` does.
        """
        with self._opened(name, is_coded=True, plain=plain) as file:
            fields = file.schema_arrow
            wanted = [n for n in columns or fields.names if n in fields.names]
            # one column after the other: twice a column is less than twice the table, and
            # threads, which share out columns, would have one
            read = partial(file.read, use_threads=False)
            parts = [read([one]).unify_dictionaries().combine_chunks() for one in wanted]
            columns_read = {name: part[name] for part in parts for name in part.column_names}
            return pa.table(columns_read).replace_schema_metadata(fields.metadata)

    def groups(self, name: str, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Columns of each row group of a table, one after the other; texts are coded.

        Raises
        ------
        DataError
            As `table` does.
        """
        with self._opened(name) as file:
            count = file.num_row_groups
        return (self.group(name, number, columns) for number in range(count))

    def group(self, name: str, number: int, columns: Sequence[str]) -> pa.Table:
        """Columns of a row group of a table, by its number from 0; texts are coded.

        Raises
        ------
        DataError
            As `table` does.
        """
        with self._opened(name, is_coded=True) as file:
            part = file.read_row_group(number, columns=list(columns), use_threads=False)
            return part.select(list(columns))

    def rows(
        self, name: str, places: Sequence[int], columns: Sequence[str]
    ) -> list[dict[str, Any]]:
        """Rows of a table at these positions, in this order; reads only their row groups.

        Raises
        ------
        DataError
            As `table` does.
        """
        with self._opened(name) as file:
            sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
            ends = np.cumsum([0, *sizes])
            groups = np.searchsorted(ends, np.asarray(places), side="right") - 1
            found: dict[int, dict[str, Any]] = {}
            for group in np.unique(groups).tolist():
                own = [place for place, g in zip(places, groups, strict=True) if g == group]
                part = file.read_row_group(group, columns=list(columns), use_threads=False)
                rows = part.take(pa.array([place - int(ends[group]) for place in own]))
                found |= dict(zip(own, rows.to_pylist(), strict=True))
            return [found[place] for place in places]

    def metadata(self, name: str) -> tuple[pa.Schema, pq.FileMetaData]:
        """Schema of a table, and what its file tells of its row groups.

        Raises
        ------
        DataError
            As `table` does.
        """
        with self._opened(name) as file:
            return file.schema_arrow, file.metadata

    @contextmanager
    def _opened(
        self, name: str, *, is_coded: bool = False, plain: Sequence[str] = ()
    ) -> Iterator[pq.ParquetFile]:
        """Open file of a table; read errors become errors about the run."""
        path = self.path / f"{name}.parquet"
        if not path.is_file():
            raise DataError(
                f"{self.path} has no {name}.parquet: the run is not finished. Re-issue its "
                "command; it resumes where it stopped."
            )
        try:
            with reading(path) as source:
                fields = pq.read_schema(source) if is_coded else ()
                texts = [f.name for f in fields if pa.types.is_string(f.type)]
                coded = [name for name in texts if name not in plain]
                with pq.ParquetFile(source, read_dictionary=coded) as file:
                    yield file
        except (pa.ArrowException, OSError) as error:
            said = str(error).partition("\n")[0][:200]
            raise DataError(f"{path} is damaged: {said}") from error

    def write_table(
        self, name: str, tables: Iterable[pa.Table], *, schema: pa.Schema, footer: Any = None
    ) -> int:
        """Write tables one after the other into one file; returns the number of rows.

        Rows are regrouped to row groups of 65,536, so that the bytes do not depend on how the
        work was cut.
        """
        metadata = {b"scrutiny": json.dumps(footer, sort_keys=True).encode()} if footer else None
        schema = schema.with_metadata(metadata)
        count = 0

        def write(temporary: Path) -> None:
            nonlocal count
            with (
                writing(temporary) as file,
                pq.ParquetWriter(file, schema, compression="zstd") as writer,
            ):
                for group in in_row_groups(tables, schema):
                    writer.write_table(group, row_group_size=ROW_GROUP)
                    count += group.num_rows

        write_atomically(self.path / f"{name}.parquet", write, is_private=True)
        return count
