"""The file of a published data set, given itself or by its folder."""

from collections.abc import Sequence

from scrutiny.core.errors import DataError
from scrutiny.data.source import DataSource


def file_in(source: DataSource, names: Sequence[str]) -> DataSource:
    """Source of the one file of a folder that bears one of these names; a file as it is.

    Earlier names win.

    Raises
    ------
    DataError
        If the folder holds none of them.
    """
    if not source.path.is_dir():
        return source
    for name in names:
        if (source.path / name).is_file():
            return DataSource(source.scheme, f"{source.target.rstrip('/')}/{name}", source.options)
    inside = sorted(p.name for p in source.path.iterdir())
    raise DataError(
        f"{source.scheme}: reads {' or '.join(names)} of a folder, and {source.target} holds "
        f"{', '.join(inside[:8]) or 'nothing'}{', …' if len(inside) > 8 else ''}. Name one "
        "file."
    )
