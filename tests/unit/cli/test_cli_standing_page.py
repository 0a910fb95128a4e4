"""A command that is issued again makes its page only where the page does not stand."""

from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli import request as standing_page
from scrutiny.cli.failures import exit_code_of
from scrutiny.report import page as html

MODEL = """\
class Answering:
    def fingerprint(self):
        return "by length"

    def predict(self, texts):
        with open("asked.txt", "a") as file:
            file.writelines(text + "\\n" for text in texts)
        return ["good" if len(text) % 2 else "bad" for text in texts]
"""
PAGE = Path("out", "report.html")


@pytest.fixture
def issued(tmp_path, monkeypatch):
    """Issues the command; gives the number of pages that were made and texts that were asked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUTINY_CACHE", str(tmp_path / "cache"))
    Path("answering.py").write_text(MODEL)
    rows = [f"text number {i},{'good' if i % 3 else 'bad'}" for i in range(12)]
    Path("data.csv").write_text("text,label\n" + "\n".join(rows) + "\n")
    made, render = [], html.render_html

    def counted(view):
        made.append(1)
        return render(view)

    monkeypatch.setattr(html, "render_html", counted)

    def issue(*more):
        model = "python:./answering.py:Answering#labels=bad|good"
        command = ["run", "performance", "--model", model, "--data", "csv:data.csv"]
        running = ["--draws", "100", "--display", "none", "--out", "out", "--html", str(PAGE)]
        monkeypatch.setattr("sys.argv", ["scrutiny", *command, *running, *more])
        assert exit_code_of(group, [*command, *running, *more]) == 0
        return len(made), len(Path("asked.txt").read_text().splitlines())

    return issue


def test_a_page_that_stands_is_left_alone(issued, capsys):
    assert issued() == (1, 12)
    first = PAGE.read_bytes(), PAGE.stat().st_mtime_ns
    assert issued() == (1, 12)
    assert (PAGE.read_bytes(), PAGE.stat().st_mtime_ns) == first
    assert capsys.readouterr().out.count("page: out/report.html") == 2


@pytest.mark.parametrize("text", [None, "", "edited by hand"])
def test_a_page_that_is_missing_or_changed_is_written(issued, text):
    issued()
    first = PAGE.read_bytes()
    if text is None:
        PAGE.unlink()
    else:
        PAGE.write_text(text)
    assert issued() == (2, 12)
    assert PAGE.read_bytes() == first


def test_an_older_page_gives_way_to_what_the_run_says_now(issued):
    issued()
    older = PAGE.read_bytes()
    issued("--seed", "0", "--draws", "200")
    newer = PAGE.read_bytes()
    assert newer != older
    PAGE.write_bytes(older)
    made, _ = issued("--seed", "0", "--draws", "200")
    assert (made, PAGE.read_bytes()) == (3, newer)


def test_other_code_makes_another_page(issued, monkeypatch):
    issued()
    monkeypatch.setattr(standing_page, "_code", lambda: ["report/formats/page.py 1 2"])
    assert issued()[0] == 2
    assert issued()[0] == 2


def test_the_code_is_told_by_the_files_of_this_package(tmp_path, monkeypatch):
    assert (standing_page._PACKAGE / "cli" / "__init__.py").is_file()
    monkeypatch.setattr(standing_page, "_PACKAGE", tmp_path)
    (tmp_path / "page.py").write_text("one = 1\n")
    before = standing_page._code()
    (tmp_path / "page.py").write_text("one = 10\n")
    assert len(before) == 1
    assert standing_page._code() != before


def test_a_journal_that_cannot_say_anything_of_pages_costs_a_page(issued):
    issued()
    journal = standing_page.Journal(Path("out", "journal.sqlite"))
    journal.set_meta("page", "{")
    journal.close()
    assert issued()[0] == 2
