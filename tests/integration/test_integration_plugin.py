"""A package of its own adds to every table of scrutiny, and nothing in scrutiny knows of it."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "plugin_package"
AUDIT = (
    "audit --model toy:keyword --data builtin:reviews --limit 30 --display none "
    "--only performance --only certainty --only robustness --out audit"
)
FORMATS = ("md", "latex", "csv", "json")
PERTURB = "perturb --data builtin:reviews --limit 5 --with drop_vowel(share=0.5)+typos"
GATE = "gate audit --rule median_margin<0.9"
RUN = "run certainty --model toy:keyword --data builtin:reviews --limit 60 --display none --out"
COMMANDS = (
    *("list --json", "list diagnostics", "show certainty", AUDIT, GATE, PERTURB),
    *(f"report audit --format {form}" for form in FORMATS),
    *(f"{RUN} one", f"{RUN} two --workers 2"),
)
#: Runs the commands of its input, a line each, and prints a line of this end after each.
END = "\n----- end -----\n"
SESSION = f"""
import sys
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
for line in sys.stdin.read().splitlines():
    if code := exit_code_of(group, line.split()):
        sys.exit(f"{{line}}: {{code}}")
    print({END!r}, end="", flush=True)
"""


def metadata(folder: Path, *, name: str, points: dict[str, str]) -> None:
    """What an installer writes: the entry points of a distribution."""
    info = folder / f"{name.replace('-', '_')}-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
    lines = [f"{point} = {value}" for point, value in points.items()]
    (info / "entry_points.txt").write_text("[scrutiny]\n" + "\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder that, on the path, is as good as an installed plug-in."""
    folder = tmp_path_factory.mktemp("site")
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    shutil.copytree(PACKAGE / "src", folder, dirs_exist_ok=True)
    metadata(folder, name=project["name"], points=project["entry-points"]["scrutiny"])
    return folder


def python(
    arguments: list[str], *, site: Path | None, cwd: Path, said: str = ""
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SCRUTINY_CACHE_DIR": str(cwd / "cache")}
    if site is not None:
        found = [str(site), os.environ.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, found))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment,
        input=said,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@dataclass(frozen=True)
class Session:
    """Working folder of a process with the plug-in, and what each command printed in it."""

    folder: Path
    printed: dict[str, str]


