"""The texts as numbers: pieces in one flat array, with borders of sentences and documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Booleans, Integers
from scrutiny.training.pretraining.texts import TextFile


@dataclass(frozen=True, slots=True)
class Corpus:
    """Pieces of all sentences, one after the other.

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
        """(sentence,) where the document of each sentence ends, in pieces."""
        last = np.searchsorted(self.document, self.document, side="right")
        ends: Integers = self.starts[last]
        return ends

    def sizes(self) -> Integers:
        """(sentence,) pieces of each sentence."""
        return np.diff(self.starts)

    def is_alone(self) -> Booleans:
        """(sentence,) whether a sentence is all of its document."""
        count = np.bincount(self.document, minlength=1)
        alone: Booleans = count[self.document] == 1
        return alone


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
