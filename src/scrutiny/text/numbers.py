"""Numbers in digits or as one word: parse them, and write others in the same format."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import word_pairs

NumberKind = Literal["digits", "word", "ordinal", "ordinal_word"]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand"))
_ORDINALS = word_pairs("irregular_ordinals")
_DIGITS = re.compile(
    r"(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.(?P<fraction>[0-9]+))?"
    r"(?P<suffix>st|nd|rd|th|ST|ND|RD|TH|s)?"
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number and the format in which it was written.

    Parameters
    ----------
    value
        An int, or a float if there are decimals.
    kind
        ``digits`` (3.5), ``word`` (five), ``ordinal`` (2nd), ``ordinal_word`` (second).
    text
        The token itself; its casing carries over to number words.
    decimals
        Digits after the point.
    width
        Digits before the point if they begin with a zero ("007"), else 0.
    is_grouped
        Whether thousands are separated by commas.
    suffix
        "s" of "1990s", else empty.
    """

    value: int | float
    kind: NumberKind
    text: str
    decimals: int = 0
    width: int = 0
    is_grouped: bool = False
    suffix: str = ""


def _below_thousand(value: int) -> str:
    hundreds, rest = divmod(value, 100)
    parts = [f"{_ONES[hundreds]} hundred"] if hundreds else []
    if rest >= 20:
        tens, ones = divmod(rest, 10)
        parts.append(_TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else ""))
    elif rest or not hundreds:
        parts.append(_ONES[rest])
    return " ".join(parts)


def number_to_words(value: float) -> str:
    """Return a number in words; decimals digit by digit, beyond 10**15 in digits.

    Examples
    --------
    >>> number_to_words(21_305), number_to_words(-3.5)
    ('twenty-one thousand three hundred five', 'minus three point five')
    """
    if value < 0:
        return "minus " + number_to_words(-value)
    if isinstance(value, float) and not value.is_integer():
        whole, _, fraction = f"{value:.6f}".rstrip("0").partition(".")
        return number_to_words(int(whole)) + " point " + " ".join(_ONES[int(d)] for d in fraction)
    rest = int(value)
    if rest >= 10**15:
        return str(rest)
    parts = []
    for scale, name in _SCALES:
        if rest >= scale:
            parts.append(f"{_below_thousand(rest // scale)} {name}")
            rest %= scale
    if rest or not parts:
        parts.append(_below_thousand(rest))
    return " ".join(parts)


def ordinal_to_words(value: int) -> str:
    """Return the ordinal of a number in words.

    Examples
    --------
    >>> ordinal_to_words(1), ordinal_to_words(20), ordinal_to_words(42)
    ('first', 'twentieth', 'forty-second')
    """
    words = number_to_words(value)
    start = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[start:]
    ordinal = _ORDINALS.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return words[:start] + ordinal


def _ordinal_suffix(value: int) -> str:
    if 10 <= value % 100 <= 20:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")


@cache
def _words() -> dict[str, tuple[int, NumberKind]]:
    """Number words of one token, up to ninety-nine, and the scales."""
    found: dict[str, tuple[int, NumberKind]] = {}
    for value in range(100):
        found[number_to_words(value)] = (value, "word")
        if value:
            found[ordinal_to_words(value)] = (value, "ordinal_word")
    return found | {name: (value, "word") for value, name in (*_SCALES, (100, "hundred"))}


def parse_number(token: str) -> Number | None:
    """Return the number that a token writes, or None (times, dates, fractions and versions).

    ``one`` and ``second`` are read as numbers although they are often something else.

    Examples
    --------
    >>> parse_number("25,000").value, parse_number("3.50").decimals, parse_number("Twelve").value
    (25000, 2, 12)
    >>> parse_number("2nd").kind, parse_number("10:30"), parse_number("1,2")
    ('ordinal', None, None)
    """
    if not token or not token.isascii():
        return None
    if token[0].isalpha():
        word = _words().get(token.lower())
        return None if word is None else Number(word[0], word[1], token)
    match = _DIGITS.fullmatch(token)
    if match is None or len(token) > 18:
        return None
    whole, fraction, suffix = match["whole"] or "", match["fraction"] or "", match["suffix"] or ""
    digits = whole.replace(",", "")
    if (suffix and fraction) or not (digits or fraction):
        return None
    return Number(
        value=float(f"{digits or 0}.{fraction}") if fraction else int(digits),
        kind="ordinal" if suffix not in ("", "s") else "digits",
        text=token,
        decimals=len(fraction),
        width=len(digits) if digits.startswith("0") and len(digits) > 1 else 0,
        is_grouped="," in whole,
        suffix="s" if suffix == "s" else "",
    )


def format_number(value: float, like: Number) -> str:
    """Return a number written in the format of another one.

    Examples
    --------
    >>> format_number(1234567, parse_number("25,000")), format_number(7, parse_number("3.50"))
    ('1,234,567', '7.00')
    >>> format_number(23, parse_number("2nd")), format_number(6, parse_number("Five"))
    ('23rd', 'Six')
    """
    if like.kind == "word":
        return match_case(like.text, number_to_words(value))
    if like.kind == "ordinal_word":
        return match_case(like.text, ordinal_to_words(int(value)))
    text = f"{value:{',' if like.is_grouped else ''}.{like.decimals}f}"
    if like.text.startswith(".") and text.startswith("0."):
        text = text[1:]
    if like.kind == "ordinal":
        suffix = _ordinal_suffix(int(value))
        return text + (suffix.upper() if like.text.isupper() else suffix)
    return text.rjust(like.width, "0") + like.suffix
