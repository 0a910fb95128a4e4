"""Logs of other tools: real ones, unpacked, and lines like theirs."""

import json
import tarfile
from pathlib import Path

from scrutiny.core.plan import Resampling
from scrutiny.run.importing.import_logs import ImportOptions, import_logs

PACKED = Path(__file__).parents[2] / "fixtures" / "logs"
FEW = ImportOptions(resampling=Resampling(draws=300))


def unpacked(name, folder):
    """Folder of the logs that a tool made."""
    with tarfile.open(PACKED / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def line(doc_id=0, **more):
    """A line of samples, as lm-eval writes one with two choices."""
    doc = {"sentence": f"Sentence {doc_id} is here.", "kind": "odd" if doc_id % 2 else "even"}
    context = f"{doc['sentence']} It was"
    known = {
        "doc_id": doc_id,
        "doc": doc,
        "target": "1",
        "arguments": {
            "gen_args_0": {"arg_0": context, "arg_1": " bad"},
            "gen_args_1": {"arg_0": context, "arg_1": " good"},
        },
        "resps": [[["-2.0", "False"]], [["-0.5", "True"]]],
        "filtered_resps": [["-2.0", "False"], ["-0.5", "True"]],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": f"{doc_id:064x}",
        "prompt_hash": "c" * 64,
        "target_hash": "d" * 64,
        "acc": 1.0,
    }
    return {**known, **more}


def write_lines(path, lines):
    """File of samples; what is text already is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [one if isinstance(one, str) else json.dumps(one) for one in lines]
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return path


def imported(tool, patterns, out, **more):
    """Run folder of logs, with few draws."""
    options = more.pop("options", FEW)
    return import_logs(tool, [str(p) for p in patterns], out, options=options, **more)


def rows_of(folder, **wanted):
    """Records with these values in their columns."""
    rows = folder.records().to_pylist()
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]
