"""Loading of a run folder for the report."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from scrutiny.blocks.cases import Evidence, SearchedText
from scrutiny.blocks.labels import replicate_words
from scrutiny.blocks.run_view import (
    DatasetLine,
    DiagnosticNotes,
    Missing,
    RunFacts,
    RunView,
    without_slices,
)
from scrutiny.blocks.section import registered
from scrutiny.core.claim import Finding
from scrutiny.core.errors import DataError
from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin_base import family_name
from scrutiny.core.task import Task
from scrutiny.report.cases.answers import Tables
from scrutiny.report.cases.changed_texts import suite_sizes
from scrutiny.report.cases.evidence import evidence_found, evidence_of, found_texts
from scrutiny.report.cases.explained import with_explanations
from scrutiny.report.records import FolderRecords
from scrutiny.store.explained_answers import KeptExplanations, read_explained
from scrutiny.store.run_folder import RunFolder

_MOST_MISSING: Final = 200
_NOT_CHECKED: Final = "not checked: the training text is not known"
_MISLEADS: Final = re.compile(r"\*\*Misleads when\*\*:?\s*(.+?)(?:\n\s*\n|\Z)", re.DOTALL)


def load_view(path: str | Path) -> RunView:
    """Finished run of a folder, as everything in the report reads it.

    Raises
    ------
    DataError
        If there is no run, or it is not finished.
    """
    folder = RunFolder.open(path)
    manifest = folder.manifest
    estimates, findings, in_slices = without_slices(manifest, folder.estimates(), folder.findings())
    records = FolderRecords(folder, manifest, estimates)
    known = [part.of_dataset for part in registered(estimates)]
    data, cases = manifest.get("data", {}), suite_sizes(estimates)
    overlaps = {name: [of(name, estimates) for of in known] for name in data}
    return RunView(
        facts=_facts(str(path), manifest, estimates),
        manifest=manifest,
        estimates=estimates,
        findings=findings,
        evidence=FolderEvidence(folder, findings, records),
        notes=_notes(manifest),
        datasets=tuple(
            DatasetLine(
                name=name,
                source=own.get("source", ""),
                n_items=own.get("items", 0),
                fingerprint=own.get("fingerprint", "")[:16],
                overlap="; ".join(filter(None, overlaps[name])) or _NOT_CHECKED,
                doubts=tuple(own.get("doubts", ())),
                languages=own.get("languages", {}),
                class_words=tuple(own.get("class_words", Task.class_words)),
                n_cases=cases.get(name, 0),
                metric_names=own.get("metric_names", {}),
            )
            for name, own in data.items()
        ),
        missing=_missing(folder),
        families=dict(manifest.get("families", {})),
        published=tuple(folder.published()),
        records=records,
        slices=in_slices,
    )


def _facts(path: str, manifest: Mapping[str, Any], estimates: Sequence[Estimate]) -> RunFacts:
    plan = manifest.get("plan", {})
    resampling = plan.get("resampling", {})
    environment = dict(manifest.get("environment", {}))
    models, data = manifest.get("models", {}), manifest.get("data", {})
    # not untrained networks and other controls
    measured = [n for n, model in models.items() if model.get("role", "measured") == "measured"]
    examined = measured or list(models)
    status = manifest.get("status", "done")
    own = [e for e in estimates if e.key.role == "measured"] or estimates
    names = dict.fromkeys(name for e in own for name in e.by_replicate)
    methods = dict.fromkeys(e.method for e in estimates if e.low is not None and e.method)
    stated = {name: manifest[name] for name in ("command", "promise", "sent") if name in manifest}
    stated |= {n: tuple(manifest[n]) for n in ("warnings", "failures") if n in manifest}
    stated |= {name: plan[name] for name in ("seed", "profile") if name in plan}
    stated |= {name: resampling[name] for name in ("draws", "level") if name in resampling}
    return RunFacts(
        path=path,
        title=f"{', '.join(examined)} on {', '.join(data)}" if models and data else "",
        subjects=tuple(examined),
        replicates=tuple(replicate_words(name) for name in names),
        method=", ".join(methods) or resampling.get("method", ""),
        version=environment.get("scrutiny", ""),
        status="complete" if status == "done" else str(status),
        replicates_of={
            name: found for name in examined if (found := models[name].get("replicates_of"))
        },
        labels=tuple(manifest.get("label_matches", ())),
        left_out=(
            *(plan.get("budget") or {}).get("left_out", ()),
            *plan.get("left_out", ()),
            *manifest.get("left_out", ()),
        ),
        environment=environment,
        **stated,
    )


class FolderEvidence(Mapping[str, Evidence]):
    """Items behind each claim, by its id; joined when a page asks, not for a terminal."""

    def __init__(
        self, folder: RunFolder, findings: Sequence[Finding], records: FolderRecords
    ) -> None:
        self._folder = folder
        self._records = records
        self._all = findings
        self._findings = {finding.claim.id: finding for finding in findings}
        self._known: dict[str, Evidence] = {}

    @cached_property
    def _tables(self) -> Tables | None:
        """Tables to join; `None` if the run stored no variants or outputs."""
        try:
            return Tables.of(self._folder)
        except DataError:
            return None

    @cached_property
    def _found(self) -> list[SearchedText]:
        """Texts that searches found."""
        return found_texts(self._folder.path, [f.estimate for f in self._all if f.estimate])

    @cached_property
    def _explained(self) -> KeptExplanations:
        """Answers that were explained, by their cases."""
        return read_explained(self._folder.path)

    def __getitem__(self, name: str) -> Evidence:
        if name not in self._known:
            finding, tables = self._findings[name], self._tables
            made = None if tables is None else evidence_of(finding, tables, self._records.by_item)
            if made is None and tables is not None:
                made = evidence_found(finding, self._found, tables)
            found = made or Evidence()
            if finding.estimate is not None and found.cases:
                key = finding.estimate.key
                found = with_explanations(found, key.subject, key.dataset, self._explained)
            self._known[name] = found
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._findings)

    def __len__(self) -> int:
        return len(self._findings)


def _notes(manifest: Mapping[str, Any]) -> dict[str, DiagnosticNotes]:
    """Texts from the documentation of diagnostics, merged over measurements."""
    notes: dict[str, DiagnosticNotes] = {}
    for measured in manifest.get("measure", {}).values():
        name = family_name(measured["diagnostic"])
        known = notes.get(name, DiagnosticNotes()).measured
        match = _MISLEADS.search(measured.get("doc", ""))
        parts = " ".join(match[1].split()).rstrip(".").split("; ") if match else ()
        notes[name] = DiagnosticNotes(
            summary=measured.get("summary", ""),
            measured=tuple(dict.fromkeys((*known, *measured.get("notes", ())))),
            misleads=tuple(f"Misleads when {part}." for part in parts),
        )
    return notes


def _missing(folder: RunFolder) -> tuple[Missing, ...]:
    """Variants that could not be asked, by reason, in order of first appearance."""
    from scrutiny.store.arrow import counts_of, is_value

    columns = ["kind", "recipe", "status", "reason"]
    try:
        table = folder.coded("variants", [*columns, "role"])
    except DataError:
        return ()
    is_missing = is_value(table["role"], "measured") & ~is_value(table["status"], "ok")
    return tuple(
        Missing(row["kind"], row["recipe"], row["status"], row["reason"] or "", row["count"])
        for row in counts_of(table, is_missing, columns)[:_MOST_MISSING]
    )
