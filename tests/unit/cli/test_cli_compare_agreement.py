"""Agreement beyond chance as compare prints it: lines, objects, the page, what it refuses."""

import json
import tarfile
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.diagnostics.similarity.side_by_side.side_by_side_charts import MEASURES

PACKED = Path(__file__).parents[2] / "fixtures" / "logs" / "lm_eval.tar.xz"
DOCS = Path(__file__).parents[3] / "docs" / "compare.md"
ONE, OTHER = "builtin:sentiment/seed-1", "builtin:sentiment/seed-2"
QUICK = ("--data", "builtin:reviews", "--limit", "80", "--draws", "300", "--display", "none")


@pytest.fixture
def command(capsys, tmp_path, monkeypatch):
    """Exit code, stdout and stderr of a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = exit_code_of(group, list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    with tarfile.open(PACKED) as archive:
        archive.extractall(folder, filter="data")
    return [str(folder / "scripted" / f"acme__{version}") for version in ("v1", "v2")]


def test_the_example_of_the_docs_is_what_is_printed(logs, command):
    _, out, _ = command("compare", *logs, "--margin", "0.02", "--top", "5")
    example = DOCS.read_text().split("```text\n")[1].split("```")[0].splitlines()
    printed = out.splitlines()
    cut = example.index("    …")
    assert printed[:cut] == example[:cut]
    assert example[cut + 1 :] == []


def test_objects_of_agreement(command):
    code, out, _ = command("compare", ONE, OTHER, *QUICK, "--json")
    assert code == 0
    rows = [json.loads(line) for line in out.splitlines()]
    found = {one["measure"]: one for one in rows if one.get("part") == "agreement"}
    assert list(found) == [name for name in MEASURES if name != "capa_of_labels@1"]
    kappa = found["kappa@1"]
    assert kappa["estimate"]["low"] < kappa["estimate"]["value"] < kappa["estimate"]["high"] < 1
    assert (kappa["floor"], kappa["floor_of"], kappa["reason"]) == (1.0, "exact", None)
    assert kappa["metric"] == "accuracy@1"
    assert found["jsd@1"]["floor"] == pytest.approx(0.0, abs=1e-9)
    assert found["capa@1"]["floor"] < 1
    noise = next(one["noise"] for one in rows if one.get("part") == "level")
    assert "agreement" not in noise


def test_the_same_model_twice_agrees_wholly_in_lines_and_on_the_page(command):
    _, out, _ = command("compare", ONE, ONE, *QUICK, "--html", "page.html")
    assert "kappa 1.000 [" in " ".join(out.split())
    assert "JSD, bits 0.000 [0.000, 0.0" in " ".join(out.split())
    page = Path("page.html").read_text()
    assert "How far both agree" in page
    assert "KL from the second, nats" in page
    assert "the first model asked again; its answers are exact" in page


def test_diagnostics_of_two_models_are_refused_without_an_option_that_is_not_there(command):
    for first, second in ((ONE, OTHER), ("runs/nowhere", OTHER)):
        asked = ("compare", first, second, *QUICK, "--measure", "similarity.outputs")
        code, _, err = command(*asked)
        said = " ".join(err.split())
        assert code == 2
        assert "measures a model beside a second one" in said
        assert "scrutiny run similarity.outputs --model B --reference A" in said
        assert "(--reference MODEL)" not in said
