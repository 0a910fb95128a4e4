"""Sides of ``scrutiny compare`` that are stored: run folders, and logs that are imported."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from scrutiny.core.plan import Resampling
from scrutiny.diagnostics.similarity.side_by_side.sides import Noise
from scrutiny.run.comparing.comparison_results import SharedInvariances
from scrutiny.run.importing.import_logs import ImportOptions, import_logs, tool_of
from scrutiny.store.run_folder import RunFolder

Kind = Literal["run", "log", "model"]


@dataclass(frozen=True, slots=True)
class OpenedSides:
    """Two run folders, and what is known of the models beyond them.

    ``baseline_rerun`` is another run of the first model, ``asked_again`` one in other batches,
    ``noise`` what its adapter promises of such runs, ``shared`` what both share beyond answers.
    """

    first: RunFolder
    second: RunFolder
    baseline_rerun: RunFolder | None = None
    asked_again: RunFolder | None = None
    noise: Mapping[str, Noise] = field(default_factory=dict)
    shared: SharedInvariances | None = None


def kind_of(text: str) -> Kind:
    """Kind of an argument: a run folder, a log of another tool, or a model.

    Examples
    --------
    >>> kind_of("builtin:sentiment"), kind_of("runs/nowhere")
    ('model', 'run')
    """
    path = Path(text).expanduser()
    if (path / "manifest.json").is_file():
        return "run"
    if tool_of(text) is not None:
        return "log"
    return "run" if path.exists() or ":" not in text else "model"


def folder_of(text: str, out: Path, flags: Mapping[str, Any]) -> RunFolder:
    """Run folder of a run, or of a log that is now imported."""
    tool = None if kind_of(text) == "run" else tool_of(text)
    if tool is None:
        return RunFolder.open(text)
    draws = {"draws": flags["draws"]} if flags["draws"] else {}
    options = ImportOptions(
        on_bad_row=flags["on_bad_row"],
        seed=flags["seed"] or 0,
        resampling=Resampling(**draws),
        is_estimated=flags["out"] is not None,
    )
    return import_logs(tool, [text], out, options=options)
