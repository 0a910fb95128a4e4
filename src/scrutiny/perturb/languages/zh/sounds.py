"""Sounds of Chinese characters: the common ones, by their usual reading."""

from functools import cache, lru_cache
from typing import Any


@cache
def common_characters() -> str:
    """The 3,755 characters of level 1 of GB 2312-80, in its order, which is by sound.

    Examples
    --------
    >>> common_characters()[:3], common_characters()[-1], len(common_characters())
    ('啊阿埃', '座', 3755)
    """
    rows = (bytes((0xB0 + row, 0xA1 + cell)) for row in range(40) for cell in range(94))
    return "".join(pair.decode("gb2312", errors="ignore") for pair in rows)


@lru_cache(maxsize=8)
def _characters_by_sound(reader: Any, *, with_tone: bool) -> dict[str, str]:
    """Common characters by their usual reading, in the order of GB 2312."""
    found: dict[str, str] = {}
    for char in common_characters():
        for reading in reader.readings(char)[:1]:
            sound = reading if with_tone else reading.rstrip("12345")
            found[sound] = found.get(sound, "") + char
    return found


def homophones(char: str, reader: Any, *, with_tone: bool) -> str:
    """Common characters with the same usual reading as a character, without itself."""
    readings = reader.readings(char)
    if not readings:
        return ""
    sound = readings[0] if with_tone else readings[0].rstrip("12345")
    return _characters_by_sound(reader, with_tone=with_tone).get(sound, "").replace(char, "")
