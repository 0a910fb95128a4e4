"""Lists in words that stop after the first few."""

from collections.abc import Sequence


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
