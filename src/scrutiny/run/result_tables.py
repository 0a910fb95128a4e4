"""Tables of a run, written of what its shards gave; once they stand, the journal is packed.

Several diagnostics ask a model about the same item as it is; a run keeps its answer once. A large
run has millions of outputs, so what was seen is kept as sorted whole numbers, not as texts.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from scrutiny.core.boundary.json_text import plain
from scrutiny.core.errors import StorageError
from scrutiny.run.asking.identity_check import MEMOS
from scrutiny.run.planning.resolved import STAGES, Measurement, Resolved
from scrutiny.store.arrow import coded, combined
from scrutiny.store.journal import Journal
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.run_tables import ARRAYS, OUTPUTS, RECORDS, TIMINGS, VARIANTS, array_of
from scrutiny.store.sealed_manifests import Seal, damage

_OF_SHARDS: Final = {"variants", "records", "outputs", "timings"}  # tables of what shards gave


def has_packed_tables(journal: Journal, folder: RunFolder, resolved: Resolved) -> bool:
    """Whether the tables are as written when the journal was packed.

    Where they do not, all shards are done again, mostly from the cache of answers.
    """
    files = journal.packed()
    if files is None:
        return False
    done = journal.done()
    is_done = all(task.id in done for stage in STAGES for task in resolved.shards(stage))
    if is_done and not damage(folder.path, files):
        return True
    journal.forget()
    return False


def pack(journal: Journal, files: Seal) -> None:
    """Pack the journal, whose tables are in these files of the folder now."""
    of_shards = {
        name: kept
        for name, kept in files.items()
        if name.partition(".")[0] in _OF_SHARDS or name.startswith(ARRAYS)
    }
    with suppress(StorageError):  # the run is done: it is only larger than it has to be
        journal.pack(of_shards, keep=MEMOS)


def write_tables(
    folder: RunFolder, journal: Journal, resolved: Resolved, *, is_packed: bool
) -> None:
    """Write the shards' results, in plan order; nothing where they are as they were packed."""
    if is_packed:
        return
    prepared = [task.id for task in resolved.shards("prepare")]
    measured = [task.id for task in resolved.shards("measure")]
    footer = {m.kind: _measures_of(m, resolved) for m in resolved.measurements.values()}
    folder.write_table("variants", _parts(journal, prepared, "variants"), schema=VARIANTS)
    folder.write_table(
        "records", _parts(journal, measured, "records"), schema=RECORDS, footer=footer
    )
    folder.write_table(
        "outputs", distinct_outputs(_parts(journal, measured, "outputs")), schema=OUTPUTS
    )
    folder.write_table("timings", _parts(journal, prepared + measured, "timings"), schema=TIMINGS)
    for task in measured:
        for name in journal.parts(task):
            table = journal.part(task, name) if name.startswith(ARRAYS) else None
            if table is not None:
                folder.write_array(f"{task}/{name.removeprefix(ARRAYS)}", array_of(table))


def _parts(journal: Journal, tasks: Iterable[str], name: str) -> Iterator[pa.Table]:
    for task in tasks:
        table = journal.part(task, name)
        if table is not None:
            yield table


def _measures_of(measurement: Measurement, resolved: Resolved) -> dict[str, Any]:
    """Names and axes of a diagnostic's measures, by dataset and model family."""
    return {
        data: {
            family: [plain(m) for m in resolved.measures(measurement, family=family, data=data)]
            for family in measurement.plan.models
        }
        for data in measurement.plan.data
    }


#: Of what there are few combinations; with the item they tell an output.
_FEW: Final = ("subject", "replicate", "dataset", "condition", "variant")
_ITEM_BITS: Final = 32
Numbers = NDArray[np.int64]
_Key = TypeVar("_Key")


def distinct_outputs(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Outputs without those that another diagnostic already requested."""
    named, seen = _Names(), _Seen()
    for table in tables:
        is_new = seen.take_in(named.numbers(table))
        yield table if is_new.all() else table.filter(pa.array(is_new))


class _Names:
    """Ids of outputs: the same for the same names, in any table."""

    def __init__(self) -> None:
        self._items: dict[object, int] = {}
        self._others: dict[tuple[object, ...], int] = {}

    def numbers(self, table: pa.Table) -> Numbers:
        """Id of each row."""
        names, codes = coded(table["item"])
        items = _numbered(names.to_pylist(), self._items)[codes]
        keys, place = combined(table, _FEW)
        return (_numbered(keys, self._others)[place] << _ITEM_BITS) | items


def _numbered(names: Iterable[_Key], known: dict[_Key, int]) -> Numbers:
    """Id of each name; new names get the next ids."""
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


class _Seen:
    """Set of ids, in sorted runs that are merged as they grow: eight bytes each."""

    def __init__(self) -> None:
        self._runs: list[Numbers] = []

    def take_in(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Whether each id is new; all are recorded."""
        own, first = np.unique(numbers, return_index=True)
        is_new = np.ones(own.size, dtype=np.bool_)
        for run in self._runs:
            place = np.minimum(np.searchsorted(run, own), run.size - 1)
            is_new &= run[place] != own
        self._keep(own[is_new])
        found = np.zeros(numbers.size, dtype=np.bool_)
        found[first[is_new]] = True
        return found

    def _keep(self, run: Numbers) -> None:
        """Add a sorted run, merging so that no run is longer than the one before it."""
        while self._runs and self._runs[-1].size <= run.size:
            run = np.sort(np.concatenate([self._runs.pop(), run]), kind="stable")
        if run.size:
            self._runs.append(run)
