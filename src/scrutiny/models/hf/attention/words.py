"""Tokenization of words one by one.

Annotations come in words. A word is cut as the tokenizer cuts a word of running text: byte-level
vocabularies (GPT-2, RoBERTa, SmolLM2) write the space into the piece behind it, so every word but
the first stands with a space in front, as in the words joined by single spaces. Word pieces and
SentencePiece need nothing of the kind. Which of the two it is, is tried on a few words.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.attention import Words
from scrutiny.core.queries.language import TokenIds

_PROBES: Final = ("a", "of", "the")


class SentencePieces(NamedTuple):
    """Token ids of one sentence, including special ones, and the word of each token."""

    ids: TokenIds
    words: tuple[int | None, ...]


class WordCutter:
    """Tokenizes words one by one, and adds the special tokens of a text.

    Parameters
    ----------
    tokenizer
        A fast tokenizer of transformers.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._head, self._tail = _special_tokens(tokenizer)
        self._space = " " if self._needs_space() else ""

    def cut(self, sentences: Sequence[Words]) -> list[SentencePieces | Failure]:
        """Tokens of each sentence; a blank word has none.

        A word with a lone surrogate is no text: its sentence is a failure (``model_error``).
        """
        distinct = dict.fromkeys(chain.from_iterable(map(self._forms, sentences)))
        known = self._ids_of(distinct)
        return [self._pieces(sentence, known) for sentence in sentences]

    def _forms(self, sentence: Words) -> Iterable[str]:
        """Words in the form in which they are tokenized."""
        if not self._space:
            return sentence
        return (*sentence[:1], *(self._space + word for word in sentence[1:]))

    def _ids_of(self, texts: Iterable[str]) -> dict[str, TokenIds]:
        """Ids of each text; those that cannot be tokenized are left out."""
        known: dict[str, TokenIds] = {}
        to_cut = []
        for text in texts:
            if not text.strip():
                known[text] = ()
            elif _is_text(text):
                to_cut.append(text)
        known.update(zip(to_cut, map(tuple, self._encode(to_cut)), strict=True))
        return known

    def _pieces(self, sentence: Words, known: dict[str, TokenIds]) -> SentencePieces | Failure:
        """One sentence put together."""
        ids: list[int] = [*self._head]
        words: list[int | None] = [None] * len(self._head)
        for i, form in enumerate(self._forms(sentence)):
            found = known.get(form)
            if found is None:
                return Failure("model_error", f"the word {form!r} has half a character in it")
            ids += found
            words += [i] * len(found)
        return SentencePieces((*ids, *self._tail), (*words, *[None] * len(self._tail)))

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids without special tokens."""
        if not texts:
            return []
        found = self._tokenizer(
            list(texts),
            add_special_tokens=False,
            truncation=False,
            padding=False,
            verbose=False,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        return list(found["input_ids"])

    def _needs_space(self) -> bool:
        """Whether a word inside a text is tokenized like the word after a space."""
        for word in _PROBES:
            both, plain, spaced = self._encode([f"{word} {word}", word, f" {word}"])
            if both == plain + plain:
                return False
            if both == plain + spaced:
                return True
        return False


def _special_tokens(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Special tokens before and after one text."""
    one = tokenizer(_PROBES[0], truncation=False, padding=False).encodings[0]
    inner = [i for i, special in enumerate(one.special_tokens_mask) if not special]
    return one.ids[: inner[0]], one.ids[inner[-1] + 1 :]


def _is_text(word: str) -> bool:
    """Whether a word can be written as UTF-8."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
