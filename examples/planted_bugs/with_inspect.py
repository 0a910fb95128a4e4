"""inspect: an openai-api model on a task of one file, the scorer `exact`."""

from examples.planted_bugs.cases import TEMPLATE
from examples.planted_bugs.endpoint import Serving
from examples.planted_bugs.running import run, version, where

NAME = "inspect"
PROGRAM = "inspect"
FAULTY_CODES = {"eval": (1, 2)}
_TASK = """from inspect_ai import Task, task
from inspect_ai.dataset import Sample, csv_dataset
from inspect_ai.scorer import exact
from inspect_ai.solver import generate

TEMPLATE = {template!r}


def sample(row):
    return Sample(id=row["id"], input=TEMPLATE.format(text=row["text"]), target=row["label"])


@task
def messages():
    return Task(dataset=csv_dataset("cases.csv", sample), solver=generate(), scorer=exact())
"""


def program(folders):
    """Path of its command, or None."""
    return where(PROGRAM, folders)


def version_of(program):
    """Version of the package."""
    return version([program, "--version"])


def commands(fault, folder, program, healthy):
    """One evaluation, with log-probabilities where they are the matter."""
    del healthy
    (folder / "messages.py").write_text(_TASK.format(template=TEMPLATE), encoding="utf-8")
    logs = ["--logprobs", "--top-logprobs", "20"] if fault.reads == "logprobs" else []
    with Serving(fault.name) as served:
        words = ["eval", "messages.py", "--model", "openai-api/planted/mock", *logs]
        words += ["--max-connections", "1", "--temperature", "0", "--display", "plain"]
        yield (
            "eval",
            run(
                [program, *words],
                folder,
                shown=f"inspect {' '.join(words)}",
                score=r"\bmean\s+([\d.]+)",
                PLANTED_BASE_URL=served.url,
                PLANTED_API_KEY="none",
            ),
        )
