"""Label pairs as text: data labels with model labels, and how to write an exchange."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from scrutiny.core.boundary.listing import and_more, in_all
from scrutiny.data.dataset import Dataset
from scrutiny.data.labels import LabelMatch
from scrutiny.run.planning.resolved import Resolved

_MOST_PAIRS: Final = 12
#: Uninformative names of labels.
_NO_WORDS: Final = {"label", "labels", "class", "cls", "category", "cat", "type", "id", "tag"}
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")


def pairs_of(dataset: Dataset, match: LabelMatch) -> dict[str, str]:
    """Model label of each label in the file, through any renaming."""
    if not dataset.label_map:
        return dict(match.mapping)
    return {
        raw: match.mapping[name] for raw, name in dataset.label_map.items() if name in match.mapping
    }


def _are_words(pairs: Mapping[str, str]) -> bool:
    """Whether labels match safely: both sides of every pair are the same real word.

    Examples
    --------
    >>> _are_words({"positive": "POSITIVE"}), _are_words({"1": "1"}), _are_words({"a": "LABEL_0"})
    (True, False, False)
    """
    return all(
        data.casefold() == model.casefold()
        and any(w.casefold() not in _NO_WORDS for w in _LETTERS.findall(data))
        for data, model in pairs.items()
    )


def said_pairs(pairs: Mapping[str, str]) -> str:
    """Pairs as ``0 is negative, 1 is positive``; the first twelve of many."""
    return in_all([f"{data} is {model}" for data, model in pairs.items()], _MOST_PAIRS)


#: Roles of families whose labels are somebody's statement; controls and nulls are made here.
_STATED: Final = ("measured", "baseline")


_MOST_NAMES: Final = 3


def matches_to_show(resolved: Resolved) -> Iterator[str]:
    """Sentences on how a plan matches labels, where a reader has to check: names do not show it.

    Families that are matched in the same way share one.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for (family, data), pairing in resolved.pairings.items():
        dataset, match = resolved.datasets[data], pairing.labels
        pairs = pairs_of(dataset, match)
        if resolved.families[family].role in _STATED and not _are_words(pairs):
            how = "by the label map" if dataset.label_map else match.how
            said = f"{said_pairs(pairs)} ({how})"
            alike.setdefault((data, said), []).append(family)
    several = len({family for family, _ in resolved.pairings}) > 1
    for (data, said), families in alike.items():
        of_whom = f", for {and_more(families, _MOST_NAMES)}" if several else ""
        yield f"{data}{of_whom}: {said}"
