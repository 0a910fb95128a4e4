import os
import sys

import pytest

from scrutiny.cli.failures import say
from scrutiny.cli.streams import prints_on_stderr


def test_what_is_printed_inside_goes_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with prints_on_stderr():
        print("by Python")
        os.write(1, b"below it\n")
    print("ours")
    said = capfd.readouterr()
    assert said.out == "ours\n"
    assert sorted(said.err.splitlines()) == ["below it", "by Python"]


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
