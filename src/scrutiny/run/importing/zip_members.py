"""Members of zip archives, compressed by zstandard among them.

Python reads those from 3.14 on; before, pyarrow does.
"""

import zlib
from pathlib import Path
from struct import unpack
from typing import Final
from zipfile import BadZipFile, ZipFile, ZipInfo

_ZSTANDARD: Final = 93
_LOCAL_HEADER: Final = 30  # bytes, before name and extra field


def read_member(archive: ZipFile, info: ZipInfo, path: Path) -> bytes:
    """Content of a member of the archive at a path.

    Raises
    ------
    BadZipFile
        If it is damaged.
    """
    if info.compress_type != _ZSTANDARD:
        return archive.read(info)
    import pyarrow as pa

    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(_LOCAL_HEADER)
        if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
            raise BadZipFile(f"{info.filename} does not stand where the archive says")
        name_size, extra_size = unpack("<HH", header[26:30])
        file.seek(name_size + extra_size, 1)
        packed = file.read(info.compress_size)
    try:
        with pa.input_stream(pa.py_buffer(packed), compression="zstd") as stream:
            content = bytes(stream.read())
    except OSError as error:
        raise BadZipFile(f"{info.filename}: {error}") from error
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise BadZipFile(f"{info.filename} is damaged: its checksum differs")
    return content
