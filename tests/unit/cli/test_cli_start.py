"""``scrutiny --help`` is there at once: nothing heavy is imported until a verb needs it."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrutiny.cli import group, main
from scrutiny.cli.early_checks import must_lead
from scrutiny.cli.failures import exit_code_of
from scrutiny.cli.verbs import names as list_verb
from scrutiny.cli.verbs.names import listed_facts
from scrutiny.core.plugin_base import sentence_of
from scrutiny.core.registry import KINDS, Entry, Registration, registry
from scrutiny.core.transformation import effect_of
from scrutiny.registrations import REGISTRATIONS
from scrutiny.tasks.tasks import load_task
from warm_command import WarmCommand, warm_command

HEAVY = ("torch", "transformers", "scipy", "sklearn", "pyarrow", "numpy", "pydantic", "rich")
#: All verbs without anything heavy; what was forked from it says at its end what it imported.
LIGHT = f"""
import atexit, os, sys
import click, scrutiny.registrations, scrutiny.cli.early_checks
from scrutiny.cli import VERBS, group
for verb in VERBS: group.get_command(click.Context(group), verb)
own = os.getpid()
def heavy(): return sorted(set({HEAVY!r}) & set(sys.modules))
assert not heavy()
atexit.register(lambda: os.getpid() == own or print(heavy(), file=sys.stderr))
"""


@pytest.fixture(scope="module")
def light() -> Iterator[WarmCommand]:
    with warm_command(LIGHT) as command:
        yield command


def imported_by(light: WarmCommand, *arguments: str) -> list[str]:
    """Heavy modules that a command has imported when it is done."""
    done = light.run(*arguments)
    assert done.returncode == 0, done.stderr
    found: list[str] = eval(done.stderr.splitlines()[-1])
    return found


def in_python(statement: str) -> list[str]:
    """Heavy modules that a statement has imported."""
    script = f"{statement}\nimport sys\nprint(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    found: list[str] = eval(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("verb", [(), ("run",), ("audit",), ("report",), ("gate",), ("perturb",)])
def test_help_imports_nothing_heavy(light: WarmCommand, verb: tuple[str, ...]) -> None:
    assert imported_by(light, *verb, "--help") == []


def test_listing_imports_nothing_heavy(light: WarmCommand) -> None:
    assert imported_by(light, "list") == []


def test_listing_built_ins_loads_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, own = [], {line.name for line in REGISTRATIONS}
    monkeypatch.setattr(Entry, "load", lambda entry: loaded.append(entry.registration.name))
    for kind in KINDS:
        assert exit_code_of(group, ["list", f"{kind}s"]) == 0
    assert [name for name in loaded if name in own] == []


def test_what_a_plug_in_brings_is_asked_for_its_sentence() -> None:
    entry = Entry(Registration("reader", "own@1", "scrutiny.core.errors:PlanError"), "own-plug-in")
    assert list_verb.says(entry) == "A plan, a claim or a rule cannot be read."


def test_the_stored_sentences_are_those_of_the_objects() -> None:
    stored = json.loads(list_verb.SENTENCES.read_text(encoding="utf-8"))
    own = {kind: {} for kind in KINDS}
    for kind, name, *_ in REGISTRATIONS:
        own[kind][name] = sentence_of(registry().load(kind, name))
    assert stored == own, "run `make docs`"


def test_transformations_are_listed_with_their_facts(light: WarmCommand) -> None:
    done = light.run("list", "transformations", "--json")
    assert done.stderr.splitlines()[-1] == "[]"
    listed = {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert list(listed) == registry().names("transformation")
    tasks = map(load_task, registry().names("task"))
    scored = {task.name for task in tasks if task.scored_by and task.must_be_answered}
    for name, line in listed.items():
        made = registry().load("transformation", name)
        assert line["languages"] == sorted(made.languages)
        assert line["resources"] == list(made.resources)
        assert line["tasks"] == sorted(line["effects"])
        assert {"question-answering", "translation", "coreference"} < set(line["tasks"])
        assert set(line["tasks"]) == scored
        assert line["effects"] == {
            task: effect_of(made, load_task(task).facts) for task in line["tasks"]
        }
    assert listed["tense@1"]["effects"]["text-pair-classification"] == "may change"


def test_a_plug_in_transformation_is_asked_for_its_facts() -> None:
    target = "scrutiny.perturb.characters.typos:Typos"
    entry = Entry(Registration("transformation", "own@1", target), "own-plug-in")
    assert {"*-Latn", "*-Cyrl"} < set(listed_facts(entry)["languages"])


@pytest.mark.parametrize("verb", ["audit", "run"])
@pytest.mark.parametrize("model", ["builtin:sentimet", "minilmm", "python:./absent.py:m", "hff:x"])
def test_a_mistyped_model_is_answered_before_anything_heavy_is_imported(
    light: WarmCommand, verb: str, model: str
) -> None:
    what = [] if verb == "audit" else ["robustness"]
    done = light.run(verb, *what, "--model", model, "--data", "builtin:reviews")
    assert done.returncode == 2
    assert (
        "There is no" in done.stderr or "is not a model" in done.stderr or "no file" in done.stderr
    )
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "command",
    [
        ("run", "robustnes", "--model", "builtin:sentiment"),
        ("audit", "--model", "builtin:sentiment", "--only", "robustnes"),
    ],
)
def test_a_mistyped_diagnostic_is_answered_before_anything_heavy_is_imported(
    light: WarmCommand, command: tuple[str, ...]
) -> None:
    done = light.run(*command, "--data", "builtin:reviews")
    assert "Did you mean 'robustness@1'?" in " ".join(done.stderr.split())
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("verb", ["audit", "run"])
def test_a_mistyped_reference_is_answered_as_early(light: WarmCommand, verb: str) -> None:
    what = [] if verb == "audit" else ["invariance.scope"]
    known = ["--model", "builtin:sentiment", "--data", "builtin:reviews"]
    done = light.run(verb, *what, *known, "--reference", "builtin:sentimet")
    assert done.returncode == 2
    assert "There is no built-in model 'sentimet'" in done.stderr
    assert done.stderr.splitlines()[-1] == "[]"


PLAN = """
[data.r]
source = "builtin:reviews"
[models.m]
source = "builtin:{name}"
[[measure]]
id = "a"
diagnostic = "performance"
"""


@pytest.mark.parametrize("verb", ["audit", "run", "check"])
def test_a_mistyped_model_of_a_plan_needs_no_more_than_the_plan(
    light: WarmCommand, tmp_path: Path, verb: str
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(name="sentimet"))
    done = light.run(verb, str(plan))
    assert done.returncode == 2
    assert "There is no built-in model 'sentimet'" in done.stderr
    assert done.stderr.splitlines()[-1] == "['pydantic']"


@pytest.mark.parametrize(
    ("verb", "flags", "said"),
    [
        ("run", ["--model", "builtin:sentiment"], "--model would be passed over"),
        ("run", ["--with", "typos"], "--with would be passed over"),
        ("run", ["--reference", "m"], "--reference would be passed over"),
        ("audit", ["--data", "builtin:pairs"], "--data would be passed over"),
        ("audit", ["--only", "robustness"], "--only would be passed over"),
    ],
)
def test_flags_that_a_plan_would_pass_over_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str, flags: list[str], said: str
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(name="sentiment"))
    assert exit_code_of(group, [verb, str(plan), *flags]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_reference_may_name_a_model_that_is_asked_for_anyway() -> None:
    flags = {"models": ("builtin:sentiment#labels=a|b",), "data": (), "reference": ""}
    for name in ("builtin:sentiment", "builtin:sentiment#labels=a|b", "builtin:sentiment (2)"):
        must_lead({**flags, "reference": name}, None)


def test_a_folder_that_is_not_there_is_answered_without_torch(light: WarmCommand) -> None:
    done = light.run("audit", "--model", "hf:./absent", "--data", "builtin:reviews")
    assert done.returncode == 2
    assert "there is no such folder" in done.stderr
    assert done.stderr.splitlines()[-1] in {"[]", "['numpy']"}


@pytest.mark.parametrize("statement", ["import scrutiny", "import scrutiny; scrutiny.run"])
def test_the_package_is_there_at_once(statement: str) -> None:
    assert in_python(statement) == []


def test_what_runs_a_plan_imports_no_part_of_scipy_before_a_number_asks_for_it() -> None:
    modules = "scrutiny.run.driver, scrutiny.run.planning.audit, "
    modules += "scrutiny.report.load, scrutiny.report.page"
    script = f"import sys, {modules}; print([m for m in ('scipy.stats', 'scipy.special', "
    script += "'scipy.optimize', 'sklearn', 'torch') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_mistyped_model_of_the_python_api_is_answered_at_once() -> None:
    call = "scrutiny.run('robustness', model='builtin:sentimet', data='builtin:reviews')"
    statement = f"""
import scrutiny
try:
    {call}
except scrutiny.errors.ModelError as error:
    assert 'sentimet' in str(error)
else:
    raise SystemExit('nothing was refused')
"""
    assert in_python(statement) == []


def test_version_imports_nothing_heavy(light: WarmCommand) -> None:
    assert imported_by(light, "--version") == []


def test_help_takes_less_than_three_tenths_of_a_second() -> None:
    """CPU time, the best of three: the machine may be busy."""

    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "scrutiny", "--help"], capture_output=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.3


@pytest.mark.parametrize(("stated", "waits"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_sleep_while_they_wait_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, stated: str | None, waits: str
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", stated or "")  # what was there comes back
    if stated is None:
        monkeypatch.delenv("OMP_WAIT_POLICY")
    with pytest.raises(SystemExit):
        main(["--version"])
    assert os.environ["OMP_WAIT_POLICY"] == waits
