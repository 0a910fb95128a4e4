"""A table of published results as arrays: scores before and after, items, and what rows are of.

A file that a reader of rows knows. Columns are told by well-known names, or stated behind ``#``
(``table.csv#before=clean,after=noisy,items=n``); what was guessed is said.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.printable import quoted
from scrutiny.core.errors import DataError
from scrutiny.core.registry import registry
from scrutiny.data.source import parse_source, reading_options
from scrutiny.run.importing.score_columns import cell_text, is_empty, score_of, stated_columns

#: What a column can be, with the names by which it is told.
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "before": tuple("before original ori clean baseline unchanged standard".split()),
    "after": tuple("after changed trans transformed perturbed adversarial noisy robust".split()),
    "items": tuple("items n count size samples examples n_items test_size".split()),
    "metric": tuple("metric measure score".split()),
}
#: Names of columns that rows are grouped by, and that are samples of what a reader cares about.
_GROUPS: Final = tuple("transformation change perturbation attack task".split())
_CLUSTERS: Final = tuple("model system dataset data_set data corpus benchmark".split())
#: Words in the name of a metric that is a share of the items.
_SHARES: Final = frozenset("accuracy acc em exact match exactmatch correct".split())
_WHOLE: Final = 100.0  # of percent
_SCALED: Final = {_WHOLE: "scores in percent", 1.0: "scores as parts of one"}
_MOST_BAD: Final = 0.1  # of the rows: a table of which more cannot be read is another kind of table
_WORD: Final = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """Rows of a table that can be read.

    Parameters
    ----------
    place
        Name of the file.
    before, after
        ``(row,)`` scores, as parts of one.
    items
        ``(row,)`` how many each score is of; NaN where the table does not say.
    is_share
        ``(row,)`` whether the score is a share of the items: F1, BLEU and the like are not.
    cells
        Texts of each column ``(row,)``, by its name.
    groups, clusters
        Columns that rows are grouped by, and those whose values are drawn anew.
    read_as
        What was read as what, in one sentence.
    left_out
        How many rows cannot be read, and why the first of them cannot.
    """

    place: str
    before: Floats
    after: Floats
    items: Floats
    is_share: NDArray[np.bool_]
    cells: Mapping[str, NDArray[Any]]
    groups: tuple[str, ...]
    clusters: tuple[str, ...]
    read_as: str
    left_out: tuple[int, str] = (0, "")

    def __len__(self) -> int:
        return int(self.before.size)

    @property
    def loss(self) -> Floats:
        """Loss of each row ``(row,)`` as a part of what it was; NaN where it was nothing."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.before > 0, (self.before - self.after) / self.before, np.nan)

    @property
    def is_testable(self) -> NDArray[np.bool_]:
        """Rows whose shares can be tested: shares of a known number of items."""
        return np.asarray(self.is_share & (self.items >= 1))


def read_published(
    given: str, *, groups: Sequence[str] = (), clusters: Sequence[str] = ()
) -> PublishedTable:
    """Read a table of published results.

    Parameters
    ----------
    given
        Path of a file; options behind ``#`` name columns.
    groups, clusters
        Columns to group by and to draw anew; otherwise those with well-known names.

    Raises
    ------
    DataError
        If there is no such file or column, no row reads, or scores are of no known scale.
    """
    path, _, options = given.partition("#")
    source = parse_source(path)
    place = source.path.name
    stated, reading = stated_columns(
        options,
        where=given,
        reading=reading_options(source.scheme),
        known=tuple(_NAMES),
    )
    table = registry().load("reader", source.scheme)(replace(source, options=reading))
    columns = tuple(table.columns)
    roles = _roles(columns, stated, place)
    groups, clusters = tuple(dict.fromkeys(groups)), tuple(dict.fromkeys(clusters))
    for name in (*groups, *clusters):
        _there(name, columns, place)
    others = [name for name in columns if name not in roles.values()]
    groups = groups or _known(others, _GROUPS)
    clusters = clusters or _known(others, _CLUSTERS)
    kept: list[tuple[float, float, float]] = []
    rows: list[Mapping[str, Any]] = []
    bad: list[str] = []
    for row in table.rows:
        reason = row.problem
        numbers = (np.nan, np.nan, np.nan)
        if not reason:
            numbers, reason = _numbers(row.values, roles)
        if reason:
            bad.append(f"{place}:{row.line}: {reason}")
        else:
            kept.append(numbers)
            rows.append(row.values)
    if len(bad) > _MOST_BAD * (len(rows) + len(bad)) or not rows:
        raise DataError(
            f"{len(bad):,} of {len(rows) + len(bad):,} rows of {place} cannot be read as published "
            f"scores. {f'The first: {bad[0]}' if bad else 'It has no rows'}. Scores are parts of "
            "one, or percent: leave out rows of other metrics (perplexity, counts)."
        )
    before, after, items = np.array(kept, dtype=np.float64).T
    metric = roles.get("metric", "")
    metrics = [cell_text(row.get(metric)) for row in rows]
    scale = _scales(before, after, metrics, [str(row.get(roles["before"])) for row in rows])
    said = [f"{role} = {name}" for role, name in roles.items()]
    said += [f"grouped by {' and '.join(groups)}"] * bool(groups)
    said += [f"{' and '.join(clusters)} drawn anew"] * bool(clusters)
    said += [" and ".join(_SCALED[k] for k in sorted({*scale.tolist()}, reverse=True))]
    return PublishedTable(
        place,
        before / scale,
        after / scale,
        items,
        np.array([not metric or is_share(name) for name in metrics]),
        {name: np.array([cell_text(row.get(name)) for row in rows]) for name in columns},
        groups,
        clusters,
        f"Read from {place}: {', '.join(said)}.",
        (len(bad), bad[0] if bad else ""),
    )


