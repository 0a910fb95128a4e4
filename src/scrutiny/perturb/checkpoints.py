"""Resources over checkpoints of `transformers`: mask filling, sentence encoding, perplexity.

Imported only when such a resource is asked for. Texts are answered one padded length at a time
and remembered, so that asking twice costs nothing.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from math import exp
from typing import Any

import numpy as np
import numpy.typing as npt

from scrutiny.core.errors import ModelError
from scrutiny.perturb.resources import MaskQuery

_BATCH = 32


def whole_words(tokenizer: Any) -> list[str | None]:
    """Word that each piece of a vocabulary spells by itself, or nothing for parts of words.

    WordPiece marks parts by ``##``; byte-level and SentencePiece vocabularies mark the beginning
    of a word by ``Ġ`` or ``▁``, and whatever lacks it is a part.
    """
    size = len(tokenizer)
    pieces: list[str] = tokenizer.convert_ids_to_tokens(list(range(size)))
    special = set(tokenizer.all_special_tokens)
    marks = [mark for mark in ("Ġ", "▁") if any((p or "").startswith(mark) for p in pieces)]
    words: list[str | None] = []
    for piece in pieces:
        word = piece
        if marks:
            word = piece[1:] if piece[:1] in marks else ""
        is_word = word.isascii() and word.isalpha() and piece not in special
        words.append(word if is_word and (len(word) > 1 or word in "aIi") else None)
    return words


def _batches(items: Sequence[Any]) -> Iterator[list[Any]]:
    """Items in batches of a fixed size."""
    rest = iter(items)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _load(checkpoint: str, kind: str) -> tuple[Any, Any]:
    """Model and tokenizer; refused if weights of the head are not in the checkpoint."""
    import transformers

    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)
        model, info = getattr(transformers, kind).from_pretrained(
            checkpoint, output_loading_info=True
        )
    except (OSError, ValueError) as error:
        raise ModelError(
            f"No {kind.removeprefix('AutoModelFor')} model with a tokenizer could be loaded from "
            f"{checkpoint!r}: {str(error).splitlines()[0]}"
        ) from error
    missing = sorted(key for key in info["missing_keys"] if "pooler" not in key)
    if missing:
        raise ModelError(
            f"The checkpoint {checkpoint!r} lacks {len(missing)} weights that {kind} needs "
            f"({', '.join(missing[:3])}, …); they would be random and so would every answer. "
            "Use a checkpoint that was saved with this head."
        )
    return model.eval(), tokenizer


class CheckpointMaskFiller:
    """A masked language model that fills hidden places with whole words."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        if tokenizer.mask_token_id is None:
            raise ModelError("This tokenizer has no mask token; a masked language model has one.")
        self._model = model
        self._tokenizer = tokenizer
        self._words = whole_words(tokenizer)
        self._known: dict[tuple[MaskQuery, int], tuple[str, ...]] = {}

    @classmethod
    def load(cls, checkpoint: str) -> "CheckpointMaskFiller":
        """Filler of a checkpoint.

        Raises
        ------
        ModelError
            If it cannot be loaded, or its masked-LM head is missing.
        """
        return cls(*_load(checkpoint, "AutoModelForMaskedLM"))

    def fill(self, queries: Sequence[MaskQuery], *, top: int) -> list[tuple[str, ...]]:
        """Whole words for each query, the likeliest first."""
        asked = dict.fromkeys(q for q in queries if (q, top) not in self._known)
        # Like lengths together, so that little is computed on padding.
        for batch in _batches(sorted(asked, key=lambda q: (len(q.text), q))):
            for query, words in zip(batch, self._answer(batch, top), strict=True):
                self._known[query, top] = words
        return [self._known[query, top] for query in queries]

    def _answer(self, queries: Sequence[MaskQuery], top: int) -> list[tuple[str, ...]]:
        import torch

        rows = [self._ids(query) for query in queries]
        width = max(len(row) for row in rows)
        pad = self._tokenizer.pad_token_id or 0
        ids = torch.tensor([row + [pad] * (width - len(row)) for row in rows])
        seen = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=seen).logits
        mask = self._tokenizer.mask_token_id
        return [
            self._best(logits[i, row.index(mask)].float().numpy(), top)
            for i, row in enumerate(rows)
        ]

    def _ids(self, query: MaskQuery) -> list[int]:
        """Pieces around the mask, at most as many as the model can read."""
        tokenizer = self._tokenizer
        left = tokenizer(query.text[: query.start].rstrip(), add_special_tokens=False)["input_ids"]
        right = tokenizer(query.text[query.end :], add_special_tokens=False)["input_ids"]
        longest = min(int(tokenizer.model_max_length), self._positions())
        framed = tokenizer(tokenizer.mask_token)["input_ids"]  # the mask between special pieces
        at = framed.index(tokenizer.mask_token_id)
        room = longest - len(framed)
        before = min(len(left), max(room // 2, room - len(right)))
        inner = [*left[len(left) - before :], tokenizer.mask_token_id, *right[: room - before]]
        return [*framed[:at], *inner, *framed[at + 1 :]]

    def _positions(self) -> int:
        """Positions that the model knows; RoBERTa's count starts after its padding index."""
        known = int(getattr(self._model.config, "max_position_embeddings", 512))
        return known - 2 if self._model.config.model_type in {"roberta", "xlm-roberta"} else known

    def _best(self, scores: npt.NDArray[np.float32], top: int) -> tuple[str, ...]:
        """Likeliest whole words; ties fall to the lower index."""
        found: list[str] = []
        for index in np.argsort(-scores, kind="stable").tolist():
            word = self._words[index] if index < len(self._words) else None
            if word is not None:
                found.append(word)
            if len(found) == top:
                break
        return tuple(found)


class CheckpointEncoder:
    """Mean of the last hidden states over a text's pieces."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model
        self._tokenizer = tokenizer

    @classmethod
    def load(cls, checkpoint: str) -> "CheckpointEncoder":
        """Encoder of a checkpoint."""
        return cls(*_load(checkpoint, "AutoModel"))

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Array of shape (text, dimension)."""
        import torch

        parts: list[npt.NDArray[np.float32]] = []
        for batch in _batches(list(texts)):
            fed = self._tokenizer(batch, padding=True, truncation=True, return_tensors="pt")
            with torch.inference_mode():
                states = self._model(**fed).last_hidden_state  # (text, piece, dimension)
            weights = fed["attention_mask"].unsqueeze(-1).to(states.dtype)
            means = (states * weights).sum(1) / weights.sum(1).clamp(min=1)
            parts.append(means.float().numpy())
        return np.concatenate(parts)


class CheckpointPerplexity:
    """Perplexity by a causal language model, from the second piece on."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._known: dict[str, float] = {}

    @classmethod
    def load(cls, checkpoint: str) -> "CheckpointPerplexity":
        """Scorer of a checkpoint."""
        return cls(*_load(checkpoint, "AutoModelForCausalLM"))

    def perplexity(self, texts: Sequence[str]) -> list[float]:
        """Perplexity of each text; 1.0 for a text of a single piece."""
        for text in texts:
            if text not in self._known:
                self._known[text] = self._one(text)
        return [self._known[text] for text in texts]

    def _one(self, text: str) -> float:
        import torch

        ids = self._tokenizer(text, return_tensors="pt", truncation=True)["input_ids"]
        if ids.shape[1] < 2:
            return 1.0
        with torch.inference_mode():
            loss = self._model(input_ids=ids, labels=ids).loss
        return exp(float(loss))
