"""promptfoo: an OpenAI provider, one `equals` for each case, and a pass rate of 90 %."""

import csv
import json

from examples.planted_bugs.cases import TEMPLATE
from examples.planted_bugs.endpoint import Serving
from examples.planted_bugs.running import run, version, where

NAME = "promptfoo"
PROGRAM = "promptfoo"
FAULTY_CODES = {"eval": (1, 100)}


def program(folders):
    """Path of its command, or None."""
    return where(PROGRAM, folders)


def version_of(program):
    """Version of the package."""
    return version([program, "--version"])


def commands(fault, folder, program, healthy):
    """One evaluation; it asserts a perplexity, too, where log-probabilities are the matter."""
    del healthy
    with (folder / "cases.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    more = []
    if fault.reads == "logprobs":
        more = [{"type": "perplexity", "threshold": 5}]
    tests = [
        {
            "description": row["id"],
            "vars": {"text": row["text"]},
            "assert": [{"type": "equals", "value": row["label"]}, *more],
        }
        for row in rows
    ]
    with Serving(fault.name) as served:
        config = {"apiBaseUrl": served.url, "apiKey": "none", "temperature": 0, "max_tokens": 32}
        if fault.reads == "logprobs":
            config["passthrough"] = {"logprobs": True, "top_logprobs": 20}
        made = {
            "prompts": [TEMPLATE.replace("{text}", "{{text}}")],
            "providers": [{"id": "openai:chat:mock", "config": config}],
            "tests": tests,
        }
        (folder / "promptfooconfig.json").write_text(json.dumps(made), encoding="utf-8")
        words = ["eval", "-c", "promptfooconfig.json", "-j", "1", "--no-progress-bar"]
        words += ["--output", "results.json"]
        yield (
            "eval",
            run(
                [program, *words],
                folder,
                shown=f"promptfoo {' '.join(words)}",
                score=r"passed \(([\d.]+)(%)\)",
                PROMPTFOO_CONFIG_DIR=str(folder / "home"),
                PROMPTFOO_DISABLE_TELEMETRY="1",
                PROMPTFOO_DISABLE_UPDATE="1",
                PROMPTFOO_DISABLE_REMOTE_GENERATION="1",
                PROMPTFOO_PASS_RATE_THRESHOLD="90",
            ),
        )
