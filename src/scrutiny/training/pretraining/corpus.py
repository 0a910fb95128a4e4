"""Documents in plain text files, and their encoding: pieces in one flat array with borders.

In the files: a paragraph a line, a blank line between documents.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Booleans, Integers
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
        raise DataError(f"{path}: the text cannot be read as UTF-8: {error}") from error
    documents: list[list[str]] = [[]]
    for raw in text.splitlines():
        line = raw.strip()
        if not line:
            documents.append([])
        documents[-1] += [line[a:b] for a, b in sentences(line)]
    kept = tuple(tuple(document) for document in documents if document)
    return TextFile(path.name, hashlib.sha256(content).hexdigest(), kept)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Word pieces of all sentences, concatenated.

    Parameters
    ----------
    pieces
        (piece,) numbers of word pieces.
    starts
        (sentence + 1,) where each sentence begins; the last is the number of pieces.
    document
        (sentence,) document of each sentence, rising.
    """

    pieces: NDArray[np.uint16]
    starts: Integers
    document: Integers

    def document_ends(self) -> Integers:
        """(sentence,) end of each sentence's document, in pieces."""
        last = np.searchsorted(self.document, self.document, side="right")
        return np.asarray(self.starts[last])

    def sizes(self) -> Integers:
        """(sentence,) number of pieces of each sentence."""
        return np.diff(self.starts)

    def is_alone(self) -> Booleans:
        """(sentence,) whether a sentence is a whole document."""
        return np.asarray(np.bincount(self.document, minlength=1)[self.document] == 1)


def encode(files: Sequence[TextFile], tokenizer: Any) -> Corpus:
    """Corpus of all documents; sentences without a piece are left out.

    Parameters
    ----------
    files
        Texts to encode.
    tokenizer
        A `tokenizers.Tokenizer` with at most 65,536 pieces.
    """
    flat: list[NDArray[np.uint16]] = []
    sizes: list[int] = []
    owner: list[int] = []
    for number, document in enumerate(d for file in files for d in file.documents):
        for encoded in tokenizer.encode_batch(list(document), add_special_tokens=False):
            if encoded.ids:
                flat.append(np.array(encoded.ids, dtype=np.uint16))
                sizes.append(len(encoded.ids))
                owner.append(number)
    return Corpus(
        pieces=np.concatenate(flat) if flat else np.empty(0, dtype=np.uint16),
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        document=np.array(owner, dtype=np.int64),
    )
