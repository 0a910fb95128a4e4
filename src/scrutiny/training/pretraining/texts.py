"""Documents in plain text files: a paragraph a line, a blank line between documents."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scrutiny.core.errors import DataError
from scrutiny.text.tokens import sentences

Sentences = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file of documents.

    Parameters
    ----------
    name
        Name of the file, without its folder.
    sha256
        Of its bytes.
    documents
        Each the sentences of its paragraphs, in order.
    """

    name: str
    sha256: str
    documents: tuple[Sentences, ...]


def read_texts(paths: Sequence[Path]) -> list[TextFile]:
    """Documents of each file, in the order given.

    Raises
    ------
    DataError
        If a file cannot be read, is not UTF-8, or there is no sentence in any.
    """
    files = [_read(path) for path in paths]
    if not any(file.documents for file in files):
        raise DataError("There is no text to train on: name files with --text.")
    return files


def _read(path: Path) -> TextFile:
    try:
        content = path.read_bytes()
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: the text does not read as UTF-8: {error}") from error
    documents: list[list[str]] = [[]]
    for raw in text.splitlines():
        line = raw.strip()
        if not line:
            documents.append([])
        documents[-1] += [line[a:b] for a, b in sentences(line)]
    kept = tuple(tuple(document) for document in documents if document)
    return TextFile(path.name, hashlib.sha256(content).hexdigest(), kept)
