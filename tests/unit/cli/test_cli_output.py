"""Stdout holds what was asked for, as NDJSON with ``--json``; all else goes to stderr."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from scrutiny.cli import VERBS, group, variable_of
from scrutiny.cli.failures import exit_code_of, say
from scrutiny.cli.output import narrowed, printed_line
from scrutiny.core.plugin_base import sentence_of
from scrutiny.core.registry import registry

Command = Callable[..., tuple[int, str, str]]
PLAN = """seed = 5
[data.reviews]
source = "builtin:reviews"
limit = 30
[models.sentiment]
source = "builtin:sentiment"
[[measure]]
id = "level"
diagnostic = "performance"
[resampling]
draws = 100
"""


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Exit code, stdout and stderr of a command."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = exit_code_of(group, list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


@pytest.fixture
def done(plan: Path, command: Command) -> Path:
    """Folder of a finished run."""
    assert command("run", str(plan), "--out", "done", "--display", "none")[0] == 0
    return plan.parent / "done"


def objects(text: str) -> list[dict[str, object]]:
    """One object of each line; anything else on stdout fails."""
    found = [json.loads(line) for line in text.splitlines()]
    assert found
    assert all(isinstance(one, dict) for one in found)
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("list", "diagnostics"),
        ("show", "typos"),
        ("show", "accuracy"),
        ("check", "plan.toml"),
        ("run", "plan.toml"),
        ("run", "performance", "--model", "builtin:sentiment/seed-1", "--data", "builtin:reviews"),
        ("audit", "plan.toml"),
        ("data", "show", "builtin:reviews"),
        ("data", "overlap", "builtin:reviews", "builtin:reviews", "--exact-only"),
        ("models", "list"),
        ("cache", "ls"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_json_alone_is_on_stdout(arguments: tuple[str, ...], plan: Path, command: Command) -> None:
    code, out, _ = command(*arguments, "--json")
    assert code == 0
    objects(out)


def test_json_of_a_finished_run(done: Path, command: Command) -> None:
    _, out, err = command("report", str(done), "--json")
    assert {"metric", "value", "low", "high", "planned"} <= set(objects(out)[0])
    assert err == ""
    code, out, _ = command("gate", str(done), "--rule", "accuracy > 0.1", "--json")
    assert (code, objects(out)[0]["verdict"]) == (0, "supported")
    code, out, _ = command("compare", str(done), str(done), "--json")
    assert (code, objects(out)[0]["verdict"]) == (0, "undecided")


def test_a_report_imports_nothing_that_asks_models_or_makes_frames(done: Path) -> None:
    asked = (
        "import sys\nfrom scrutiny.cli import group\n"
        f"group(['report', {str(done)!r}], standalone_mode=False)\n"
        "heavy = {'torch', 'pandas', 'spacy', 'transformers', 'jinja2', 'scipy.stats'}\n"
        "print('imported', sorted(heavy & set(sys.modules)))\n"
    )
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "imported []"


def test_perturb_writes_objects(plan: Path, command: Command) -> None:
    given = ("--data", "builtin:reviews", "--limit", "5", "--with", "typos,ocr")
    code, out, err = command("perturb", *given)
    assert code == 0
    assert len(objects(out)) == 10
    assert "10 variants" in err
    assert command("perturb", *given, "-o", "deep/out.jsonl")[1] == ""
    assert Path("deep/out.jsonl").read_text(encoding="utf-8") == out


def test_check_counts_queries(plan: Path, command: Command) -> None:
    _, out, _ = command("check", str(plan), "--json")
    assert objects(out)[0]["queries"] == 30 * 5
    _, out, _ = command("check", str(plan))
    assert "(at most 150)" in out


NARROW = [
    ("list",),
    ("doctor",),
    ("data", "show", "builtin:reviews"),
    ("data", "show", "builtin:entities"),
    ("data", "show", "builtin:agreement"),
    ("data", "overlap", "builtin:reviews", "builtin:pairs"),
    ("models", "list"),
    ("check", "plan.toml"),
    ("audit", "plan.toml"),
    ("report", "done"),
    ("gate", "done", "--rule", "accuracy > 0.1"),
    ("compare", "done", "done", "--all"),
]


@pytest.mark.parametrize("arguments", NARROW, ids=" ".join)
def test_terminal_output_fits_80_columns(
    arguments: tuple[str, ...], done: Path, command: Command
) -> None:
    code, out, err = command(*arguments)
    assert code == 0
    for line in (out + err).splitlines():
        assert len(line) <= 80 or is_one_word(line), line


def is_one_word(line: str) -> bool:
    """A path or a data string that must be copied whole."""
    return " " not in line.strip() or line.startswith(("  data string", "Page:"))


def test_explanations_fit_80_columns(command: Command) -> None:
    for kind, name in registry().entries:
        code, out, _ = command("show", name, "--kind", kind)
        assert code == 0
        wide = [line for line in out.splitlines() if len(line) > 80]
        assert wide == [], name


def test_show_says_what_matters(command: Command) -> None:
    _, out, _ = command("show", "robustness")
    assert "Misleads when" in out
    assert "draws = 1" in out
    _, out, _ = command("show", "typos", "--json")
    (shown,) = objects(out)
    assert (shown["name"], shown["from"]) == ("typos@1", "scrutiny")
    assert ">>>" in str(shown["doc"])
    _, out, _ = command("show", "median(asked)")
    assert "Recorded by: attack@1 (texts asked, median)" in out


def test_show_names_columns_and_diagnostics_of_a_task(command: Command) -> None:
    _, out, _ = command("show", "relation-classification")
    said = " ".join(out.split())
    assert "which are marked in it: <e1>Ida</e1> left <e2>Rome</e2>." in said
    assert "Columns: text (needed, found as sentence, " in said
    assert "; e1; e2; label (found as target, " in said
    assert "Score: accuracy@1" in said
    diagnostics = said.partition("Diagnostics: ")[2].split(", ")
    assert {"performance@1", "robustness@1", "classes@1"} <= set(diagnostics)
    assert "stereotypes.crows-pairs@1" not in diagnostics


@pytest.mark.parametrize("arguments", [("list", "tasks"), ("show", "repeats")])
def test_marks_of_code_are_not_printed(command: Command, arguments: tuple[str, ...]) -> None:
    _, out, _ = command(*arguments)
    assert "``" not in out
    assert "**" not in out


def test_listed_sentences_are_not_cut(command: Command) -> None:
    _, out, _ = command("list", "diagnostics")
    said = " ".join(out.split())
    for name in registry().names("diagnostic"):
        sentence = sentence_of(registry().load("diagnostic", name)).replace("``", "")
        assert f"{name} {sentence}" in said


def test_groups_of_single_items_are_not_spelled_out(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "pairs.csv"
    rows = [f"A doctor is {n} years old.,A nurse is {n} years old.,{n}" for n in range(3)]
    path.write_text("\n".join(["worse,better,name", *rows]))
    columns = "#task=sentence-pairs,more=worse,less=better"
    _, out, _ = command("data", "show", f"csv:{path}{columns},group=name")
    assert "name: 3" in out
    assert "by name" not in out
    path.write_text("\n".join(["worse,better,name", *rows, rows[0].replace("old", "young")]))
    _, out, _ = command("data", "show", f"csv:{path}{columns},group=name")
    assert "by name       0: 2, 1: 1, 2: 1" in out
    assert "0: more: A doctor is 0 years old." not in out  # identifiers are hashes here
    assert "more: A doctor is 0 years old." in " ".join(out.split())


def test_every_flag_is_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    context = click.Context(group)
    for verb in VERBS:
        todo = [(verb, group.get_command(context, verb))]
        for name, found in todo:
            assert found is not None
            if isinstance(found, click.Group):
                inner = found.list_commands(context)
                todo += [(f"{name} {one}", found.get_command(context, one)) for one in inner]
            flags = [p for p in found.params if isinstance(p, click.Option) and not p.is_eager]
            assert [f.envvar for f in flags] == [variable_of(name, f) for f in flags]
            assert len({f.envvar for f in flags}) == len(flags)


def test_flag_from_the_environment(
    plan: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUTINY_RUN_SEED", "7")
    monkeypatch.setenv("SCRUTINY_RUN_OUT", "from-environment")
    monkeypatch.setenv("SCRUTINY_RUN_DISPLAY", "none")
    monkeypatch.setenv("SCRUTINY_RUN_JSON", "1")
    code, out, err = command("run", "plan.toml")
    assert (code, err) == (0, "")
    objects(out)
    manifest = json.loads(Path("from-environment/manifest.json").read_text(encoding="utf-8"))
    assert manifest["plan"]["seed"] == 7


def test_seed_of_the_plan_holds_unless_a_flag_says_otherwise(plan: Path, command: Command) -> None:
    for seed, flags in ((5, ()), (0, ("--seed", "0"))):
        assert command("run", "plan.toml", "--out", f"seed-{seed}", *flags)[0] == 0
        manifest = json.loads(Path(f"seed-{seed}/manifest.json").read_text(encoding="utf-8"))
        assert manifest["plan"]["seed"] == seed


def test_model_from_the_environment_by_the_name_of_its_flag(
    plan: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUTINY_RUN_MODEL", "builtin:sentiment/seed-2")
    code, out, _ = command(
        "run", "performance", "--data", "builtin:reviews", "--limit", "20", "--draws", "100"
    )
    assert code == 0
    assert "builtin:sentiment/seed-2" in out


def test_messages_are_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    say("word " * 40)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 80


def test_narrowed_keeps_what_is_narrow() -> None:
    text = "Head\n----\nshort\nlines\n\n    " + "wide " * 30 + "\n\n>>> " + "code " * 30
    narrow = narrowed(text).splitlines()
    assert narrow[:5] == ["Head", "----", "short", "lines", ""]
    assert narrow[-1] == ">>> " + "code " * 30
    inside = [line for line in narrow if "wide" in line]
    assert len(inside) == 2
    assert all(line.startswith("    wide") and len(line) <= 80 for line in inside)


def test_fitted_marks_what_it_cuts() -> None:
    assert printed_line("a" * 80) == "a" * 80
    assert printed_line("a" * 81) == "a" * 79 + "…"


def test_lone_surrogates_do_not_stop_a_stream(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text('{"text": "a fine film \\ud800 really", "label": "positive"}\n' * 3)
    code, _, err = command("perturb", "--data", f"jsonl:{path}", "--with", "ocr")
    assert code in (0, 2), err


def test_no_arguments_print_the_help(command: Command) -> None:
    code, out, err = command()
    assert code == 2
    assert "Verbs:" in out + err


def test_cache_is_listed_and_cleared(plan: Path, command: Command) -> None:
    assert "empty" in command("cache", "ls")[1]
    assert command("run", "plan.toml")[0] == 0
    assert "150 answers" in command("cache", "ls")[1]
    assert "150 answers forgotten" in command("cache", "clear", "--yes")[1]
    assert "empty" in command("cache", "ls")[1]
    assert os.environ["SCRUTINY_CACHE_DIR"] in command("cache", "ls")[1]


def test_nothing_steers_a_terminal(command: Command, tmp_path: Path) -> None:
    """Labels and texts of the data may hold escape sequences, and a terminal would obey them."""
    evil = "\x1b[31mred\x1b]0title\x07 \x9b5m \u202eturned"
    rows = [{"id": f"{evil}{i}", "text": f"{evil} {i}", "label": f"{evil}{i}"} for i in "01"]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    shown = command("data", "show", f"jsonl:{path}")
    twice = command("data", "overlap", f"jsonl:{path}", f"jsonl:{path}")
    model = ("--model", "builtin:sentiment", "--out", str(tmp_path / "out"))
    refused = command("run", "performance", *model, "--data", f"jsonl:{path}")
    assert (shown[0], twice[0], refused[0]) == (0, 0, 2)
    for said in (*shown[1:], *twice[1:], *refused[1:]):
        assert not set(said) & set("\x1b\x07\x9b\u202e")
    assert r"\x1b[31mred" in shown[1]
    assert r"\x1b[31mred" in twice[1]


def test_a_metric_that_is_written_is_shown(command: Command) -> None:
    code, out = command("show", "excess(accuracy)")[:2]
    assert code == 0
    assert out.startswith("excess(accuracy)@1  (statistic)\n\naccuracy drop beyond random change")
    assert "Needs: before.hit, after.hit, control.hit" in out
    assert command("show", "recall - precision")[1].startswith("recall@1 - precision@1  (stat")
    shown = json.loads(command("show", "success_within(7)", "--json")[1])
    assert (shown["kind"], shown["name"]) == ("statistic", "success_within(7)@1")


def test_nothing_is_forgotten_where_nobody_can_be_asked(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    code, _, err = command("cache", "clear")
    assert code == 2
    assert "standard input is no terminal: add --yes" in " ".join(err.split())
