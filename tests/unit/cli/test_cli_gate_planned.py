"""``scrutiny gate --plan``: how often so many items decide a rule, and what it refuses."""

import json

import numpy as np
import pytest
from scipy import stats

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.run.estimating.planned_rules import plan_rules
from scrutiny.store.run_folder import RunFolder


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A table of 400 right and wrong answers, of which 85 % are right, as a run."""
    folder = tmp_path_factory.mktemp("planned")
    rows = [f"q{k},{int(k % 20 >= 3)},{'ab'[k % 2]}" for k in range(400)]
    (folder / "v1.csv").write_text("\n".join(["id,correct,topic", *rows]) + "\n")
    assert (
        exit_code_of(group, ["import", "table", str(folder / "v1.csv"), "-o", f"{folder}/v1"]) == 0
    )
    return str(folder / "v1")


@pytest.fixture
def command(run, capsys):
    """Exit code, stdout and stderr on one line."""

    def call(*arguments):
        capsys.readouterr()
        code = exit_code_of(group, ["gate", run, "--plan", *arguments])
        out, err = capsys.readouterr()
        return code, out, " ".join(err.split())

    return call


def exact(n, limit, *, is_above):
    """Chance that exact limits of a share lie beyond a limit, if 85 % are right."""
    k = np.arange(n + 1)
    low = stats.beta.ppf(0.025, k, n - k + 1)
    high = stats.beta.ppf(0.975, k + 1, n - k)
    shown = np.nan_to_num(low) > limit if is_above else np.nan_to_num(high, nan=1.0) < limit
    return stats.binom.pmf(k, n, 0.85)[shown].sum()


@pytest.mark.parametrize("limit", [0.8, 0.88])
def test_chances_are_near_to_the_exact_ones(run, limit):
    (found,) = plan_rules(RunFolder.open(run), [f"accuracy > {limit}"])
    assert found.value == pytest.approx(0.85)
    assert [one.items for one in found.chances] == [200, 400, 800, 1600, 3200, 6400]
    for one in found.chances[:4]:
        assert one.passes == pytest.approx(exact(one.items, limit, is_above=True), abs=0.07)
        assert one.fails == pytest.approx(exact(one.items, limit, is_above=False), abs=0.07)
    (mirrored,) = plan_rules(RunFolder.open(run), [f"accuracy < {limit}"])
    assert [one.passes for one in mirrored.chances] == [one.fails for one in found.chances]


def test_the_first_sentence_names_how_many_items_decide(command):
    code, out, _ = command("--rule", "accuracy > 0.8", "--rule", "accuracy > 0.849")
    said = " ".join(out.split())
    assert code == 0
    assert "accuracy > 0.8: 800 items pass it in 95 % of the runs. If the true value is" in said
    assert "accuracy > 0.849: 6,400 items do not decide it in 80 of 100 runs either." in said
    assert "items passes fails undecided" in said
    assert all(len(line) <= 80 for line in out.splitlines())


def test_programs_read_the_chances(command):
    code, out, _ = command("--rule", "accuracy < 0.8", "--json")
    objects = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert {one["part"] for one in objects} == {"design"}
    assert all(
        one["passes"] + one["fails"] + one["undecided"] == pytest.approx(1.0) for one in objects
    )
    assert objects[-1]["fails"] > 0.99


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--risks",), "--plan judges nothing: leave out --risks"),
        (("--rule", "accuracy > 0.8", "--junit", "x.xml"), "leave out --junit"),
        ((), "Say at least one rule"),
        (("--rule", "accuracy >"), "accuracy >"),
    ],
)
def test_what_cannot_be_planned_is_said(command, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    code, _, err = command(*arguments)
    assert code == 2
    assert said in err
