"""scrutiny: doctor, data show, audit; compare and watch with the healthy audit."""

import sys
from pathlib import Path

from examples.planted_bugs.cases import TEMPLATE
from examples.planted_bugs.endpoint import Serving
from examples.planted_bugs.running import ROOT, run, version

NAME = "scrutiny"
PROGRAM = "scrutiny"
FAULTY_CODES = dict.fromkeys(("doctor", "data show", "audit", "compare", "watch"), (1,))


def program(folders):
    """The command of this checkout."""
    del folders
    return Path(sys.executable)


def version_of(program):
    """Version of scrutiny."""
    return version([program, "-m", "scrutiny", "--version"])


def describe(url, folder, reads):
    """Write the description of the endpoint that a user would write."""
    message = TEMPLATE.replace("\n", "\\n")
    by = 'by = "logprobs"\n' if reads == "logprobs" else ""
    (folder / "endpoint.toml").write_text(
        f'url = "{url}"\napi = "chat"\nmodel = "mock"\nlabels = ["ham", "spam"]\n'
        f'template = "{message}"\nconcurrency = 1\n{by}',
        encoding="utf-8",
    )


#: What is asked of the cases as they are; the other diagnostics ask for changed texts.
ONLY = ("performance", "repeats", "classes", "calibration", "labels")


def commands(fault, folder, program, healthy):
    """Each verb by its name, with what it printed; ``healthy`` is the control's folder."""
    own = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "SCRUTINY_CACHE_DIR": str(folder / "cache")}
    scrutiny = [program, "-m", "scrutiny"]

    def typed(*words, **more):
        return run([*scrutiny, *words], folder, shown=f"scrutiny {' '.join(words)}", **own, **more)

    with Serving(fault.name) as served:
        describe(served.url, folder, fault.reads)
        yield "doctor", typed("doctor", "http:endpoint.toml")
    yield "data show", typed("data", "show", "csv:cases.csv")
    with Serving(fault.name) as served:
        describe(served.url, folder, fault.reads)
        words = ["--model", "http:endpoint.toml", "--data", "csv:cases.csv"]
        words += [*(word for name in ONLY for word in ("--only", name)), "--out", "audit"]
        yield "audit", typed("audit", *words, score=r"Accuracy ([\d.]+) (%)")
    first = str(Path("..") / healthy.name / "audit") if healthy else "again"
    if not healthy:
        with Serving(fault.name) as served:
            describe(served.url, folder, fault.reads)
            typed("audit", *words[:-1], first)
    second = r"accuracy\s+[\d.]+\s+%\s+→\s+([\d.]+)\s+(%)"
    yield "compare", typed("compare", first, "audit", "--margin", "0.02", score=second)
    with Serving(fault.name) as served:
        describe(served.url, folder, fault.reads)
        words = ["--baseline", first, "--history", "watch.jsonl"]
        yield "watch", typed("watch", "http:endpoint.toml", *words)
