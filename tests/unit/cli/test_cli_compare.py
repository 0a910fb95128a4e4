"""The verbs compare and import, as they are typed."""

import csv
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.cli.stored_sides import kind_of

PACKED = Path(__file__).parents[2] / "fixtures" / "logs"

#: Two versions of one model: the second is wrong on most negated sentences.
MODELS = """
class Model:
    labels = ("negative", "positive")
    is_batch_invariant = {exact}

    def __init__(self, version="1", seed="0"):
        self.version, self.seed = version, int(seed)

    def fingerprint(self):
        return f"{{self.version}}-{{self.seed}}"

    def predict(self, texts):
        return [self.answer(text) for text in texts]

    def answer(self, text):
        words = text.rstrip(".").split()
        is_good = ("fresh" in words) != ("not" in words)
        number = sum(map(ord, text)) + 13 * self.seed + 5 * int(self.version)
        slips = number % 29 == 0
        fault = self.version == "2" and "not" in words and number % 4 != 0
        return self.labels[is_good != (slips or fault)]
"""


@pytest.fixture
def command(capsys):
    """Exit code, stdout and stderr of a command."""

    def run(*arguments):
        code = exit_code_of(group, list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Folder with two versions of a model and 800 sentences, of which 40 are negated."""
    monkeypatch.chdir(tmp_path)
    Path("models.py").write_text(MODELS.format(exact=True))
    Path("plain.py").write_text(MODELS.format(exact=False))
    with Path("dev.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "label"])
        for k in range(800):
            word = "fresh" if k % 2 else "stale"
            is_negated = k % 40 in (0, 21)  # of either label
            label = "positive" if (k % 2 == 1) != is_negated else "negative"
            text = f"The bread of day {'x' * (k % 9)}{k} was {'not ' if is_negated else ''}{word}."
            writer.writerow([f"i{k}", text, label])
    return tmp_path


DATA = ("--data", "csv:dev.csv#text=text,label=label,id=id", "--display", "none", "--draws", "300")


def models(name="models.py", **more):
    options = "".join(f",{k}={v}" for k, v in more.items())
    return tuple(f"python:{name}:Model#version={v}{options}" for v in (1, 2))


def test_two_models_the_first_line_names_what_changed(place, command):
    code, out, _ = command("compare", *models(), *DATA, "--margin", "0.01")
    lines = out.splitlines()
    assert lines[0].startswith("\N{BLACK CIRCLE} python:models.py:Model#version=2 is worse by ")
    assert lines[2].startswith("Worse on inputs with a negation by ")
    assert code == 1
    assert "FAIL  a loss of more than 1 point is shown." in lines
    assert "its adapter promises exact answers" in " ".join(out.split())
    assert all(len(line) <= 80 for line in lines)
    assert Path("runs", "compare-first-1", "manifest.json").is_file()


def test_the_inputs_listed_first_are_the_planted_ones(place, command):
    _, out, _ = command("compare", *models(), *DATA, "--top", "20", "--json")
    found = [json.loads(line) for line in out.splitlines()]
    listed = [one for one in found if one.get("part") == "disagreement"]
    assert len(listed) == 20
    assert sum(" not " in one["text"] for one in listed) >= 16
    assert found[0]["verdict"] in ("supported", "undecided")  # findings stand first
    assert found[-1] == {
        "part": "outcome",
        "outcome": None,
        "n_unmatched": {},
        "n_shared": {"csv:dev.csv": 800},
        "differences": [],
    }
    own = [one for one in found if one.get("part") == "slice" and one["goes_back_to"] == ""]
    (lead,) = own
    assert (lead["name"], lead["n"], lead["goes_back_to"]) == ("negation", 40, "")


def test_slices_that_are_asked_for_are_tested_beside_the_declared_ones(place, command):
    header, *rows = Path("dev.csv").read_text().splitlines()
    Path("train.csv").write_text("\n".join([header, *(r for r in rows if "fresh" in r)]))
    asked = ("--where", "length(text) > 6, negated", "--where", "has zebra")
    asked += ("--where", "in_training", "--training", "csv:train.csv#text=text,label=label,id=id")
    _, out, err = command("compare", *models(), *DATA, *asked, "--json")
    found = [json.loads(line) for line in out.splitlines()]
    tested = {one["name"]: one["n"] for one in found if one.get("part") == "slice"}
    assert tested["length(text) > 6 and negated"] == 40
    assert tested["in_training"] == 400
    (said,) = [line for line in err.split("\n\n") if "zebra" in line]
    assert said.count("fewer than 20 items") == 1
    _, out, _ = command("compare", *models(), *DATA, "--where", "length in lowest third")
    assert "length in lowest third" in out.partition("Where it changed")[2]


def test_the_same_model_twice_shows_nothing(place, command):
    same = models()[0]
    plain = ("--margin", "0.02", "--out", "kept", "--display", "plain")
    code, out, err = command("compare", same, same, *DATA, *plain)
    assert code == 0
    assert err.count("Asking models: 2 shards, at most 1,600 texts") == 1
    assert err.count("A kill costs") == 1
    assert out.startswith("\N{WHITE CIRCLE} No difference is shown: ")
    assert "on 800 items of csv:dev.csv" in " ".join(out.split())
    assert "PASS  a loss of 2 points or more is ruled out." in out
    assert "Kept in kept" in out
    assert ": 0.000 [" in out
    assert Path("kept", "second", "manifest.json").is_file()
    assert command("compare", "kept/first", "kept/second")[0] == 0


def test_a_model_that_promises_nothing_is_asked_again(place, command):
    _, out, err = command("compare", *models("plain.py"), *DATA)
    assert "asked again, about at most 200 items of each dataset" in " ".join(err.split())
    assert "0.0 % of items flip when the first is asked again (200 items" in " ".join(out.split())


def test_seeds_are_the_noise_floor(place, command):
    one = f"{models()[0]},seed={{seed}}"
    Path("plan.toml").write_text(
        "\n".join(
            [
                "[data.dev]",
                'source = "csv:dev.csv#text=text,label=label,id=id"',
                "[models.m]",
                f'source = "{one}"',
                "seeds = [1, 2, 3]",
                "[[measure]]",
                'id = "p"',
                'diagnostic = "performance@1"',
            ]
        )
    )
    Path("other.toml").write_text(Path("plan.toml").read_text().replace("version=1", "version=2"))
    for name in ("plan", "other"):
        assert (
            command("run", f"{name}.toml", "--out", name, "--display", "none", "--draws", "300")[0]
            == 0
        )
    _, out, _ = command("compare", "plan", "other", "--where", "has bread", "--all")
    flat = " ".join(out.split())
    assert "between two replicates of the first (3 pairs)" in flat
    assert "\nWorse on inputs with a negation by " in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_wrong_pairs_of_things(place, command):
    one, two = models()
    assert "are compared on data" in command("compare", one, two)[2]
    code, _, err = command("compare", one, "dev.csv", *DATA)
    assert code == 2
    assert "'dev.csv' is none: give two models" in " ".join(err.split())
    assert "There is no run folder" in command("compare", "nowhere", "dev.csv")[2]
    assert kind_of("csv") == "run"
    assert kind_of("hf:./v1") == "model"


# --- logs ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for name in ("lm_eval", "inspect"):
        with tarfile.open(PACKED / f"{name}.tar.xz") as archive:
            archive.extractall(folder / name, filter="data")
    return folder


def test_two_logs_are_imported_on_the_way(logs, command, tmp_path):
    given = [str(logs / "lm_eval" / "scripted" / f"acme__{v}") for v in ("v1", "v2")]
    code, out, _ = command("compare", *given, "--draws", "300", "--margin", "0.02")
    assert code == 1
    assert out.startswith("\N{BLACK CIRCLE} acme/v2 is worse by 7.3 points [")
    assert "\nWorse on inputs with a negation by 60.0 points (100 % → 40.0 %, 40 of 220)" in out
    assert "mid-p .0076 (36 flip)" in out
    back = command(
        "compare", *given[::-1], "--draws", "300", "--again", given[1], "--out", str(tmp_path)
    )
    assert back[0] == 0
    assert back[1].startswith("\N{CHECK MARK} acme/v1 is better by 7.3 points [")
    assert "Better on inputs with a negation by 60.0 points" in " ".join(back[1].split())
    assert "0.0 % of items flip between two runs of the first" in " ".join(back[1].split())
    assert (tmp_path / "again" / "manifest.json").is_file()


def test_undecided_has_an_exit_code_of_its_own(logs, command):
    given = [str(logs / "inspect" / f"{v}-eval") for v in ("v1", "v2")]
    code, out, _ = command("compare", *given, "--draws", "300", "--margin", "0.05")
    assert code == 4
    assert "UNDECIDED  a loss of 5 points is neither shown nor excluded." in out


def test_import_prints_every_score_and_what_was_left_out(logs, command, tmp_path):
    out = str(tmp_path / "run")
    given = str(logs / "lm_eval" / "scripted")
    code, said, err = command("import", "lm-eval", given, "-o", out, "--draws", "200")
    assert (code, err) == (0, "")
    assert "220/220  acc · acme/v1 · opinions" in said
    assert "exact_match strict · acme/v2 · sums" in said
    assert said.endswith(f"scrutiny report {out}\n")
    log = Path(given, "acme__v1").glob("samples_sums*")
    broken = tmp_path / "broken" / "samples_sums.jsonl"
    broken.parent.mkdir()
    broken.write_text(next(log).read_text() + "{\n")
    code, said, err = command("import", "lm-eval", str(broken), "-o", out, "--json")
    assert code == 0
    assert json.loads(said.splitlines()[0])["metric"] == "accuracy@1"
    assert "1 row cannot be read and was left out; the first is" in " ".join(err.split())
    assert "samples_sums.jsonl:49: no JSON" in " ".join(err.split())
    arguments = ("--on-bad-row", "fail")
    assert command("import", "lm-eval", str(broken), "-o", out, *arguments)[0] == 2


def test_import_of_inspect(logs, command, tmp_path):
    out = str(tmp_path / "run")
    code, said, err = command("import", "inspect", str(logs / "inspect" / "v1-json"), "-o", out)
    assert (code, err) == (0, "")
    assert "4/4  manners.letters · mockllm/model · stories" in said
    assert command("report", out)[0] == 0
    assert command("gate", out, "--rule", "accuracy > 0.05 where metric=match")[0] in (0, 4)


@pytest.mark.parametrize("place", ["lm_eval/scripted/acme__{}", "inspect/{}-eval"])
def test_a_comparison_of_logs_imports_nothing_that_asks_models(logs, place):
    given = [str(logs / place.format(v)) for v in ("v1", "v2")]
    asked = (
        "import sys\nfrom scrutiny.cli import group\n"
        f"words = ['compare', {given[0]!r}, {given[1]!r}, '--draws', '300', '--margin', '0.5']\n"
        "group(words, standalone_mode=False)\n"
        "heavy = {'torch', 'pandas', 'spacy', 'transformers', 'jinja2', 'scipy.stats'}\n"
        "heavy |= {'scipy.sparse'}\n"
        "own = {'scrutiny.cli.plans', 'scrutiny.run.driver', 'scrutiny.report.page'}\n"
        "own |= {'scrutiny.perturb.search', 'scrutiny.diagnostics.invariance'}\n"
        "print('imported', sorted((heavy | own) & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "imported []"


def test_what_shares_no_item_is_named_as_it_was_typed(command, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"id,score\n{name},1\n")
    code, _, err = command("compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert code == 2
    said = " ".join(err.split())
    assert f"{tmp_path}/a.csv and {tmp_path}/b.csv have no item in common" in said
