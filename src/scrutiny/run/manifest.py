"""What a run writes: its manifest, and tables of what its shards gave; then its journal is packed.

The manifest says what ran, on what data, with which versions, and how reproducible it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import pyarrow as pa

from scrutiny.core.boundary.json_text import plain
from scrutiny.core.claim import Claim
from scrutiny.core.columns.item_columns import id_column
from scrutiny.core.errors import StorageError
from scrutiny.core.model import Family
from scrutiny.core.plugin_base import sentence_of
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.models.python.object_digest import ObjectReading
from scrutiny.models.strings.training_records import replicates_of
from scrutiny.run.asking.answer_store import TaskStore
from scrutiny.run.asking.identity_check import MEMOS, Again, memo_name, outcomes
from scrutiny.run.package_versions import environment
from scrutiny.run.planning.doubtful_data import (
    data_warnings,
    left_out_of,
    model_warnings,
    repeat_warnings,
    trained_on_it,
)
from scrutiny.run.planning.matched_labels import matches_to_show
from scrutiny.run.planning.plan_slices import too_small
from scrutiny.run.planning.resolved import STAGES, Measurement, Pairing, Resolved
from scrutiny.store.database import Journal
from scrutiny.store.distinct_outputs import distinct_outputs
from scrutiny.store.name_column import NameColumn
from scrutiny.store.run_folder import EXACT_RECORDS, FORMAT, RunFolder
from scrutiny.store.run_tables import ARRAYS, OUTPUTS, RECORDS, TIMINGS, VARIANTS, array_of
from scrutiny.store.sealed_manifests import Seal, damage


def manifest(
    resolved: Resolved,
    command: str,
    claims: Iterable[Claim],
    store: TaskStore,
    *,
    status: str,
) -> dict[str, Any]:
    """Manifest of a run."""
    exact = all(p.is_batch_invariant for p in resolved.pairings.values())
    return {
        "format": FORMAT,
        "status": status,
        "command": command,
        "plan": plain(resolved.plan),
        "identity": resolved.identity,
        "claims": [plain(claim) for claim in claims],
        "promise": EXACT_RECORDS if exact else "floats agree to 1e-6",
        "environment": environment(),
        "data": {
            name: {
                "source": dataset.source,
                "task": dataset.task,
                "class_words": list(resolved.tasks[name].class_words),
                **_metric_names(resolved.tasks[name]),
                "items": len(dataset.examples),
                "fingerprint": dataset.fingerprint,
                "bad_rows": [plain(row) for row in dataset.bad_rows[:100]],
                "n_bad_rows": len(dataset.bad_rows),
                "doubts": list(dataset.to_look_at),
                "notes": list(dataset.notes),
                "languages": dict(dataset.language_counts),
            }
            for name, dataset in resolved.datasets.items()
        },
        "models": {
            name: {
                "source": family.source,
                "role": family.role,
                "replicates_of": replicates_of(family.replicates[0].source),
                "replicates": [plain(r) for r in family.replicates],
            }
            | _compared(store, resolved, family)
            for name, family in resolved.families.items()
        },
        "warnings": [
            *trained_on_it(resolved),
            *data_warnings(resolved.datasets),
            *repeat_warnings(resolved),
            *model_warnings(resolved),
            *too_small(resolved),
        ],
        "left_out": left_out_of(resolved),
        "label_matches": list(matches_to_show(resolved)),
        "labels": {
            f"{family} on {data}": pairing.labels.note
            for (family, data), pairing in resolved.pairings.items()
        },
        "label_order": {
            f"{family} on {data}": _in_order_of_scores(pairing)
            for (family, data), pairing in resolved.pairings.items()
        },
        "measure": {
            m.plan.id: {
                "diagnostic": registry().entry("diagnostic", m.plan.diagnostic).registration.name,
                "kind": m.kind,
                "params": plain(m.params),
                "summary": sentence_of(m.diagnostic),
                "doc": m.diagnostic.__doc__ or "",
                "notes": list(dict.fromkeys(n for d in m.designs.values() for n in d.notes)),
            }
            for m in resolved.measurements.values()
        },
        "families": {
            f"{measurement.plan.id}/{family}/{data}/{name}": says
            for measurement in resolved.measurements.values()
            for (family, data), design in measurement.designs.items()
            for name, says in design.families.items()
        },
        "slices": [plain(size) for size in resolved.slices],
        "specs": [assignment.to_json() for assignment in resolved.assignments],
        "contrasts": [contrast.to_json() for contrast in resolved.contrasts],
    }


def _metric_names(task: Task) -> dict[str, dict[str, str]]:
    """What metrics are called on these items, where the task has names of its own for them."""
    names = dict(task.scored_by.names) if task.scored_by is not None else {}
    return {"metric_names": names} if names else {}


def _compared(store: TaskStore, resolved: Resolved, family: Family) -> dict[str, str]:
    """How the family was compared at a resume; empty if it was not queried."""
    data = [name for of, name in resolved.pairings if of == family.name]
    if not data:
        return {}
    names = [memo_name(family.name, r.source, name) for r in family.replicates for name in data]
    again = [one for name in names for one in outcomes(store, name)]
    return {"compared": _how_compared(resolved.pairings[family.name, data[0]].reading, again)}


def _in_order_of_scores(pairing: Pairing) -> list[str]:
    """The model's labels, named as in the data, in the order of its scores."""
    words = pairing.labels.in_data_words(pairing.model_labels)
    return [words.get(label, label) for label in pairing.model_labels]


def _how_compared(reading: ObjectReading | None, again: Sequence[Again]) -> str:
    """Description for the manifest of how a family was compared at a resume.

    Parameters
    ----------
    reading
        Inspected state of its first replicate; None if it has a fingerprint.
    again
        Outcomes of the repeated queries of its replicates.
    """
    if reading is None:
        return "the fingerprint that it states is compared at every start"
    if reading.is_whole:
        return "all that it is made of was read, and is compared at every start"
    asked = sum(one.asked for one in again)
    outcomes = ", ".join(dict.fromkeys(one.outcome for one in again))
    done = f"{asked} were: {outcomes}" if again else "none was so far"
    return (
        "its code, arrays and estimators were read and are compared at every start; at a later "
        f"start questions that it has answered are asked again ({done})"
    )


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
    names = {name: NameColumn(id_column(d.examples)) for name, d in resolved.datasets.items()}
    outputs = distinct_outputs(_parts(journal, measured, "outputs"), names)
    folder.write_table("outputs", outputs, schema=OUTPUTS)
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
