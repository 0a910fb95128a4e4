"""DeepEval: a test of pytest, the answers asked by its file, a metric of exact match, no judge."""

from examples.planted_bugs.cases import TEMPLATE
from examples.planted_bugs.endpoint import Serving
from examples.planted_bugs.running import run, version, where

NAME = "deepeval"
PROGRAM = "deepeval"
FAULTY_CODES = {"evaluate": (1, 2)}
_CODE = """import csv

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase
from openai import OpenAI

TEMPLATE = {template!r}
client = OpenAI(base_url={url!r}, api_key="none")


class ExactMatch(BaseMetric):
    threshold, async_mode, evaluation_model, include_reason = 1.0, False, None, False

    def measure(self, case, *args, **kwargs):
        self.score = float(case.actual_output.strip() == case.expected_output)
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, case, *args, **kwargs):
        return self.measure(case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Exact match"


def answer(text):
    said = [{{"role": "user", "content": TEMPLATE.format(text=text)}}]
    reply = client.chat.completions.create(
        model="mock", messages=said, temperature=0, max_tokens=32
    )
    return reply.choices[0].message.content


with open("cases.csv", encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
cases = [
    LLMTestCase(
        name=row["id"],
        input=row["text"],
        actual_output=answer(row["text"]),
        expected_output=row["label"],
    )
    for row in rows
]
evaluate(
    cases,
    [ExactMatch()],
    async_config=AsyncConfig(run_async=False),
    display_config=DisplayConfig(show_indicator=False),
)
"""


def program(folders):
    """Path of its command, or None."""
    return where(PROGRAM, folders)


def version_of(program):
    """Version of the package."""
    code = "import importlib.metadata as m; print(m.version('deepeval'))"
    return version([program.parent / "python", "-c", code])


def commands(fault, folder, program, healthy):
    """One evaluation."""
    del healthy
    with Serving(fault.name) as served:
        code = _CODE.format(template=TEMPLATE, url=served.url)
        (folder / "evaluate_messages.py").write_text(code, encoding="utf-8")
        yield (
            "evaluate",
            run(
                [program.parent / "python", "evaluate_messages.py"],
                folder,
                shown="python evaluate_messages.py",
                score=r"Pass Rate: ([\d.]+)(%)",
                DEEPEVAL_TELEMETRY_OPT_OUT="YES",
                DEEPEVAL_DISABLE_DOTENV="1",
                HOME=str(folder),
            ),
        )
