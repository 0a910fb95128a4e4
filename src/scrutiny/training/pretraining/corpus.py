"""Texts of a pre-training: documents in plain text files, WordPiece vocabulary, and corpus.

In the files: a paragraph a line, a blank line between documents. The vocabulary is trained on the
texts, in the format of `AutoTokenizer`; the corpus holds pieces in one flat array with borders.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

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
    files = []
    for path in paths:
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
        files.append(TextFile(path.name, hashlib.sha256(content).hexdigest(), kept))
    if not any(file.documents for file in files):
        raise DataError("There is no text to train on: name files with --text.")
    return files


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


#: Special pieces; the index of each is its id.
SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD, UNK, CLS, SEP, MASK = range(5)
# Letters inside of words while pieces are learned: a private plane of Unicode. Letters beyond the
# first 65,534 (historic scripts, emoji) have no place in it and are learned at a word's start only.
_PRIVATE_PLANE: Final = 0xF0000
_MOST_SYMBOLS: Final = 0xFFFE


def train_vocabulary(texts: Iterable[str], size: int) -> Any:
    """Uncased BERT tokenizer (`tokenizers.Tokenizer`) whose pieces were learned from the texts.

    The pieces are those of `tokenizers.trainers.WordPieceTrainer`, but the same in every process:
    that one numbers pieces inside of words in the order of a hash table, and breaks ties by it.
    Here a letter inside of a word is a symbol of its own, so that plain byte-pair encoding, whose
    ties do not depend on hashes, learns the same merges.

    Parameters
    ----------
    texts
        Sentences or longer.
    size
        Pieces, the five special ones included; fewer if the texts do not have enough.
    """
    normalizer = normalizers.BertNormalizer(lowercase=True)
    splitter = pre_tokenizers.BertPreTokenizer()
    words = (
        [word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))]
        for text in texts
    )
    pieces = _learned_pieces(words, size)
    numbers = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = splitter
    tokenizer.decoder = decoders.WordPiece()
    return with_special_pieces(tokenizer)


def _learned_pieces(sentences: Iterable[list[str]], size: int) -> list[str]:
    """Special pieces, letters, and merged pieces, in the order of their ids."""
    lines = [" ".join(map(_marked, words)) for words in sentences]
    letters = sorted(set(chain.from_iterable(lines)) - {" "})
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL),
        initial_alphabet=[_piece(letter)[-1] for letter in letters],  # any word can be spelled
        show_progress=False,
    )
    trained.train_from_iterator(lines, trainer)
    found = sorted(trained.get_vocab().items(), key=lambda pair: pair[1])
    return [piece if piece in SPECIAL else _piece(piece) for piece, _ in found]


def _marked(word: str) -> str:
    """Word with all letters but the first as private symbols; cut before rare planes."""
    rest = takewhile(lambda c: ord(c) < _MOST_SYMBOLS, word[1:])
    return word[:1] + "".join(chr(ord(c) + _PRIVATE_PLANE) for c in rest)


def _piece(symbols: str) -> str:
    """Word piece for a sequence of symbols."""
    letters = "".join(
        chr(ord(c) - _PRIVATE_PLANE) if ord(c) >= _PRIVATE_PLANE else c for c in symbols
    )
    return f"##{letters}" if ord(symbols[0]) >= _PRIVATE_PLANE else letters


def with_special_pieces(tokenizer: Any) -> Any:
    """Make a tokenizer add [CLS] and [SEP] around one text or two."""
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
    )
    return tokenizer


def save_tokenizer(tokenizer: Any, folder: Path, positions: int) -> None:
    """Write ``tokenizer.json`` and ``tokenizer_config.json`` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": True,
        "model_max_length": positions,
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    }
    tokenizer.save(str(folder / "tokenizer.json"))
    text = json.dumps(config, indent=2) + "\n"
    (folder / "tokenizer_config.json").write_text(text, encoding="utf-8")


def load_vocabulary(folder: Path) -> Any:
    """Tokenizer from a folder with ``tokenizer.json``.

    Raises
    ------
    DataError
        If it is not there, or its special pieces are not the first five.
    """
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise DataError(f"{path} is not there; leave --tokenizer out to train a vocabulary.")
    tokenizer = Tokenizer.from_file(str(path))
    if [tokenizer.token_to_id(piece) for piece in SPECIAL] != list(range(5)):
        raise DataError(f"{path}: the first five pieces should be {', '.join(SPECIAL)}.")
    return tokenizer
