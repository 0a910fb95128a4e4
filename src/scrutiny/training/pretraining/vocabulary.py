"""The vocabulary of word pieces: trained on the texts, written as `AutoTokenizer` reads it."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import DataError

#: Special pieces; each one's place is its number.
SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD, UNK, CLS, SEP, MASK = range(5)


def train_vocabulary(texts: Iterable[str], size: int) -> Any:
    """Uncased BERT tokenizer (`tokenizers.Tokenizer`) whose pieces were learned from the texts.

    Parameters
    ----------
    texts
        Sentences or longer.
    size
        Pieces, the five special ones included; fewer where the texts do not have as many.
    """
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=list(SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return with_special_pieces(tokenizer)


def with_special_pieces(tokenizer: Any) -> Any:
    """Let a tokenizer put [CLS] and [SEP] around one text or two."""
    from tokenizers import processors

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
    """Tokenizer of a folder with ``tokenizer.json``.

    Raises
    ------
    DataError
        If it is not there, or its special pieces are not the first five.
    """
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    if not path.is_file():
        raise DataError(f"{path} is not there; leave --tokenizer out to train a vocabulary.")
    tokenizer = Tokenizer.from_file(str(path))
    if [tokenizer.token_to_id(piece) for piece in SPECIAL] != list(range(5)):
        raise DataError(f"{path}: the first five pieces should be {', '.join(SPECIAL)}.")
    return tokenizer
