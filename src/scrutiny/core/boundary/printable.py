"""Text fit to be stored and printed: odd characters, lists cut short, shares in percent.

Unpaired surrogates and control characters are escaped or refused; lists in words stop after the
first few; shares have a space before the percent sign, and a true minus.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.errors import DataError

#: Control characters but tab and line feed, and those that turn the direction of writing.
STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: Half a surrogate pair, which no encoding can write.
_HALF: Final = re.compile(r"[\ud800-\udfff]")
#: Characters of a message that are kept; a model may put its whole input into one.
_MOST: Final = 2000


def is_storable(text: str) -> bool:
    r"""Whether a text can be written as UTF-8.

    Examples
    --------
    >>> is_storable("naïve"), is_storable("half \ud83d")
    (True, False)
    """
    return text.isascii() or _HALF.search(text) is None


def storable(text: str) -> str:
    r"""Message fit for storage: unpaired surrogates escaped, the end of a very long one cut.

    Examples
    --------
    >>> storable("half \ud83d")
    'half \\ud83d'
    """
    kept = text if len(text) <= _MOST else f"{text[:_MOST]} … ({len(text):,} characters)"
    return kept.encode("utf-8", "backslashreplace").decode()


def printable(text: str) -> str:
    r"""Foreign text with its control characters escaped, safe to print.

    Texts, labels and names are somebody else's, and an escape sequence among them could recolor or
    rewrite what a report says, an override of the direction of writing turn it round.

    Examples
    --------
    >>> printable("red \x1b[31m, two\nlines")
    'red \\x1b[31m, two\nlines'
    """
    return STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def repeated(names: Iterable[str]) -> str | None:
    """First name that an input gives twice (a column, a key, an option), or ``None``.

    Examples
    --------
    >>> repeated(["text", "label", "text"]), repeated(["text"])
    ('text', None)
    """
    return next((name for name, count in Counter(names).items() if count > 1), None)


def checked(text: str, name: str) -> str:
    """Return the text unless it holds an unpaired surrogate, which no file can store."""
    if not is_storable(text):
        place = next(i for i, c in enumerate(text) if not is_storable(c))
        raise DataError(f"{name} holds half a surrogate pair at character {place}")
    return text


def must_be_storable(cells: Mapping[str, Any]) -> None:
    """Raise if a name or a text in cells, at any depth, holds half a surrogate pair.

    All data from files and objects pass here once, so that nothing behind meets such a text.

    Raises
    ------
    DataError
        With the name of the cell.
    """
    for name, value in cells.items():
        if isinstance(value, str):
            checked(value, name)
        elif not _are_storable(value):
            for text in _texts_in(value):
                checked(text, name)


def _are_storable(value: Any) -> bool:
    """Whether a value is a list of texts that can be written: a quick look at all of them."""
    try:
        return isinstance(value, list | tuple) and is_storable("".join(value))
    except TypeError:  # not all are texts
        return False


def _texts_in(value: Any) -> Iterator[str]:
    """Texts of a JSON value: its keys, too; in reading order."""
    held = [value]
    while held:
        one = held.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list | tuple):
            held += one[::-1]
        elif isinstance(one, Mapping):
            held += [*one.values(), *one][::-1]


def writable(text: str | None) -> str | None:
    r"""Text fit for tables: lone surrogates are written as ``\udc80``.

    Examples
    --------
    >>> print(writable("a\ud800b"))
    a\ud800b
    """
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()


def and_more(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    Examples
    --------
    >>> and_more(["a", "b"], 2), and_more(["a", "b", "c", "d"], 2)
    ('a, b', 'a, b and 2 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def with_dots(names: Sequence[str], most: int) -> str:
    """The first names, and dots if there are more.

    Examples
    --------
    >>> with_dots(["a", "b"], 2), with_dots(["a", "b", "c", "d"], 2)
    ('a, b', 'a, b, …')
    """
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def in_all(names: Sequence[str], most: int) -> str:
    """The first names, and of how many.

    Examples
    --------
    >>> in_all(["a", "b"], 2), in_all(["a", "b", "c", "d"], 2)
    ('a, b', 'a, b, … (4 in all)')
    """
    more = f", … ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def quoted(names: Sequence[str], most: int = 20) -> str:
    """The first names in quotation marks, and of how many."""
    return in_all([*map(repr, names)], most)


_MINUS: Final = "\N{MINUS SIGN}"


def hundred(share: float, decimals: int = 1) -> str:
    """Hundred times a share, with a true minus sign and no negative zero.

    Examples
    --------
    >>> hundred(0.0401), hundred(-0.0001), hundred(0.02, 0), hundred(-0.013)
    ('4.0', '0.0', '2', '−1.3')
    """
    return f"{round(100 * share, decimals) + 0.0:.{decimals}f}".replace("-", _MINUS)


def hundred_at_most(share: float) -> str:
    """Hundred times a share of all, with one decimal; all of it without any.

    Examples
    --------
    >>> hundred_at_most(0.978), hundred_at_most(1.0), hundred_at_most(0.9997)
    ('97.8', '100', '100')
    """
    return hundred(share).replace("100.0", "100")


def percent(share: float) -> str:
    """Share in percent, with one decimal.

    Examples
    --------
    >>> percent(0.00433), percent(0.908), percent(1.0), percent(0.0)
    ('0.4 %', '90.8 %', '100 %', '0.0 %')
    """
    return f"{hundred_at_most(share)} %"


def percent_within(share: float, low: float | None, high: float | None) -> str:
    """Share in percent with its limits in brackets, where it has any.

    Examples
    --------
    >>> percent_within(0.978, 0.97, 0.984), percent_within(0.5, None, None)
    ('97.8 % [97.0, 98.4]', '50.0 %')
    """
    if low is None or high is None:
        return percent(share)
    return f"{percent(share)} [{hundred_at_most(low)}, {hundred_at_most(high)}]"


def whole_percent(share: float) -> str:
    """Share in whole percent: a part of one is not nothing, and nearly all is not all.

    Examples
    --------
    >>> [whole_percent(share) for share in (0.0, 1e-9, 0.414, 0.998, 1.0)]
    ['0 %', '<1 %', '41 %', '99 %', '100 %']
    """
    each = 100 * share
    if 0 < each < 1:
        return "<1 %"
    return f"{int(each) if 99 < each < 100 else round(each)} %"


def points(margin: float) -> str:
    """Difference of shares in points, as it was stated.

    Examples
    --------
    >>> points(0.01), points(0.02), points(0.0)
    ('1 point', '2 points', '0 points')
    """
    return f"{100 * margin:g} point{'' if margin == 0.01 else 's'}"
