"""Manifest of an import, in the form that report, compare and gate read."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scrutiny.core.boundary.canonical import canonical_json, digest, plain
from scrutiny.core.example import Example
from scrutiny.core.grouping import grouped
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.data.doubts import left_out
from scrutiny.data.reading import OnBadRow
from scrutiny.run.importing.collecting import Logged, printed_beside
from scrutiny.run.importing.tables import KIND, log_fingerprint
from scrutiny.run.manifest import environment
from scrutiny.run.planning.assignment import Assignment, to_json

_CLOSE: Final = 1e-6
_DOC: Final = """Scores that another tool gave to every item, read from its log.

**Measures**: what that tool measured; the interval, the denominator and the pairing are ours.

**Misleads when**: the two logs of a comparison were made with other prompts, examples or filters;
a score's name means something else in another tool; answers were drawn at random once.
"""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options of reading logs.

    Parameters
    ----------
    on_bad_row
        Leave out and list lines that cannot be read, or stop at the first.
    resampling, seed
        Of the intervals.
    command
        The command line, for the report.
    """

    on_bad_row: OnBadRow = "skip"
    resampling: Resampling = field(default_factory=Resampling)
    seed: int = 0
    command: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Contents of an import, for its manifest."""

    tool: str
    tasks: Mapping[str, Logged]
    examples: Mapping[str, list[Example]]
    options: ImportOptions

    def as_json(self, assignments: Sequence[Assignment], notes: Sequence[str]) -> dict[str, Any]:
        """The manifest."""
        sides = [side for task in self.tasks.values() for side in task.replicates]
        subjects = tuple(dict.fromkeys(side.log.subject for side in sides))
        plan = Plan(
            seed=self.options.seed,
            data=tuple(DataPlan(name, f"{self.tool}:{name}") for name in self.tasks),
            models=tuple(ModelPlan(name, f"{self.tool}:{name}") for name in subjects),
            measure=(MeasurePlan("scores", "scores@1", subjects, tuple(self.tasks)),),
            resampling=self.options.resampling,
        )
        own = dict.fromkeys(note for side in sides for note in side.log.notes)
        return {
            "format": 1,
            "status": "done",
            "imported": self.tool,
            "command": self.options.command,
            "plan": plain(plan),
            "identity": digest(canonical_json([side.log.source for side in sides])),
            "claims": [],
            "promise": f"read from logs of {self.tool}: nothing was asked",
            "environment": environment(),
            "data": {name: self._data(name) for name in self.tasks},
            "models": {name: self._model(name) for name in subjects},
            "warnings": [*notes, *own, *self._disagreements()],
            "labels": {},
            "measure": {"scores": self._measure()},
            "families": {},
            "specs": [to_json(assignment) for assignment in assignments],
            "contrasts": [],
        }

    def _data(self, name: str) -> dict[str, Any]:
        """Counts of a task: read and left out."""
        task, examples = self.tasks[name], self.examples[name]
        sides = task.replicates
        found = task.problems
        files = dict.fromkeys(f"{self.tool}:{side.log.file.name}" for side in sides)
        notes = [f"{count:,} x {what}" for what, count in found.skipped.items()]
        if task.n_other_texts:
            notes.append(f"{task.n_other_texts:,} items have other texts in another log.")
        return {
            "source": ", ".join(files),
            "task": "logged",
            "items": len(examples),
            "fingerprint": log_fingerprint(examples),
            "bad_rows": [plain(row) for row in found.bad_rows[:100]],
            "n_bad_rows": len(found.bad_rows),
            "doubts": list(left_out(found.bad_rows)),
            "notes": notes,
            "lower_is_better": sorted(
                {metric for side in sides for metric in side.log.lower_is_better}
            ),
        }

    def _model(self, subject: str) -> dict[str, Any]:
        """Replicates of a model, each with its logs."""
        sides = [side for task in self.tasks.values() for side in task.sides.get(subject, ())]
        logs = grouped((canonical_json(dict(side.log.random)), side.log) for side in sides)
        return {
            "source": f"{self.tool}:{subject}",
            "role": "measured",
            "replicates_of": next((s.log.replicates_of for s in sides if s.log.replicates_of), ""),
            "replicates": [
                {
                    "source": ", ".join(log.source for log in own),
                    "random": dict(own[-1].random),
                    "condition": {},
                }
                for own in logs.values()
            ],
        }

    def _measure(self) -> dict[str, Any]:
        return {
            "diagnostic": "scores@1",
            "kind": KIND,
            "params": {},
            "summary": f"Scores of single items that {self.tool} logged.",
            "doc": _DOC,
            "notes": [
                f"Scores were read from logs of {self.tool}; nothing was asked again.",
                *(
                    f"On {name}, choosing blindly or always the commonest answer gets {chance:.3g}."
                    for name, task in self.tasks.items()
                    if (chance := task.chance) is not None
                ),
            ],
        }

    def _disagreements(self) -> Iterator[str]:
        """Sentences on numbers of the tool that differ from the mean of what was read."""
        for task in self.tasks.values():
            for subject, condition, printed, mean in printed_beside(task):
                if abs(printed - mean) > _CLOSE * max(1.0, abs(printed)):
                    words = ", ".join(map(str, json.loads(condition).values()))
                    yield (
                        f"{subject} on {task.name}: {self.tool} printed {printed:.6g} for {words}; "
                        f"the mean over the logged items is {mean:.6g}."
                    )
