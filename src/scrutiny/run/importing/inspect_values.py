"""Values in a sample that Inspect logged: numbers, texts, members of its archive."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from struct import unpack
from typing import Any, Final
from zipfile import BadZipFile, ZipFile, ZipInfo

from scrutiny.run.importing.samples import number_of

_ZSTANDARD: Final = 93
_LOCAL_HEADER: Final = 30  # bytes, before name and extra field


def read_member(archive: ZipFile, info: ZipInfo, path: Path) -> bytes:
    """Content of an archive's member.

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


#: inspect's own words for right, wrong, partly right, not answered, and their worth.
_LETTERS: Final = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_ATTACHED: Final = "attachment://"


def scores_of(scorer: str, value: Any) -> Iterator[tuple[str, float | None]]:
    """Name and number of each score of a scorer; None for scores that are not numbers.

    Examples
    --------
    >>> dict(scores_of("match", "C")), dict(scores_of("style", {"polite": True, "words": 8.0}))
    ({'match': 1.0}, {'style.polite': 1.0, 'style.words': 8.0})
    >>> dict(scores_of("judge", "unclear"))
    {'judge': None}
    """
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield f"{scorer}.{name}", number_of(inner, _LETTERS)
    else:
        yield scorer, number_of(value, _LETTERS)


def text_of(asked: Any, attachments: Any) -> str:
    """Question of a sample: its text, or the last user message of a conversation.

    Examples
    --------
    >>> text_of([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}], {})
    'Hi'
    """
    if isinstance(asked, str):
        return _attached(asked, attachments)
    said = [m for m in asked if isinstance(m, Mapping) and m.get("role") == "user"] or list(asked)
    content = said[-1].get("content", "") if said else ""
    if isinstance(content, str):
        return _attached(content, attachments)
    parts = [p["text"] for p in content if isinstance(p, Mapping) and p.get("type") == "text"]
    return "\n".join(_attached(part, attachments) for part in parts)


def _attached(text: str, attachments: Any) -> str:
    """Text, or the attachment of the sample that it refers to."""
    if not text.startswith(_ATTACHED) or not isinstance(attachments, Mapping):
        return text
    return str(attachments.get(text.removeprefix(_ATTACHED), text))


def completion_of(output: Any) -> str | None:
    """Text that the model returned, or ``None``."""
    if not isinstance(output, Mapping):
        return None
    if isinstance(output.get("completion"), str) and output["completion"]:
        return str(output["completion"])
    choices = output.get("choices") or []
    content = choices[0].get("message", {}).get("content") if choices else None
    return content if isinstance(content, str) else None


def target_of(target: Any) -> str | None:
    """Right answer as text; several are concatenated.

    Examples
    --------
    >>> target_of(["four", "4"])
    'four | 4'
    """
    if isinstance(target, str):
        return target or None
    if isinstance(target, Sequence) and target:
        return " | ".join(map(str, target))
    return None
