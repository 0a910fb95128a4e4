"""Run folder: the files of a run on disk.

::

    manifest.json       plan, versions, data and model identities, status, reproducibility
    items.parquet       content, gold, source and groups of every item
    variants.parquet    items plus edits
    records.parquet     raw measures, in plan order
    outputs.parquet     answers of the models
    estimates.parquet   numbers with their intervals and denominators
    findings.json       claims with their verdicts
    published.json      published figures next to the run's, if the plan has any
    timings.parquet     durations; the only file that is not repeatable
    arrays/             arrays that a diagnostic stored
    journal.sqlite      finished shards, which make an interrupted run resumable; packed when done
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scrutiny.core.boundary.json_text import plain
from scrutiny.core.claim import Finding
from scrutiny.core.errors import DataError
from scrutiny.core.estimate import Estimate
from scrutiny.core.published import Reproduction
from scrutiny.store.arrow import is_value
from scrutiny.store.files import (
    array_file,
    read_json,
    storage_errors,
    unreadable,
    write_atomically,
    write_text,
)
from scrutiny.store.guards import is_in_use
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_tables import (
    estimate_from_row,
    estimates_to_table,
    finding_from_json,
    finding_to_json,
    reproduction_from_json,
)
from scrutiny.store.sealed_manifests import damage, is_as_signed, portable, seal_of, signed
from scrutiny.store.stored_tables import StoredTables

#: Version of the format of manifest and tables.
FORMAT: Final = 1
#: What a manifest says where every adapter promises exact answers in any batch.
EXACT_RECORDS: Final = "records are byte-identical"
_OF_TEXTS: Final = ("fields", "source", "position")
_BEFORE_LIMITS: Final = (
    "The verdicts of {0} were made by an earlier version, before verdicts compared the limits that "
    "are printed. Re-issue the run's command: where the folder then holds another plan, with "
    "another --out. Its answers are still good: `scrutiny gate {0} --rule ...` and `scrutiny "
    "compare` judge them by today's rule."
)
T = TypeVar("T")


class RunFolder(StoredTables):
    """The files of one run; reading is lazy, writing is atomic."""

    @classmethod
    def open(cls, path: str | Path) -> "RunFolder":
        """Open the folder of a finished run.

        Raises
        ------
        DataError
            If there is no such folder, or no finished run in it, or if the run has lost a file or
            has a damaged one.
        """
        folder = cls(path)
        if not folder.path.is_dir():
            raise DataError(f"There is no run folder {str(path)!r}: give the --out of a run.")
        if not (folder.path / "manifest.json").is_file():
            raise DataError(
                f"{str(path)!r} holds no run: it has no manifest.json. Give the folder that "
                "`scrutiny run --out` or `scrutiny audit --out` wrote."
            )
        manifest = folder.manifest
        if manifest.get("status", "done") != "done":
            now = "Wait: a process is working on it now, or r" if is_in_use(folder.path) else "R"
            raise DataError(
                f"{str(path)!r} holds a run that is not finished. {now}e-issue its command; it "
                "resumes where it stopped."
            )
        found = damage(folder.path, manifest.get("files", {}))
        if found:
            raise DataError(f"{found}. Re-issue its command; what it asked is in the cache.")
        return folder

    @property
    def manifest(self) -> dict[str, Any]:
        """Manifest of the run.

        Raises
        ------
        DataError
            If it cannot be read, has another format, or was changed after it was written.
        """
        path = self.path / "manifest.json"
        manifest = read_json(path)
        if not isinstance(manifest, dict):
            raise DataError(f"{path} holds no JSON object. Re-issue the run's command.")
        form = manifest.get("format", FORMAT)
        if form != FORMAT:
            raise DataError(
                f"{path} is of format {str(form)[:20]}, and this version of scrutiny reads format "
                f"{FORMAT}: install the version that wrote it, or re-issue the run's command."
            )
        if not is_as_signed(manifest):
            raise DataError(
                f"{path} is damaged: it is not as it was written. Re-issue the command of the run, "
                "or import its logs again; what a run asked is in the cache."
            )
        return manifest

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest, without secrets and absolute paths of sources."""
        kept = signed(portable(manifest, self.path))
        self._write_json("manifest.json", kept)

    def finish(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Replace the manifest by that of a finished run; returns the list of its files."""
        files = seal_of(self.path)
        self.write_manifest({**manifest, "files": files})
        return files

    def write_array(self, name: str, value: np.ndarray[Any, Any]) -> None:
        """Write ``arrays/NAME.npy``; slashes in the name make folders."""
        path = self.path / array_file(name)
        with storage_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)

        def write(temporary: Path) -> None:
            with temporary.open("wb") as handle:
                np.save(handle, value, allow_pickle=False)

        write_atomically(path, write, is_private=True)

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """Array that `write_array` stored.

        Raises
        ------
        DataError
            If there is none of this name.
        """
        path = self.path / array_file(name)
        try:
            return np.asarray(np.load(path, allow_pickle=False))
        except (OSError, ValueError) as error:
            raise DataError(f"{path} cannot be read: {error}.") from error

    def has_array(self, name: str) -> bool:
        """Whether `write_array` stored an array under this name."""
        return (self.path / array_file(name)).is_file()

    def arrays_under(self, name: str) -> list[str]:
        """Last parts of the names of array folders under a name, in no order."""
        place = self.path / array_file(name).with_suffix("")
        return [p.name for p in place.iterdir() if p.is_dir()] if place.is_dir() else []

    def records(self) -> pa.Table:
        """Raw measures of every diagnostic."""
        return self.table("records")

    def measured(self) -> tuple[RowGroups, pa.Table]:
        """Records, and items without texts: the input of estimates.

        Raises
        ------
        DataError
            As `table` does.
        """
        return self._by_group("records", ("variant", "reason")), self.items_without_texts()

    def answers(self) -> RowGroups:
        """Answers of the models without what they said and their scores.

        Raises
        ------
        DataError
            As `table` does.
        """
        return self._by_group("outputs", ("scores", "said"))

    def _by_group(self, name: str, without: Sequence[str]) -> RowGroups:
        """One of the tables by row groups, without some columns."""
        schema, told = self.metadata(name)
        names = [one for one in schema.names if one not in without]
        return RowGroups.of_file(schema, told, partial(self.group, name, columns=names))

    def items_without_texts(self) -> pa.Table:
        """Table of items without their texts and places; all but their names as codes."""
        schema, _ = self.metadata("items")
        names = [name for name in schema.names if name not in _OF_TEXTS]
        return self.coded("items", names, plain=["item"])

    def items(self) -> pa.Table:
        """Table of items."""
        return self.table("items")

    def variants(self) -> pa.Table:
        """Table of variants."""
        return self.table("variants")

    def outputs(self) -> pa.Table:
        """Table of the models' answers."""
        return self.table("outputs")

    def original_answers(self, *more: str) -> pa.Table:
        """Answers to the original items (no variants), and more columns; texts are coded."""
        texts = ["subject", "replicate", "condition", "dataset", "item", "answer"]
        columns = [*texts, *more]
        parts = [
            part.filter(pc.is_null(part["variant"])).select(columns)
            for part in self.groups("outputs", [*dict.fromkeys([*columns, "variant"])])
        ]
        parts = parts or [self.metadata("outputs")[0].empty_table().select(columns)]
        return pa.concat_tables(parts).unify_dictionaries()

    @property
    def is_exact(self) -> bool:
        """Whether every adapter of the run promises exact answers in any batch."""
        return bool(self.manifest.get("promise") == EXACT_RECORDS)

    def has_scores(self, subject: str) -> bool:
        """Whether a model's answers have scores, named by its labels."""
        for part in self.groups("outputs", ["subject", "scores"]):
            is_own = is_value(part["subject"], subject)
            if is_own.any():
                return bool(part["scores"].is_valid().to_numpy()[is_own].any())
        return False

    def estimates(self) -> list[Estimate]:
        """Estimates of the run."""
        return [estimate_from_row(row) for row in self.table("estimates").to_pylist()]

    def write_estimates(self, estimates: Iterable[Estimate]) -> None:
        """Replace the estimates."""
        table = estimates_to_table(estimates)
        self.write_table("estimates", [table], schema=table.schema)

    def findings(self) -> list[Finding]:
        """Findings of the run.

        Raises
        ------
        DataError
            If the file is damaged, or of a version whose verdicts did not read printed limits.
        """
        if not self.has_verdicts_of_today:
            raise DataError(_BEFORE_LIMITS.format(self.path))
        return self._entries("findings.json", finding_from_json)

    @property
    def has_verdicts_of_today(self) -> bool:
        """Whether no finding is of a version whose verdicts did not read printed limits."""
        entries = self._entries("findings.json", dict)
        return all("claim" not in entry or "limits" in entry for entry in entries)

    def write_findings(self, findings: Iterable[Finding]) -> None:
        """Replace the findings."""
        self._write_json("findings.json", list(map(finding_to_json, findings)))

    def published(self) -> list[Reproduction]:
        """Published figures compared with the run's; empty if the plan has none.

        Raises
        ------
        DataError
            If the file is damaged.
        """
        return self._entries("published.json", reproduction_from_json)

    def write_published(self, found: Sequence[Reproduction]) -> None:
        """Replace the published figures; without any there is no file."""
        if found:
            self._write_json("published.json", plain(found))
        else:
            (self.path / "published.json").unlink(missing_ok=True)

    def _entries(self, name: str, read: Callable[[Any], T]) -> list[T]:
        """Entries of a JSON file; empty if there is no file."""
        path = self.path / name
        if not path.is_file():
            return []
        try:
            return [read(entry) for entry in read_json(path)]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise unreadable(path, error) from error

    def _write_json(self, name: str, value: Any) -> None:
        text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True, allow_nan=False)
        write_text(self.path / name, text + "\n", is_private=True)
