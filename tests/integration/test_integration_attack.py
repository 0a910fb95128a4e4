"""Attacks through whole runs: killed and resumed, over workers, replicates and the command line."""

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.diagnostics.attack.kept_texts import found_in
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.store.run_folder import RunFolder
from warm_command import WarmCommand

TABLES = ("items", "records", "outputs", "estimates")

#: A bag of words that writes down what it was asked, and stops in its tracks at a given call.
MODEL = """
import os, signal
from pathlib import Path

HERE = Path(__file__).parent
WEIGHTS = {"good": 2.0, "fine": 1.5, "film": 0.5, "bad": -2.0, "dull": -1.5, "movie": -0.5}

class Victim:
    is_batch_invariant = True
    labels = ("negative", "positive")

    def __init__(self, seed="1"):
        self.seed = int(seed)

    def fingerprint(self):
        return f"victim {self.seed}"

    def predict_proba(self, texts):
        with (HERE / "asked.txt").open("a") as log:
            log.write("".join(f"{self.seed} {text}\\n" for text in texts))
        with (HERE / "calls.txt").open("a") as log:
            log.write(f"{len(texts)}\\n")
        calls = len((HERE / "calls.txt").read_text().splitlines())
        stop = HERE / "stop.txt"
        if stop.exists() and calls == int(stop.read_text().split()[0]):
            if "kill" in stop.read_text():
                os.kill(os.getpid(), signal.SIGKILL)
            raise KeyboardInterrupt
        return [self._answer(text) for text in texts]

    def _answer(self, text):
        shift = 0.3 * (self.seed - 2)
        s = sum(WEIGHTS.get(w.strip(".,"), 0.0) for w in text.lower().split()) + shift
        p = 1 / (1 + 2.0 ** -s)
        return [1 - p, p]
"""

WORDS = ("story", "actor", "score", "script", "camera", "ending", "plot", "scene")
ROWS = [
    *(
        {"id": f"g{i}", "text": f"a good and fine film with a {w}.", "label": "positive"}
        for i, w in enumerate(WORDS)
    ),
    *(
        {"id": f"b{i}", "text": f"the {w} is bad, and the movie is dull.", "label": "negative"}
        for i, w in enumerate(WORDS)
    ),
    {"id": "w", "text": "a good and fine film, and a bad one", "label": "negative"},
]


def victim(folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / "victim.py"
    path.write_text(MODEL)
    return f"python:{path}:Victim"


def plan(source: str, **params: object) -> Plan:
    given = {"recipes": ["deepwordbug", "pwws"], "budget": 60, **params}
    return Plan(
        data=(DataPlan("x", "object:x"),),
        models=(ModelPlan("victim", source),),
        measure=(MeasurePlan("attack", "attack", ("victim",), ("x",), given),),
        resampling=Resampling(draws=200),
    )


def run(source: str, out: Path, cache: Path, **params: object) -> RunFolder:
    made = resolve(plan(source, **params), data={"x": ROWS})
    return run_plan(made, out, options=RunOptions(cache=cache))


def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.parquet").read_bytes() for name in TABLES}


def asked(folder: Path) -> list[str]:
    return (folder / "asked.txt").read_text().splitlines()


def calls(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "calls.txt").read_text().split()]


@pytest.mark.parametrize("at", [2, 7, 10])
def test_interrupted_inside_a_search_it_repeats_the_batch_in_flight_alone(
    tmp_path: Path, at: int
) -> None:
    whole = run(victim(tmp_path / "a"), tmp_path / "whole", tmp_path / "a.sqlite")
    source = victim(tmp_path / "b")
    (tmp_path / "b" / "stop.txt").write_text(str(at))
    with pytest.raises(KeyboardInterrupt):
        run(source, tmp_path / "cut", tmp_path / "b.sqlite")
    in_flight = calls(tmp_path / "b")[-1]
    lost = asked(tmp_path / "b")[-in_flight:]
    (tmp_path / "b" / "stop.txt").unlink()
    again = run(source, tmp_path / "cut", tmp_path / "b.sqlite")
    assert files(again.path) == files(whole.path)
    repeated = Counter(asked(tmp_path / "b")) - Counter(dict.fromkeys(asked(tmp_path / "b"), 1))
    assert set(repeated) <= set(lost)
    assert sum(repeated.values()) <= in_flight


SCRIPT = """
import sys
from pathlib import Path
sys.path[:0] = {folders!r}
from test_integration_attack import run
run({source!r}, Path({out!r}), Path({cache!r}))
"""


