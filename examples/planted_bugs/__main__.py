"""The planted-bug benchmark: faults behind a mock endpoint, and which tool says so.

``python -m examples.planted_bugs --out FOLDER`` (from the root of the checkout) asks scrutiny; with
``--tool`` others, too, where they are installed: ``--bin`` names folders with their commands.
"""

import argparse
import json
import sys
from pathlib import Path

from examples.planted_bugs import (
    with_deepeval,
    with_inspect,
    with_lm_eval,
    with_promptfoo,
    with_scrutiny,
)
from examples.planted_bugs.cases import exchanged, make_cases, thrice, write_cases
from examples.planted_bugs.faults import (
    FAULTS,
    NOT_RUN,
    NOTICES,
    SHOWS,
    SILENT,
    control,
    graded,
)

TOOLS = (with_scrutiny, with_lm_eval, with_inspect, with_promptfoo, with_deepeval)
_MADE = {"cases": lambda cases: cases, "thrice": thrice, "exchanged": exchanged}


def folder_of(out, tool, fault):
    """Folder in which a tool works on a fault; the control has one for each way of reading.

    Its name says nothing of the fault: tools print it.
    """
    number = [one.name for one in FAULTS].index(fault.name)
    return out / tool.NAME / f"case-{number}-{fault.reads}"


def run_tool(tool, program, faults, out, cases):
    """Rows of a tool: fault, command, state and why; faults are held against the controls."""
    rows, healthy = [], {}
    for fault in faults:
        folder = folder_of(out, tool, fault)
        folder.mkdir(parents=True, exist_ok=True)
        write_cases(folder / "cases.csv", _MADE[fault.cases](cases))
        base = healthy.get(fault.reads)
        found = {}
        at = None if base is None else base["folder"]
        for verb, printed in tool.commands(fault, folder, program, at):
            found[verb] = printed
            (folder / f"{verb.replace(' ', '-')}.txt").write_text(
                f"$ {printed.command}\n{printed.text}\nexit code {printed.code}\n", encoding="utf-8"
            )
            if base is None:
                state, why = control(printed, faulty_codes=tool.FAULTY_CODES.get(verb, ()))
            else:
                state, why = graded(fault, printed, base["found"][verb])
            rows.append(
                {
                    "tool": tool.NAME,
                    "fault": fault.name or "healthy",
                    "reads": fault.reads,
                    "command": verb,
                    "state": state,
                    "why": why,
                    "score": printed.score,
                    "code": printed.code,
                }
            )
            print(f"{tool.NAME:10} {fault.name or 'healthy':26} {verb:10} {state:12} {why}")
        if base is None:
            healthy[fault.reads] = {"folder": folder, "found": found}
    return rows


def best(states):
    """The most that any command of a tool says."""
    order = ("false alarm", NOTICES, SHOWS, SILENT, "quiet")
    return next(one for one in order if one in states)


def table(rows, tools, faults):
    """Markdown: a row for each fault, a column for each tool."""
    lines = [f"| fault | {' | '.join(tools)} |", f"| --- |{' --- |' * len(tools)}"]
    for name in dict.fromkeys(fault.name or "healthy" for fault in faults):
        cells = []
        for tool in tools:
            found = [r for r in rows if r["tool"] == tool and r["fault"] == name]
            if not found:
                cells.append(NOT_RUN)
                continue
            state = best({r["state"] for r in found})
            said = dict.fromkeys(r["command"] for r in found if r["state"] == state)
            which = f" ({', '.join(said)})" if state in (NOTICES, SHOWS) and len(found) > 1 else ""
            cells.append(state + which)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(words=None):
    """Run it; exit code 1 if scrutiny raised a false alarm."""
    parser = argparse.ArgumentParser(prog="python -m examples.planted_bugs", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/planted_bugs"))
    parser.add_argument("--tool", action="append", choices=[tool.NAME for tool in TOOLS])
    parser.add_argument("--bin", action="append", type=Path, default=[], metavar="FOLDER")
    parser.add_argument("--fault", action="append", choices=[f.name for f in FAULTS if f.name])
    given = parser.parse_args(words)
    healthy, *faults = (f for f in FAULTS if not (given.fault and f.name not in [*given.fault, ""]))
    controls = [healthy]
    if any(fault.reads == "logprobs" for fault in faults):
        controls.append(type(healthy)("", healthy.planted, reads="logprobs"))
    asked = [*controls, *faults]
    given.out.mkdir(parents=True, exist_ok=True)
    out, cases, rows, versions = given.out.absolute(), make_cases(), [], {}
    for tool in TOOLS:
        if tool.NAME not in (given.tool or ["scrutiny"]):
            continue
        program = tool.program(given.bin)
        if program is None:
            print(f"{tool.NAME}: not run: no command {tool.PROGRAM!r} (--bin FOLDER)")
            versions[tool.NAME] = NOT_RUN
            continue
        versions[tool.NAME] = tool.version_of(program)
        rows += run_tool(tool, program, asked, out, cases)
    heads = [f"{name} {number}" for name, number in versions.items()]
    shown = [{**r, "tool": f"{r['tool']} {versions[r['tool']]}"} for r in rows]
    text = table(shown, heads, asked)
    (out / "table.md").write_text(f"{text}\n", encoding="utf-8")
    (out / "rows.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(f"\n{text}")
    return int(any(r["state"] == "false alarm" and r["tool"] == "scrutiny" for r in rows))


if __name__ == "__main__":
    sys.exit(main())
