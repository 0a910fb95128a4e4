"""Readings of Chinese characters."""

from importlib import import_module
from typing import Any


class PypinyinReader:
    """Readings of characters by the package ``pypinyin``."""

    def __init__(self) -> None:
        module: Any = import_module("pypinyin")
        self._pinyin = module.pinyin
        self._style = module.Style.TONE3

    def readings(self, char: str) -> tuple[str, ...]:
        """Syllables with the number of their tone, most usual first; empty if unknown."""
        found: list[list[str]] = self._pinyin(
            char, style=self._style, heteronym=True, errors="ignore", neutral_tone_with_five=True
        )
        return tuple(dict.fromkeys(found[0])) if found else ()
