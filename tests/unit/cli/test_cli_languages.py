"""What the commands say about languages: of data, of changes, of an audit."""

import json

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.report.load import load_view
from scrutiny.report.page import render_html
from scrutiny.report.text import render_markdown

GERMAN = [f"Der Film ist nicht gut, aber Person {k} liebt diesen Film sehr." for k in range(24)]


@pytest.fixture
def command(capsys):
    """Exit code, stdout and stderr of a command; both in one line each."""

    def run(*arguments):
        code = exit_code_of(group, list(arguments))
        out, err = capsys.readouterr()
        return code, out, " ".join(err.split())

    return run


@pytest.fixture
def german(write):
    labels = ("negative", "positive")
    lines = [f'"{text}",{labels[k % 2]}' for k, text in enumerate(GERMAN)]
    return write("de.csv", "text,label\n" + "\n".join(lines) + "\n")


def test_data_show_names_the_language(german, command):
    code, out, _ = command("data", "show", german)
    assert code == 0
    assert "  languages     German (de): 24\n" in out
    assert "state it: #language=CODE, or a column." in " ".join(out.split())
    assert json.loads(command("data", "show", german, "--json")[1])["languages"] == {"de": 24}


def test_perturb_leaves_other_languages_alone_and_says_so(german, command):
    given = ("perturb", "--data", german, "--with", "reverse_negation,tautology,typos")
    code, out, err = command(*given)
    found = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    left = [one for one in found if one["recipe"] != "typos@1"]
    assert {(one["status"], one["reason"]) for one in left} == {("skipped", "language")}
    assert {one["text"] for one in left} == set(GERMAN)
    assert {one["status"] for one in found if one["recipe"] == "typos@1"} == {"ok"}
    alone = "knows English (en), and left the texts in other languages alone: German (de): 24."
    assert f"tautology@1 {alone}" in err
    assert f"reverse_negation@1 {alone}" in err
    assert "typos@1 knows" not in err
    assert "The texts are in German (de), as their script and words tell." in err


def test_perturb_obeys_what_is_stated(german, command):
    given = ("perturb", "--data", f"{german}#language=en", "--with", "tautology")
    assert "24 ok" in command(*given)[2]


def test_a_run_of_a_change_that_does_not_know_the_language_is_refused(german, command):
    given = ("--model", "builtin:sentiment/seed-1", "--data", german, "--with", "tense")
    code, _, err = command("run", "robustness", *given)
    assert code == 2
    assert "tense is for texts in English (en), and the language of 'de.csv' is German (de)" in err
    assert "#language=en" in err


def test_an_audit_says_the_language_and_what_it_leaves_out(german, command):
    given = ("--model", "builtin:sentiment/seed-1", "--data", german, "--out", "run")
    code, out, err = command("audit", *given, "--only", "robustness", "--only", "performance")
    said = " ".join(out.split())
    assert code == 0
    assert "de.csv: The texts are in German (de)" in err
    assert "seed-1 · de.csv, German (de)" in said
    assert "9 changes left out of de.csv, whose texts are in German (de), which they do not" in said
    view = load_view("run")
    assert view.datasets[0].languages == {"de": 24}
    assert "<td>German (de)</td>" in render_html(view)
    assert "9 changes left out of de.csv" in render_markdown(view)


def test_a_run_on_texts_of_no_language_goes_on_and_asks(write, command):
    rows = "".join(f"{k} :),{('negative', 'positive')[k % 2]}\n" for k in range(24))
    write("signs.csv", "text,label\n" + rows)
    given = ("--model", "builtin:sentiment/seed-1", "--data", "signs.csv", "--out", "run")
    code, _, err = command("run", "performance", *given)
    assert code == 0
    assert "signs.csv: The language of the texts could not be told. State it behind the" in err


def test_a_page_counts_the_items_that_a_change_does_not_apply_to(write, command):
    texts = [*GERMAN, *(f"The film is not good, but person {k} likes it." for k in range(24))]
    rows = "".join(f'"{text}",{("negative", "positive")[k % 2]}\n' for k, text in enumerate(texts))
    write("mixed.csv", "text,label\n" + rows)
    given = ("--model", "builtin:sentiment/seed-1", "--data", "mixed.csv", "--with", "tautology")
    code, out, _ = command("run", "robustness", *given, "--out", "run")
    assert code == 0
    assert "mixed.csv (48 items, German (de): 24, English (en): 24)" in " ".join(out.split())
    page = render_html(load_view("run"))
    assert '<td>not applicable: language</td><td class="num">24</td>' in page
    assert "<td>German (de): 24, English (en): 24</td>" in page
