"""Look-alike labels and groups that count as two: reported, never merged."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from scrutiny.core.answers.answer import labels_in
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example

_SPACES: Final = re.compile(r"\s+")
_MOST_SHOWN: Final = 5
#: A column with more values than this is no grouping.
_MOST_VALUES: Final = 500


def refuse_same_labels(labels: Iterable[str], where: str) -> None:
    """Raise for two labels of the same letters, encoded as different code points.

    Raises
    ------
    DataError
        With both.
    """
    first: dict[str, str] = {}
    for label in labels:
        other = first.setdefault(unicodedata.normalize("NFC", label), label)
        if other != label:
            raise DataError(
                f"{where}: the labels {other!a} and {label!a} are the same text, {label}, "
                "with its accents written in two ways, and would count as two classes. Write the "
                "file's labels in one form, unicodedata.normalize('NFC', label)."
            )


def lookalikes(examples: Sequence[Example]) -> Iterator[str]:
    """Sentences, one for each pair of labels, or groups of one column, that look alike."""
    labels = Counter(label for example in examples for label in {*labels_in(example.gold)})
    yield from _said("labels", labels, "classes")
    for name, values in group_counts(examples, most=_MOST_VALUES).items():
        yield from _said(f"values of {name}", values, "groups")


def _said(what: str, counts: Counter[str], count_as: str) -> Iterator[str]:
    pairs = list(_pairs(counts))
    for a, b in pairs[:_MOST_SHOWN]:
        is_case = a.casefold() == b.casefold()
        how = "case" if is_case else "spaces, forms of letters, or characters that are not seen"
        first, second = (repr(a), repr(b)) if is_case else (ascii(a), ascii(b))
        yield (
            f"The {what} {first} ({counts[a]:,} items) and {second} ({counts[b]:,}) differ only in "
            f"{how}, and count as two {count_as}. If they mean the same, give them one name in the "
            "file."
        )
    if len(pairs) > _MOST_SHOWN:
        yield f"{len(pairs) - _MOST_SHOWN} more pairs of {what} look alike."


def _pairs(values: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Values paired with the first that looks like them."""
    first: dict[str, str] = {}
    for value in sorted(values):
        other = first.setdefault(_looks(value).casefold(), value)
        if other != value:
            yield other, value


def _looks(value: str) -> str:
    """Visual form of a value: one form of each letter, single spaces, no invisible characters."""
    plain = unicodedata.normalize("NFKC", value)
    seen = "".join(c for c in plain if unicodedata.category(c) not in ("Cf", "Cc") or c.isspace())
    return _SPACES.sub(" ", seen).strip()


def group_counts(examples: Sequence[Example], *, most: int) -> dict[str, Counter[str]]:
    """Counts of the values in each column of groups with so few of them."""
    found: dict[str, Counter[str]] = {}
    for example in examples:
        for name, value in example.attributes.items():
            if name.startswith("a_") and isinstance(value, str):
                found.setdefault(name.removeprefix("a_"), Counter())[value] += 1
    return {name: values for name, values in found.items() if len(values) <= most}
