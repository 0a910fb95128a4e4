"""Signatures: written from a run, found in any text, and checked against the run."""

import shutil
from dataclasses import replace

import pytest

import scrutiny
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.report.signatures import (
    Signer,
    check_against,
    is_rounding_of,
    signatures_in,
)
from scrutiny.store.run_folder import RunFolder

DATA = [{"text": "good", "label": "positive"}, {"text": "a bad end", "label": "negative"}] * 30
LINE = (
    "drop(accuracy){draw=0,transformation=typos} .028 [-.001, .057] n=640 seeds=5 scope=recipe "
    "id=5f1c02aa scrutiny=0.1.0 run=1a2b3c4d"
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with numbers of a family, and of single models."""
    out = tmp_path_factory.mktemp("signed") / "run"
    return scrutiny.audit("builtin:sentiment", DATA, only=["robustness"], out=out)


@pytest.fixture(scope="module")
def signer(run):
    return Signer(RunFolder.open(run.path))


@pytest.fixture
def command(capsys):
    def command(*arguments):
        code = exit_code_of(group, [str(one) for one in arguments])
        return code, *capsys.readouterr()

    return command


def test_a_line_is_read_back_as_it_was_written():
    (found,) = signatures_in(LINE)
    assert str(found) == LINE
    assert (found.value, found.low, found.high, found.n) == (".028", "-.001", ".057", "640")
    several = replace(found, level="0.9", limits="joint")
    assert signatures_in(f"| `{several}` | and {LINE.replace(' ', chr(10))}.") == [several, found]
    bare = replace(found, low="", high="")
    assert signatures_in(str(bare)) == [bare]


@pytest.mark.parametrize("text", ["", "accuracy .98", LINE[:-4], LINE.replace("n=640 ", "")])
def test_what_is_no_signature_is_said(text):
    with pytest.raises(PlanError, match=r"no signature in it|1 of 1 signatures cannot be read"):
        signatures_in(text)


@pytest.mark.parametrize(
    ("printed", "value", "is_one"),
    [
        (".983", 0.9825, True),
        (".983", 0.9835, True),  # a tie goes either way
        (".983", 0.98351, False),
        ("-.001", -0.0009, True),
        ("1.000", 0.99951, True),
        ("0", 0.4, True),
        (".000123", 0.0001234, True),
        ("1.5e-3", 0.00152, True),
        ("1.5e-3", 0.00156, False),
    ],
)
def test_what_is_printed_is_a_rounding_of_the_number(printed, value, is_one):
    assert is_rounding_of(printed, value) is is_one


def test_every_signed_number_of_a_run_is_as_in_the_run(signer, run):
    signed = signer.all_of()
    assert len(signed) == len({str(one) for one in signed}) > 20
    assert {one.limits for one in signed} == {"", "joint"}
    assert {one.seeds for one in signed} == {"5"}
    assert {one.scope for one in signed} >= {"recipe"}
    assert all(not one.differs and not one.is_other_run for one in map(signer.check, signed))
    assert signatures_in("\n".join(map(str, signed))) == signed
    drop = run.estimate("drop(accuracy)", transformation="typos")
    assert run.signature(drop).startswith("drop(accuracy){")
    decided = next(f for f in run.findings if f.claim.risk and f.estimate)
    assert " limits=joint " in run.signature(decided)


def test_a_changed_part_is_named_with_the_run_s_own(signer):
    own = signer.all_of("accuracy")[0]
    changed = replace(own, value=f"{float(own.value) - 0.1:.3f}", n="999")
    found = signer.check(changed)
    assert not found.is_other_run
    value, n = found.differs
    assert value.startswith(f"value {changed.value}, in the run {own.value} (-0.1")
    assert n == f"n 999, in the run {own.n}"
    assert signer.check(replace(own, id="00000000")).differs == ("the run has no such number",)
    assert signer.check(replace(own, low="", high="")).differs[0].startswith("low not there")


def test_a_signature_of_another_run_is_not_judged(signer):
    own = signer.all_of("accuracy")[0]
    other = replace(own, run="00000000", value=".1")
    found = check_against([own, other], [signer])
    assert [one.is_other_run for one in found] == [False, True]
    assert not found[1].differs


def test_without_a_value_there_is_nothing_to_sign(signer, run):
    with pytest.raises(UnknownNameError, match="acuracy"):
        signer.all_of("acuracy")
    with pytest.raises(PlanError, match="no number to sign"):
        signer.sign(replace(run.estimates[0], value=None, status="refused", reason="no skill"))


def test_the_command_signs_and_verifies(run, command, tmp_path):
    code, out, _ = command("report", run.path, "--sign", "accuracy")
    assert code == 0
    line = out.splitlines()[0]
    page = tmp_path / "README.md"
    page.write_text(f"We report `{line}`.\n", encoding="utf-8")
    for given in (line, page):
        code, out, _ = command("verify", given, run.path)
        assert (code, out[:13]) == (0, "AS IN THE RUN")
    wrong = line.replace(signatures_in(line)[0].value, ".123", 1)
    code, out, _ = command("verify", wrong, run.path)
    assert code == 1
    assert "value .123, in the run" in out
    code, out, _ = command("verify", wrong, run.path, "--json")
    assert (code, '"state": "differs"' in out) == (1, True)
    code, _, err = command("verify", "accuracy .9", run.path)
    assert (code, "no signature and no file" in err) == (2, True)
    code, _, err = command("verify", line, tmp_path / "nothing")
    assert (code, "There is no run" in err) == (3, True)
    code, out, _ = command("verify", line.replace("run=", "run=0")[:-1], run.path)
    assert (code, out[:9]) == (4, "OTHER RUN")
    code, _, err = command("report", run.path, "--sign", "accuracy", "--json")
    assert (code, "leave out" in err) == (2, True)


def test_a_run_that_was_changed_verifies_nothing(run, command, tmp_path):
    line = str(Signer(RunFolder.open(run.path)).all_of("accuracy")[0])
    copy = tmp_path / "copy"
    shutil.copytree(run.path, copy)
    file = copy / "estimates.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(bytes(content))
    code, _, err = command("verify", line, copy)
    assert code == 2
    assert "its content was changed after it was written" in " ".join(err.split())
