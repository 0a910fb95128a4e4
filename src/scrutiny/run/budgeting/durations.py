"""Durations as text."""

import re
from math import ceil
from typing import Final

from scrutiny.core.errors import PlanError

_READS: Final = re.compile(r"([0-9]{1,6}(?:[.][0-9]{1,3})?)\s*(s|m|h)")
_SECONDS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_of(text: str) -> float:
    """Seconds of a duration such as "90s", "2m" or "1.5h".

    Raises
    ------
    PlanError
        If it cannot be read, or is zero.

    Examples
    --------
    >>> seconds_of("2m"), seconds_of("1.5 h")
    (120.0, 5400.0)
    """
    match = _READS.fullmatch(text.strip().lower())
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if seconds <= 0:
        raise PlanError(
            f"The duration {text!r} cannot be read: write a number and s, m or h, as in 90s, 2m "
            "or 1.5h."
        )
    return seconds


def in_words(seconds: float) -> str:
    """Duration in at most two units.

    Examples
    --------
    >>> in_words(0.2), in_words(59.6), in_words(500), in_words(3900), in_words(120)
    ('1 s', '1 min', '8 min 20 s', '1 h 5 min', '2 min')
    """
    whole = max(1, round(seconds)) if seconds else 0
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return _two(whole, 60, "min", "s")
    return _two(round(whole / 60), 60, "h", "min")


def rounded_up(seconds: float) -> float:
    """Duration as people say it: whole tens of seconds, whole minutes from two minutes on.

    Examples
    --------
    >>> rounded_up(41), rounded_up(130), rounded_up(60)
    (50, 180, 60)
    """
    step = 10 if seconds <= 120 else 60
    return step * ceil(seconds / step)


def _two(value: int, base: int, large: str, small: str) -> str:
    high, low = divmod(value, base)
    return f"{high} {large} {low} {small}" if low else f"{high} {large}"
