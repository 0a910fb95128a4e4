"""Letters and digits of the same class as a given one."""

import unicodedata
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final

from scrutiny.text.tokens import graphemes

_BLOCK: Final = 32
_ALPHABETS: Final = (  # Russian and Greek, whose blocks begin with letters of other languages
    range(ord("А"), ord("Я") + 1),
    range(ord("а"), ord("я") + 1),
    range(ord("Α"), ord("Ω") + 1),
    range(ord("α"), ord("ω") + 1),
)


@lru_cache(maxsize=4096)
def same_class(char: str) -> str:
    r"""Characters that could stand for one: digits, or letters of its case and script.

    A decomposed letter counts as its base. Empty for punctuation, spaces and symbols.

    Examples
    --------
    >>> same_class("7")
    '012345689'
    >>> same_class("-"), "q" in same_class("e\u0301"), "ж" in same_class("д")
    ('', True, True)
    """
    base = char[:1]
    for letters in (ascii_lowercase, ascii_uppercase, digits):
        if base and base in letters:
            return letters.replace(base, "")
    if not base.isalnum():
        return ""
    category = unicodedata.category(base)
    alphabet = next((codes for codes in _ALPHABETS if ord(base) in codes), None)
    if alphabet is None:  # what stands near in Unicode
        start = ord(base) - ord(base) % _BLOCK
        alphabet = range(start, start + _BLOCK)
    near = (chr(code) for code in alphabet)
    return "".join(c for c in near if c != base and unicodedata.category(c) == category)


def split_characters(word: str) -> list[str]:
    """Characters as a reader sees them; joined they are the word again."""
    return list(word) if word.isascii() else graphemes(word)


def pick(options: str, share: float) -> str:
    """Element of a nonempty string at a place drawn from [0, 1)."""
    return options[int(share * len(options))]