@pytest.fixture(scope="module")
def session(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("session")
    done = python(["-c", SESSION], site=installed, cwd=folder, said="\n".join(COMMANDS))
    assert done.returncode == 0, done.stdout + done.stderr
    printed = done.stdout.removesuffix(END).split(END)
    return Session(folder, dict(zip(COMMANDS, printed, strict=True)))


@pytest.fixture(scope="module")
def audited(session: Session) -> Path:
    """Folder of an audit with the plug-in."""
    return session.folder / "audit"


def test_names_are_listed_and_explained(session: Session) -> None:
    listed = session.printed["list --json"].splitlines()
    ours = {(o["kind"], o["name"]) for o in map(json.loads, listed) if o["from"] == "toy"}
    assert ours == {
        ("diagnostic", "certainty@1"),
        ("statistic", "median_margin@1"),
        ("transformation", "drop_vowel@1"),
        ("adapter", "toy@1"),
    }
    assert "[toy] Median margin" in session.printed["list diagnostics"]
    shown = session.printed["show certainty"]
    assert "from toy" in shown
    assert "limit = 0.05" in shown


def test_audit_plans_what_the_plug_in_brings(audited: Path) -> None:
    manifest = json.loads((audited / "manifest.json").read_text())
    measured = {m["diagnostic"]: m for m in manifest["plan"]["measure"]}
    assert set(measured) == {"performance@1", "certainty@1", "robustness@1"}
    assert len(manifest["models"]["toy:keyword"]["replicates"]) == 3
    metrics = {spec["metric"] for spec in manifest["specs"]}
    assert "median_margin@1" in metrics
    recipes = {str(spec["condition"].get("transformation")) for spec in manifest["specs"]}
    assert "drop_vowel@1" in recipes


def test_table_has_rows_of_the_plug_in(session: Session) -> None:
    table = " ".join(session.printed[AUDIT].split())
    assert "certainty · toy:keyword on builtin:reviews" in table
    assert "the median margin exceeds 0.05" in table
    assert "drop_vowel" in table
    assert "30/30" in table


def test_records_hold_the_new_measure(audited: Path) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(audited / "records.parquet")
    footer = json.loads(table.schema.metadata[b"scrutiny"])
    (kind,) = [name for name in footer if name.startswith("certainty@1#")]
    (measures,) = footer[kind]["builtin:reviews"].values()  # of the one family
    assert [m["name"] for m in measures] == ["margin"]
    rows = [row for row in table.to_pylist() if row["kind"] == kind]
    assert len(rows) == 30 * 3
    assert all(row["status"] == "ok" and len(row["values"]) == 1 for row in rows)


def test_estimate_is_the_median_of_the_records(audited: Path) -> None:
    import numpy as np
    import pyarrow.parquet as pq

    rows = pq.read_table(audited / "records.parquet").to_pylist()
    margins: dict[str, list[float]] = {}
    for row in rows:
        if row["kind"].startswith("certainty@1#"):
            margins.setdefault(row["replicate"], []).append(row["values"][0])
    found = pq.read_table(audited / "estimates.parquet").to_pylist()
    (estimate,) = [e for e in found if e["metric"] == "median_margin@1" and e["replicate"] is None]
    medians = [np.quantile(values, 0.5, method="inverted_cdf") for values in margins.values()]
    assert estimate["value"] == pytest.approx(float(np.mean(medians)))
    assert estimate["low"] <= estimate["value"] <= estimate["high"]
    assert (estimate["n"], estimate["planned"]) == (30, 30)


def test_every_format_of_the_report_has_the_rows(session: Session) -> None:
    page = (session.folder / "audit" / "report.html").read_text(encoding="utf-8")
    for words in ("the median margin exceeds 0.05", "drop_vowel", "likeliest answers"):
        assert words in page
    for form in FORMATS:
        assert "certainty" in session.printed[f"report audit --format {form}"]


def test_rules_know_the_new_statistic(session: Session) -> None:
    assert session.printed[GATE].startswith("PASS")


def test_transformation_composes_with_built_in_ones(session: Session) -> None:
    lines = [json.loads(line) for line in session.printed[PERTURB].splitlines()]
    assert {line["status"] for line in lines} == {"ok"}
    assert all(line["recipe"].startswith("drop_vowel@1(share=0.5)+typos") for line in lines)


def test_workers_know_the_plug_in(session: Session) -> None:
    for name in ("records", "estimates"):
        ours, theirs = (session.folder / run / f"{name}.parquet" for run in ("one", "two"))
        assert ours.read_bytes() == theirs.read_bytes(), name


def test_plug_in_passes_the_conformance_checks(installed: Path, tmp_path: Path) -> None:
    shutil.copytree(PACKAGE / "tests", tmp_path / "tests")
    checks = str(tmp_path / "tests" / "check_scrutiny_toy.py")
    arguments = ["-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", checks]
    done = python(arguments, site=installed, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout


def test_without_the_package_nothing_is_known(tmp_path: Path) -> None:
    done = python(["-m", "scrutiny", "show", "certainty"], site=None, cwd=tmp_path)
    assert done.returncode == 2


BROKEN = {
    "gone": ("scrutiny_gone:REGISTRATIONS", "No module named 'scrutiny_gone'"),
    "odd": ("scrutiny_odd:NOTHING", "NOTHING"),
    "unversioned": ("scrutiny_odd:UNVERSIONED", "names are versioned"),
    "unknown": ("scrutiny_odd:UNKNOWN", "kinds are"),
    "taken": ("scrutiny_odd:TAKEN", "has already"),
}


def test_broken_plug_ins_are_left_out_and_named(tmp_path: Path) -> None:
    """Each by itself, with its own reason: none hides another."""
    for name, (value, _) in BROKEN.items():
        metadata(tmp_path / "site", name=f"scrutiny-{name}", points={name: value})
    lines = [
        'UNVERSIONED = (("task", "mine", "scrutiny_odd:x"),)',
        'UNKNOWN = (("tsak", "mine@1", "scrutiny_odd:x"),)',
        'TAKEN = (("transformation", "typos@1", "scrutiny_odd:x"),)',
    ]
    (tmp_path / "site" / "scrutiny_odd.py").write_text("\n".join(lines) + "\n")
    done = python(["-m", "scrutiny", "list", "tasks"], site=tmp_path / "site", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "text-classification@1" in done.stdout
    said = " ".join(done.stderr.split()).split("The plug-in ")[1:]
    reasons = {one.split("'")[1]: one for one in said}
    assert set(reasons) == set(BROKEN)
    for name, (_, says) in BROKEN.items():
        assert "was left out" in reasons[name]
        assert says in reasons[name]
