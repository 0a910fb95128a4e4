"""Confusable characters: keyboard neighbors, OCR errors, look-alikes, and characters of one class.

The first three are tables of our own. The keyboard is computed from the geometry of a staggered
QWERTY layout: two keys are neighbors when their centers lie less than 1.3 key widths apart.
"""

import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from string import ascii_lowercase, ascii_uppercase, digits
from types import MappingProxyType
from typing import Final

from scrutiny.text.lexicon import table
from scrutiny.text.tokens import graphemes

# (row, its offset in key widths, plain, shifted)
_ROWS = (
    (0.0, "1234567890-=", "!@#$%^&*()_+"),
    (0.5, "qwertyuiop[]", "QWERTYUIOP{}"),
    (0.75, "asdfghjkl;'", 'ASDFGHJKL:"'),
    (1.25, "zxcvbnm,./", "ZXCVBNM<>?"),
)
_REACH = 1.3


def _kind(char: str) -> tuple[bool, bool]:
    return char.isalpha(), char.isdigit()


@cache
def _keyboard() -> tuple[dict[str, str], dict[str, str]]:
    """(neighbors of the same kind, all neighbors) of each character."""
    keys = [
        (offset + column, float(row), plain[column], shifted[column])
        for row, (offset, plain, shifted) in enumerate(_ROWS)
        for column in range(len(plain))
    ]
    every: dict[str, str] = {}
    for x, y, *chars in keys:
        near = [k for k in keys if 0 < (k[0] - x) ** 2 + (k[1] - y) ** 2 < _REACH**2]
        for level, char in enumerate(chars):
            every[char] = "".join(str(k[2 + level]) for k in near)
    same = {
        char: "".join(n for n in near if _kind(n) == _kind(char)) for char, near in every.items()
    }
    return same, every


def keyboard_neighbors(char: str, *, symbols: bool = False) -> str:
    """Return the characters one key away, in the same case; empty for other scripts.

    Letters neighbor letters and digits digits, unless ``symbols`` asks for all keys.

    Examples
    --------
    >>> keyboard_neighbors("g"), keyboard_neighbors("A"), keyboard_neighbors("é")
    ('tyfhvb', 'QWSZ', '')
    >>> keyboard_neighbors("q", symbols=True)
    '12wa'
    """
    return _keyboard()[symbols].get(char, "")


@cache
def ocr_confusions() -> Mapping[str, tuple[str, ...]]:
    """Return what optical character recognition (OCR) may read for one to three characters.

    Examples
    --------
    >>> ocr_confusions()["rn"], "1" in ocr_confusions()["i"], "vv" in ocr_confusions()["w"]
    (('m',), True, True)
    """
    found: dict[str, list[str]] = {}
    for left, right, direction in table("ocr_confusions"):
        pairs = [(left, right)] if direction == ">" else [(left, right), (right, left)]
        for source, target in pairs:
            targets = found.setdefault(source, [])
            if target not in targets:
                targets.append(target)
    return MappingProxyType({source: tuple(targets) for source, targets in sorted(found.items())})


@cache
def _homoglyphs() -> dict[str, str]:
    return {char: similar for char, similar in table("homoglyphs")}


def homoglyphs(char: str) -> str:
    """Return characters of other scripts that look the same; empty if none is known.

    Examples
    --------
    >>> [f"U+{ord(c):04X}" for c in homoglyphs("o")]
    ['U+043E', 'U+03BF', 'U+0585']
    """
    return _homoglyphs().get(char, "")


_BLOCK: Final = 32
_ALPHABETS: Final = (  # Russian and Greek, whose blocks begin with letters of other languages
    range(ord("А"), ord("Я") + 1),
    range(ord("а"), ord("я") + 1),
    range(ord("Α"), ord("Ω") + 1),
    range(ord("α"), ord("ω") + 1),
)


@lru_cache(maxsize=4096)
def same_class(char: str) -> str:
    r"""Characters of the same class: digits, or letters of the same case and script.

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
    """User-perceived characters of a word; joined they are the word again."""
    return list(word) if word.isascii() else graphemes(word)


def pick(options: str, share: float) -> str:
    """Character of a nonempty string, at a position given as a share in [0, 1)."""
    return options[int(share * len(options))]
