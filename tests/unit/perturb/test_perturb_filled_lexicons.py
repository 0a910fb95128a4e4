"""Lexicons that a masked language model fills: what it is asked, and what the file says then."""

import re
import tomllib

import pytest
from click.testing import CliRunner

from scrutiny.cli.verbs import texts
from scrutiny.core.errors import DataError, PlanError
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.resources import filled_lexicons
from scrutiny.perturb.resources.capabilities import Guess
from scrutiny.perturb.resources.filled_lexicons import filled_file

HEAD = 'suite = 1\ntask = "text-classification"\n[lexicons]\nthing = ["soup", "egg"]\n'
TABLE = """
# Praise.
[lexicons.good]
masked_lm = "hf:told"  # which one
frames = ["{A thing} was ___.", "So ___!"]
k = 3
seed = 3
"""
TEST = """
[[tests]]
test = "t"
expect = "is(label=good)"
n = 2
cases = [{text = "It was {good}."}]
"""


class Said:
    """Says words of its own, one less likely after the other, and keeps what it was asked."""

    def __init__(self, *words):
        self.words, self.asked = words, []

    def guess(self, queries, *, top, script="latin"):
        self.asked += [query.text for query in queries]
        return [tuple(Guess(w, 0.5**n) for n, w in enumerate(self.words)) for _ in queries]


def filled(text, *words):
    return filled_file(text, "t.toml", load=lambda name: Said(*words))


def test_words_stand_in_the_file_and_reading_asks_no_model(tmp_path):
    path = tmp_path / "t.toml"
    path.write_text(HEAD + TABLE + TEST)
    with pytest.raises(DataError, match=r"'good' is not filled yet: scrutiny data fill .*t\.toml"):
        load_dataset(path)
    model, loaded = Said("hot", "odd", 'a"b', "cold"), []
    text, found = filled_file(path.read_text(), "t.toml", load=lambda s: loaded.append(s) or model)
    assert loaded == ["hf:told"]
    assert set(model.asked) == {"A soup was ___.", "An egg was ___.", "So ___!"}  # slots filled
    assert found == {"good": ["hot", "odd", 'a"b']}  # the k likeliest
    before = (HEAD + TABLE + TEST).splitlines()
    assert [line for line in text.splitlines() if line not in before] == [
        "words = [",
        r'    "hot", "odd", "a\"b"',
        "]",
        'filled = "' + tomllib.loads(text)["lexicons"]["good"]["filled"] + '"',
    ]
    path.write_text(text)
    assert {e.text for e in load_dataset(path).examples} <= {f"It was {w}." for w in found["good"]}
    assert filled(text, "hot", "odd", 'a"b')[0] == text  # again, and nothing changes
    assert '"cool", "bad"' in filled(text, "cool", "bad")[0]
    path.write_text(text.replace("seed = 3", 'seed = 3\nwithout = ["odd"]'))
    assert {e.text for e in load_dataset(path).examples} == {"It was hot.", 'It was a"b.'}


@pytest.mark.parametrize(
    "change",
    [("k = 3", "k = 4"), ("seed = 3", "seed = 4"), ("So ___!", "So ___."), ('"hot"', '"warm"')],
)
def test_words_that_were_filled_for_something_else_are_refused(tmp_path, change):
    text, _ = filled(HEAD + TABLE + TEST, "hot", "odd")
    (tmp_path / "t.toml").write_text(text.replace(*change))
    with pytest.raises(DataError, match="'good' was filled for something else, or by hand"):
        load_dataset(tmp_path / "t.toml")


@pytest.mark.parametrize(
    ("change", "phrase"),
    [
        (("k = 3", "k = 0"), "has k = 0. One that a model fills has masked_lm"),
        (("seed = 3", "seed = -1"), "has seed = -1"),
        (("seed = 3", "n = 2"), "has n = 2"),
        (('frames = ["{A thing} was ___.", "So ___!"]', "frames = []"), "has frames = []"),
        (('"hf:told"', "3"), "has masked_lm = 3"),
        (("{A thing}", "{a thin}"), "there is no lexicon 'thin'; there are thing"),
        (("{A thing} was ___.", "No blank."), "'No blank.' has no blanks"),
        (("[lexicons.good]", "["), "t.toml is no TOML"),
        (("[lexicons.good]", "[other]"), "no lexicon that a model fills"),
        (("[lexicons.good]", "[lexicons]"), "t.toml is no TOML"),
    ],
)
def test_what_no_model_can_fill_is_refused(change, phrase):
    with pytest.raises((DataError, PlanError), match=re.escape(phrase)):
        filled((HEAD + TABLE + TEST).replace(*change), "hot")


def test_words_without_a_place_are_said():
    inline = '[lexicons]\ngood = {masked_lm = "hf:a", frames = ["___"]}\n'
    with pytest.raises(
        PlanError, match=r"(?s)'good' find no place.*\[lexicons.good\].* \"hot\" \]"
    ):
        filled(inline, "hot")
    with pytest.raises(DataError, match="finds no word likely in all frames of the lexicon 'good'"):
        filled(HEAD + TABLE + TEST)


def test_the_command_writes_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(filled_lexicons, "_load", lambda name: Said("hot", "odd"))
    path = tmp_path / "t.suite.toml"
    path.write_text(HEAD + TABLE + TEST)
    told = CliRunner().invoke(texts.data, ["fill", str(path)], standalone_mode=False)
    assert told.output.startswith("good (2)  hot, odd\nwritten into ")
    assert len(load_dataset(path)) == 2
    for arguments, said in (
        ([str(path), "--model", "x"], "--model is for frames: each lexicon of"),
        (["a ___"], "Frames need --model"),
    ):
        refused = CliRunner().invoke(texts.data, ["fill", *arguments], standalone_mode=False)
        assert isinstance(refused.exception, PlanError)
        assert said in str(refused.exception)