def _scales(
    before: Floats, after: Floats, metrics: Sequence[str], written: Sequence[str]
) -> Floats:
    """Size of a whole in each row ``(row,)``: 100 with a sign, or where the metric exceeds 1."""
    is_signed = np.array(["%" in text for text in written])
    top = np.where(is_signed, 0.0, np.maximum(before, after))
    above = {metric for metric, score in zip(metrics, top, strict=True) if score > 1}
    return np.where(is_signed | np.isin(metrics, sorted(above)), _WHOLE, 1.0)


def is_share(metric: str) -> bool:
    """Whether a metric is the share of items that are right, by its name.

    Examples
    --------
    >>> [is_share(name) for name in ("Accuracy", "ut_EM", "Macro-F1", "BLEU")]
    [True, True, False, False]
    """
    return not _SHARES.isdisjoint(_WORD.findall(metric.casefold()))


def _roles(columns: Sequence[str], stated: Mapping[str, str], place: str) -> dict[str, str]:
    """Column of each role that the table has."""
    roles: dict[str, str] = {}
    for name, value in stated.items():
        roles[name] = _there(unquote(value), columns, place)
    for role, names in _NAMES.items():
        free = {_plain(name): name for name in reversed(columns) if name not in roles.values()}
        found = next((free[name] for name in names if name in free), "")
        if role not in roles and found:
            roles[role] = found
    lacking = [role for role in ("before", "after") if role not in roles]
    if lacking:
        raise DataError(
            f"{place} has no column of scores {' and '.join(lacking)} the change. Its columns are "
            f"{quoted(columns, 30)}: name them, as in {place}#before=clean,after=noisy,items=n."
        )
    return {role: roles[role] for role in _NAMES if role in roles}


def _known(columns: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Columns with well-known names, in the order of these."""
    found = {_plain(name): name for name in columns}
    return tuple(found[name] for name in names if name in found)


def _there(name: str, columns: Sequence[str], place: str) -> str:
    if name not in columns:
        raise DataError(f"{place} has no column {name!r}. Its columns are {quoted(columns, 30)}.")
    return name


def _plain(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def _numbers(
    values: Mapping[str, Any], roles: Mapping[str, str]
) -> tuple[tuple[float, float, float], str]:
    """Score before and after and items of a row, or why it has none."""
    found = {}
    for role in ("before", "after", "items"):
        cell = values.get(roles.get(role, ""))
        if role == "items" and isinstance(cell, str):
            cell = cell.replace(",", "")
        number = score_of(cell)
        if number is None and (role != "items" or not is_empty(cell)):
            return (np.nan, np.nan, np.nan), f"{roles[role]} is {str(cell)[:40]!r}, and no number"
        if isinstance(cell, str) and "%" in cell and number is not None and role != "items":
            number *= 100  # as in a column of percent without the sign
        found[role] = np.nan if number is None else float(number)
    scores = (found["before"], found["after"])
    if min(scores) < 0 or max(scores) > _WHOLE:
        said = f"scores {scores[0]:g} and {scores[1]:g}"
        return (np.nan, np.nan, np.nan), f"{said}, which are no parts of one and no percent"
    if found["items"] < 0 or found["items"] % 1 > 0:
        return (np.nan, np.nan, np.nan), f"{found['items']:g} items, which is no count"
    return (found["before"], found["after"], found["items"]), ""
