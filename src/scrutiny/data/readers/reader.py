"""A reader that takes options of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scrutiny.data.source import DataSource
from scrutiny.data.table import Table


@dataclass(frozen=True, slots=True)
class Reader:
    """A function that reads, and its options with what they are for.

    A reader without options of its own is just a function.
    """

    function: Callable[[DataSource], Table]
    options: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, source: DataSource) -> Table:
        """Table of the source."""
        return self.function(source)
