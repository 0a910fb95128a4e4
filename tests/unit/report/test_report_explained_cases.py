"""Explained cases: models asked again, their words in Python, the terminal and the page."""

import json

import pytest

import scrutiny
from scrutiny.blocks.scored_texts import AGAINST, EXPLAINED, shaded
from scrutiny.core.errors import PlanError
from scrutiny.report.cases.explained import scored_text
from scrutiny.report.cases.explained_lines import explained_lines
from scrutiny.store.explained_answers import EXPLAINED_FILE, case_key, read_explained


class Careful:
    """Says "bad" of capitals, unless "fine" stands there; "good" otherwise."""

    classes_ = ("bad", "good")

    def predict_proba(self, texts):
        found = []
        for text in texts:
            words = text.split()
            is_bad = any(w.isupper() for w in words) and "fine" not in words
            found.append([0.75, 0.25] if is_bad else [0.25, 0.75])
        return found


def upper_film(text):
    return text.replace("film", "FILM")


DATA = [{"text": f"a {word} film , {end}", "label": "good"} for word, end in (
    ("long", "really"), ("new", "yes"), ("fine", "too"), ("short", "well"),
)]  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return scrutiny.run(
        "robustness",
        Careful(),
        DATA,
        transformations=[{"capitals": upper_film}],
        out=tmp_path_factory.mktemp("explained") / "run",
    )


def test_cases_say_which_words_their_answers_hang_on(finished):
    rows = finished.cases("capitals", explain=True).to_arrow().to_pylist()
    turned = [row for row in rows if row["flipped"]]
    assert len(turned) == 3
    for row in turned:
        assert (row["explained"], row["explained_by"]) == ("bad", "occlusion")
        scores = dict(zip(row["words"], row["scores"], strict=True))
        assert scores.pop("FILM") == 0.5
        assert set(scores.values()) == {0.0}
    (kept,) = (row for row in rows if not row["flipped"])
    assert kept["explained"] is None
    plain = finished.cases("capitals").to_arrow()
    assert "explained" not in plain.column_names


def test_as_many_are_explained_as_asked_and_none_twice(finished, monkeypatch):
    (finished.path / EXPLAINED_FILE).unlink(missing_ok=True)
    rows = finished.cases("capitals", explain=1).to_arrow().to_pylist()
    assert sum(row["explained"] is not None for row in rows) == 1
    assert len(read_explained(finished.path)) == 1
    monkeypatch.setattr(Careful, "predict_proba", lambda *_: pytest.fail("asked again"))
    assert finished.cases("capitals", explain=1).to_arrow().to_pylist() == rows
    for wrong in (0, "all"):
        with pytest.raises(PlanError, match="number of cases from 1 on"):
            finished.cases("capitals", explain=wrong)


def test_who_only_has_the_run_cannot_ask_an_object(finished):
    (finished.path / EXPLAINED_FILE).unlink(missing_ok=True)
    with pytest.raises(PlanError, match="handed over as an object"):
        scrutiny.load(finished.path).cases("capitals", explain=True)


def test_a_model_that_answers_otherwise_today_is_not_explained(finished, monkeypatch):
    (finished.path / EXPLAINED_FILE).unlink(missing_ok=True)
    monkeypatch.setattr(Careful, "predict_proba", lambda _, texts: [[0.25, 0.75]] * len(texts))
    rows = finished.cases("capitals", explain=True).to_arrow().to_pylist()
    assert {row["explained"] for row in rows} == {None}
    assert {one["why"] for one in read_explained(finished.path).values()} == {
        "the model answers otherwise today than in the run"
    }
    (finished.path / EXPLAINED_FILE).unlink()


class Strict(Careful):
    """Says "bad" of words that it does not know."""

    def predict_proba(self, texts):
        known = {word for row in DATA for word in row["text"].split()}
        return [[0.75, 0.25] if {*text.split()} - known else [0.25, 0.75] for text in texts]


def test_the_page_shows_what_was_explained_beside_its_case(tmp_path):
    run = scrutiny.run("robustness", Strict(), DATA, transformations=["typos"], out=tmp_path / "r")
    assert 'class="explained"' not in run.report(tmp_path / "page.html")
    (row, *_) = run.cases("typos", explain=True).to_arrow().to_pylist()
    page = run.report(tmp_path / "page.html")
    assert page.count('class="explained"') >= 3
    changed = max(zip(row["scores"], row["words"], strict=True))[1]
    assert f'<span class="shade-4">{changed}</span>' in page
    assert "why bad? (occlusion)" in page
    assert ".shade-against" in page


def test_the_terminal_marks_words_without_color(finished, capsys):
    from scrutiny.cli import group
    from scrutiny.cli.failures import exit_code_of

    finished.cases("capitals", explain=True)
    path = str(finished.path)
    assert exit_code_of(group, ["report", path, "--cases", "capitals", "--explain"]) == 0
    told = capsys.readouterr().out
    assert "a long [[FILM]], really" in told
    assert "FILM 0.5" in told
    assert "[[most]]" in told
    args = ["report", path, "--cases", "capitals", "--explain", "--json"]
    assert exit_code_of(group, args) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["explained"] == "bad"
    assert not any(name.startswith("_") for name in first)


def test_words_of_a_tag_are_outlined_and_long_texts_are_folded():
    text = shaded("why?", ["Ida"] * 40, [1.0, -1.0] * 20, [True] * 40, fixed=[0, 2])
    assert [w.shade for w in text.words[:3]] == [EXPLAINED, AGAINST, EXPLAINED]
    lines = [line.plain for line in explained_lines(text)]
    assert "<Ida>" in lines[1]
    assert "{Ida}" in lines[1]
    assert max(map(len, lines)) <= 80
    assert [w.css for w in text.words[:2]] == ["explained", "against"]


def test_an_answer_without_an_explanation_shows_none():
    assert scored_text({"why": "no item"}) is None
    assert case_key("m", "d", "1", ()) != case_key("m", "d", "2", ())
