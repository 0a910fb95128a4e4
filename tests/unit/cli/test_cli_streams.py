import io
import os
import sys

import pytest

from scrutiny.cli.failures import say
from scrutiny.cli.output import prints_on_stderr
from scrutiny.store.guards import release


def test_what_is_printed_inside_goes_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with prints_on_stderr():
        print("by Python")
        os.write(1, b"below it\n")
    print("ours")
    said = capfd.readouterr()
    assert said.out == "ours\n"
    assert sorted(said.err.splitlines()) == ["below it", "by Python"]


def test_results_have_a_way_to_stdout_while_others_print(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(1, "w", closefd=False) as real:
        monkeypatch.setattr(sys, "stdout", real)
        with prints_on_stderr() as out:
            print("theirs")
            os.write(1, b"theirs from below\n")
            print("ours", file=out)
    assert capfd.readouterr().out == "ours\n"
    kept = io.StringIO()
    monkeypatch.setattr(sys, "stdout", kept)
    with prints_on_stderr() as out:
        assert out is kept


def test_a_copy_that_was_closed_is_no_error() -> None:
    kept = os.dup(1)
    before = set(numbers_open())
    with prints_on_stderr():
        for number in set(numbers_open()) - before:
            os.close(number)
        release(range(100))
    os.dup2(kept, 1)
    os.close(kept)


def numbers_open() -> list[int]:
    return [n for n in range(100) if is_open(n)]


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def test_closed_streams_are_open_again(capfd: pytest.CaptureFixture[str]) -> None:
    streams = sys.stdout, sys.stderr
    try:
        sys.stdout, sys.stderr = (open(n, "w", closefd=False) for n in (1, 2))
        with prints_on_stderr():
            sys.stdout.close()
            sys.stderr.close()
            os.close(1)
            os.close(2)
            say("nobody hears this, and it is no error")
        print("out", flush=True)
        print("err", file=sys.stderr, flush=True)
        sys.stderr.close()
    finally:
        sys.stdout.close()
        sys.stdout, sys.stderr = streams
    said = capfd.readouterr()
    assert (said.out, said.err) == ("out\n", "err\n")


def test_streams_that_were_taken_away_come_back(capfd: pytest.CaptureFixture[str]) -> None:
    with prints_on_stderr():
        sys.stdout = sys.stderr = None
        say("nobody hears this, and it is no error")
    print("out")
    assert capfd.readouterr().out == "out\n"


def test_a_paragraph_has_an_end(capfd: pytest.CaptureFixture[str]) -> None:
    say("x" * 10**6 + " api_key=sk-" + "1" * 10**5)
    said = capfd.readouterr().err
    assert len(said) < 7_000
    assert "111" not in said
