"""Options that a reader brings by itself."""

from collections.abc import Callable
from typing import TypeVar

from scrutiny.data.source import DataSource
from scrutiny.data.table import Table

R = TypeVar("R", bound=Callable[[DataSource], Table])


def takes(*reading: str, **options: str) -> Callable[[R], R]:
    """Decorator of a reader that has these options, with what they are for.

    Data strings of its scheme may have them; those of others may not. ``reading`` names those of
    `source.READING` that it looks at.
    """

    def marked(reader: R) -> R:
        setattr(reader, "options", options)  # noqa: B010 - functions declare no attributes
        setattr(reader, "reading", reading)  # noqa: B010
        return reader

    return marked
