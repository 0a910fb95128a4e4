"""Ratings of texts and of single substitutions by people.

A file of ratings is CSV, TSV, JSON Lines or Parquet with a column ``valid`` (a number from 0 to 1,
or yes and no) and

==================  ==============================================================================
``text``            the changed text as a whole; with ``item`` it counts for that item alone
``item, variant``   the same, by the name that a kept text has
``before, after``   one substitution, wherever it stands; an empty ``before`` is an insertion, an
                    empty ``after`` a deletion
==================  ==============================================================================

Several rows for one thing are several raters: their mean is the probability that it keeps the
meaning. Of a text whose substitutions were rated one by one the probability is their product
(Hauser et al. 2021): that takes them for independent.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.grouping import grouped
from scrutiny.diagnostics.attack.kept import variant_name
from scrutiny.models.stored.rows import read_rows
from scrutiny.perturb.engine.word_changes import word_changes
from scrutiny.perturb.search.state import State
from scrutiny.store.files import hash_file

_WORDS: Final[Mapping[str, float]] = {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class Ratings:
    """Mean ratings of texts and substitutions.

    Parameters
    ----------
    texts
        By (item, text): the item is empty where the rating holds for any.
    variants
        By (item, variant).
    substitutions
        By (before, after), in lower case.
    fingerprint
        Digest of the file.
    """

    texts: Mapping[Hashable, float] = field(default_factory=dict)
    variants: Mapping[Hashable, float] = field(default_factory=dict)
    substitutions: Mapping[Hashable, float] = field(default_factory=dict)
    fingerprint: str = ""

    def rate(self, recipe: str, states: list[State]) -> list[float | None]:
        """Probability that each text keeps the meaning; `None` if it was not rated.

        A rating of the whole text goes before the product over its substitutions.
        """
        return [self._rate(recipe, state) for state in states]

    def _rate(self, recipe: str, state: State) -> float | None:
        item, text = state.base.id, "\n".join(state.texts)
        for known, key in (
            (self.texts, (item, text)),
            (self.texts, ("", text)),
            (self.variants, (item, variant_name(recipe, state.texts))),
        ):
            if key in known:
                return known[key]
        each = [self.substitutions.get(pair) for pair in rated_substitutions(state)]
        if not each or any(one is None for one in each):
            return None
        product = 1.0
        for one in each:
            product *= one or 0.0
        return product


def rated_substitutions(state: State) -> list[tuple[str, str]]:
    """Words before and after each change that raters of an attack judge, in lower case.

    Examples
    --------
    >>> from scrutiny.core.edit import Edit
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.search.origin import Origin
    >>> start = State.start(Origin(Example("1", {"text": "A good film"})))
    >>> rated_substitutions(start.step([Edit("text", 4, 5, "0")]))
    [('good', 'go0d')]
    """
    found = []
    for name in state.origin.names:
        edits = [edit for edit in state.edits if edit.field == name]
        if not edits:
            continue
        document = state.origin.document(name)
        words, changes = word_changes(document, edits)
        for start, end, new_start, new_end in changes:
            before, after = document.words[start:end], words[new_start:new_end]
            found.append((" ".join(before).lower(), " ".join(after).lower()))
    return found


@lru_cache(maxsize=8)
def read_ratings(path: str) -> Ratings:
    """Ratings of a file.

    Raises
    ------
    DataError
        If it is missing, or a row cannot be read; the message names the line.
    """
    file = Path(path)
    try:
        rows = list(read_rows(file))
    except ModelError as error:
        raise DataError(f"The ratings {path!r} cannot be read: {error}") from error
    given = grouped((_key(row, where), _valid(row, where)) for where, row in rows)
    texts, variants, changes = (
        {key: sum(each) / len(each) for (of, key), each in given.items() if of == kind}
        for kind in ("text", "variant", "before")
    )
    return Ratings(texts, variants, changes, hash_file(file))


def _key(row: Mapping[str, Any], where: str) -> tuple[str, Hashable]:
    """Key of the rated object of a row."""
    item = str(row.get("item") or "")
    if row.get("text"):
        return "text", (item, str(row["text"]))
    if item and row.get("variant"):
        return "variant", (item, str(row["variant"]))
    if row.get("before") or row.get("after"):
        pair = str(row.get("before") or "").lower(), str(row.get("after") or "").lower()
        return "before", pair
    raise DataError(
        f"{where}: a rating needs text, or item and variant, or before and after; this row has "
        f"{', '.join(k for k, v in row.items() if k and v) or 'nothing'}."
    )


def _valid(row: Mapping[str, Any], where: str) -> float:
    """Rating of a row."""
    stated = row.get("valid")
    written = str(stated).strip().lower()
    try:
        value = _WORDS[written] if written in _WORDS else float(written)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise DataError(
            f"{where}: valid is {stated!r}; it is a number from 0 to 1, or yes or no. Bring "
            "ratings of five steps to 0 and 1 first: what counts as kept is yours to say."
        )
    return value