@pytest.mark.slow
def test_killed_inside_a_search_and_resumed_it_gives_the_same_file(tmp_path: Path) -> None:
    whole = run(victim(tmp_path / "a"), tmp_path / "whole", tmp_path / "a.sqlite")
    source = victim(tmp_path / "b")
    script = SCRIPT.format(
        folders=[str(folder) for folder in Path(__file__).parents[:2]],
        source=source,
        out=str(tmp_path / "cut"),
        cache=str(tmp_path / "b.sqlite"),
    )
    for at in (4, 9):
        (tmp_path / "b" / "stop.txt").write_text(f"{at} kill")
        done = subprocess.run([sys.executable, "-c", script], check=False)
        assert done.returncode == -signal.SIGKILL
    (tmp_path / "b" / "stop.txt").unlink()
    again = run(source, tmp_path / "cut", tmp_path / "b.sqlite")
    assert files(again.path) == files(whole.path)
    sent = Counter(asked(tmp_path / "b"))
    assert sum(sent.values()) - len(sent) <= 2 * max(calls(tmp_path / "b"))


def test_batches_and_windows_do_not_matter(tmp_path: Path) -> None:
    one = run(victim(tmp_path / "a"), tmp_path / "one", tmp_path / "a.sqlite")
    from scrutiny.run.asking import client as asking

    kept = asking.CHUNK
    try:
        asking.CHUNK = 3
        other = run(victim(tmp_path / "b"), tmp_path / "other", tmp_path / "b.sqlite")
    finally:
        asking.CHUNK = kept
    assert files(one.path) == files(other.path)
    assert max(calls(tmp_path / "b")) == 3
    # searches of all items are asked together
    assert max(calls(tmp_path / "a")) > 60


def test_replicates_are_divided_by_their_own_items_and_compared_on_all(tmp_path: Path) -> None:
    source = victim(tmp_path / "a")
    made = Plan(
        data=(DataPlan("x", "object:x"),),
        models=(ModelPlan("victim", f"{source}#seed={{seed}}", seeds=(1, 2, 3)),),
        measure=(
            MeasurePlan(
                "attack", "attack", ("victim",), ("x",), {"recipes": ["deepwordbug"], "budget": 60}
            ),
        ),
        resampling=Resampling(draws=200),
    )
    folder = run_plan(resolve(made, data={"x": ROWS}), tmp_path / "run")
    records = [r for r in folder.records().to_pylist() if r["role"] == "measured"]
    by_replicate: dict[str, list[str]] = {}
    for row in records:
        by_replicate.setdefault(row["replicate"], []).append(row["status"])
    attacked = {name: found.count("ok") for name, found in by_replicate.items()}
    (success,) = (
        e
        for e in folder.estimates()
        if e.key.metric == "attack_success@1"
        and e.key.role == "measured"
        and e.key.replicate is None
    )
    wins = Counter(
        row["replicate"] for row in records if row["status"] == "ok" and row["values"][2] == 1
    )
    expected = {name: wins[name] / attacked[name] for name in attacked}
    assert dict(success.by_replicate) == pytest.approx(expected)
    assert success.counts.n == len(ROWS)


@pytest.mark.slow
def test_from_the_command_line_with_ratings(tmp_path: Path, warm: WarmCommand) -> None:
    source = victim(tmp_path / "a")
    data = tmp_path / "rows.csv"
    lines = ["id,text,label", *(f'{r["id"]},"{r["text"]}",{r["label"]}' for r in ROWS)]
    data.write_text("\n".join(lines) + "\n")
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("before,after,valid\ngood,full,0\nfine,okay,1\nfilm,movie,1\n")
    toml = tmp_path / "plan.toml"
    toml.write_text(
        f"""
[data.x]
source = "csv:{data}#id=id,text=text,label=label"
[models.victim]
source = "{source}"
[[measure]]
id = "attack"
diagnostic = "attack@1"
params = {{ recipes = ["pwws"], budget = 80, ratings = "{ratings}" }}
[resampling]
draws = 200
"""
    )
    out = tmp_path / "run"
    done = warm.run("run", str(toml), "--out", str(out), "--display", "none")
    assert done.returncode == 0, done.stderr
    kept = [one for one in found_in(out) if one.role == "measured" and one.is_success]
    assert kept
    assert all(one.valid is None or 0 <= one.valid <= 1 for one in kept)
    shown = warm.run("report", str(out), "--format", "json")
    assert shown.returncode == 0, shown.stderr
    rows = [json.loads(line) for line in shown.stdout.splitlines()]
    metrics = {row.get("metric") for row in rows}
    assert {"attack_success@1", "valid_share@1", "valid_success(90)@1"} <= metrics
