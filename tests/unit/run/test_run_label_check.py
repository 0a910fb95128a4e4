"""Swapped and shifted labels are said, with the string that mends them; the match is printed."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from scrutiny import load, run
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.record import grouped
from scrutiny.data.dataset import load_dataset
from scrutiny.report.load import load_view
from scrutiny.report.page import render_html
from scrutiny.report.text import plain_text, render_markdown
from scrutiny.run.estimating import label_check
from scrutiny.run.planning.matched_labels import _are_words, said_pairs
from scrutiny.run.planning.plan_file import plan_of

MODELS = """
class Reader:
    labels = ("LABEL_0", "LABEL_1")
    right = 1.0

    def predict(self, texts):
        return [self.one(text) for text in texts]

    def one(self, text):
        number = int(text.split()[1])
        kind = int(text.split()[-1])
        if number % 10 >= 10 * self.right:
            kind = (kind + 1) % len(self.labels)
        return self.labels[self.turned(kind)]

    def turned(self, kind):
        return kind

class Good(Reader):
    pass

class Swapped(Reader):
    def turned(self, kind):
        return 1 - kind

class Some(Reader):
    def __init__(self, seed="0"):
        self.seed = int(seed)
    def turned(self, kind):
        return 1 - kind if self.seed == 2 else kind

class Weak(Reader):
    right = 0.5

class Upside(Reader):
    labels = ("POSITIVE", "NEGATIVE")
    def turned(self, kind):
        return 1 - kind

class Three(Reader):
    labels = ("0", "1", "2")

class Scored(Three):
    def predict_proba(self, texts):
        return [[float(self.one(text) == label) for label in "012"] for text in texts]

class Words(Reader):
    labels = ("negative", "positive")

class Odd(Words):
    def turned(self, kind):
        return 1 - kind
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "readers.py").write_text(MODELS)
    return tmp_path


def data_of(names: Sequence[str], n: int = 80) -> str:
    kinds = [i % len(names) for i in range(n)]
    random.Random(1).shuffle(kinds)
    rows = [f"text {i} of {kind},{names[kind]}" for i, kind in enumerate(kinds)]
    Path("data.csv").write_text("text,label\n" + "\n".join(rows) + "\n")
    return "csv:data.csv"


def asked(model: str, data: str) -> Path:
    found = run(
        "performance",
        model=f"python:./readers.py:{model}",
        data=data,
    )
    return found.path


def warnings_of(model: str, data: str) -> list[str]:
    return load(asked(model, data)).manifest["warnings"]


@pytest.mark.parametrize(
    ("model", "names", "mended"),
    [
        ("Swapped#labels=LABEL_0|LABEL_1", ("0", "1"), "labels=0:LABEL_1|1:LABEL_0"),
        ("Swapped", ("LABEL_0", "LABEL_1"), "labels=LABEL_0:LABEL_1|LABEL_1:LABEL_0"),
        ("Upside", ("0", "1"), "labels=0:NEGATIVE|1:POSITIVE"),
        ("Three", ("1", "2"), "labels=1:0|2:1"),
        ("Three", ("1", "2", "0"), "labels=0:2|1:0|2:1"),
    ],
)
def test_exchanged_labels_are_said_with_what_mends_them(
    here: Path, model: str, names: tuple[str, ...], mended: str
) -> None:
    data = data_of(names)
    (said,) = warnings_of(model, data)
    assert said.startswith("model on data: labels may be swapped or shifted: 0.000 of its answers")
    exchanged = "1.000 would be if they were exchanged. If so, give the data as"
    assert said.endswith(f"{exchanged} {data}#{mended}.")
    assert warnings_of(model, f"{data}#{mended}") == []


def test_a_map_in_the_data_string_is_mended_in_the_words_of_the_file(here: Path) -> None:
    data = data_of(("bad", "good"))
    mapped = f"{data}#label=label,labels=bad:LABEL_1|good:LABEL_0"
    (said,) = warnings_of("Good", mapped)
    mended = f"{data}#label=label,labels=bad:LABEL_0|good:LABEL_1"
    assert said.endswith(f"If so, give the data as {mended}.")


def test_a_path_within_the_working_folder_is_written_from_there(here: Path) -> None:
    data_of(("0", "1"))
    (said,) = warnings_of("Swapped", f"csv:{here / 'data.csv'}")
    assert said.endswith("give the data as csv:data.csv#labels=0:LABEL_1|1:LABEL_0.")


def test_a_map_of_the_plan_is_mended_there(here: Path) -> None:
    model = {"source": "python:./readers.py:Good", "labels": {"bad": "LABEL_1", "good": "LABEL_0"}}
    values = {
        "data": {"reviews": {"source": data_of(("bad", "good"))}},
        "models": {"m": model},
        "measure": [{"id": "level", "diagnostic": "performance"}],
    }
    (said,) = load(run(plan_of(values)).path).manifest["warnings"]
    assert said.startswith("m on reviews: labels may be swapped or shifted")
    assert 'write labels = { "bad" = "LABEL_0", "good" = "LABEL_1" } of the model' in said


def test_some_replicates_are_mended_by_themselves(here: Path) -> None:
    data = data_of(("0", "1"))
    model = {"source": "python:./readers.py:Some#seed={seed}", "seeds": [1, 2, 3]}
    values = {
        "data": {"reviews": {"source": data}},
        "models": {"m": model},
        "measure": [{"id": "level", "diagnostic": "performance"}],
    }
    (said,) = load(run(plan_of(values)).path).manifest["warnings"]
    assert said.startswith("m on reviews (seed 2): labels may be swapped or shifted: 0.000 of")
    source, mended = "python:./readers.py:Some#seed=2", f"{data}#labels=0:LABEL_1|1:LABEL_0"
    assert said.endswith(f"each by itself, such as {source}, and for it give the data as {mended}.")
    assert warnings_of(source.rpartition(":")[2], mended) == []


def test_data_without_a_string_are_mended_at_the_model(here: Path) -> None:
    data_of(("1", "2"))
    rows = [{"text": e.fields["text"], "label": e.gold} for e in load_dataset("data.csv").examples]

    def warned(model: str) -> list[str]:
        return list(run("performance", model=model, data=rows).manifest["warnings"])

    (said,) = warned("python:./readers.py:Scored")
    mended = "python:./readers.py:Scored#labels=1|2|0"
    assert said.endswith(f"If so, give the model as {mended}.")
    assert warned(mended) == []
    (said,) = warned("python:./readers.py:Three")  # says its labels itself: other names are no help
    assert said.endswith("Look at what each label means on both sides.")


@pytest.mark.parametrize("model", ["Good", "Weak"])
def test_right_and_weak_models_are_not_accused(here: Path, model: str) -> None:
    assert warnings_of(model, data_of(("0", "1"), 400)) == []


def test_a_whole_interval_below_chance_is_said(here: Path) -> None:
    text = MODELS.replace("right = 0.5", "right = 0.3").replace("% 10 >=", "% 10 >")
    Path("readers.py").write_text(text)  # 40 % are right: not far enough for an exchange
    (said,) = warnings_of("Weak", data_of(("0", "1"), 400))
    assert "labels may be swapped or shifted: the whole interval of the accuracy, 0.4" in said
    assert "If so, give the data as csv:data.csv#labels=0:LABEL_1|1:LABEL_0." in said


def test_the_match_stands_on_top_unless_names_show_it(here: Path) -> None:
    view = load_view(asked("Good", data_of(("0", "1"))))
    match = "0 is LABEL_0, 1 is LABEL_1 (by index, because the data has integers only)"
    terminal = " ".join(plain_text(view).split())
    assert terminal.index(f"Labels of data: {match}") < terminal.index("claim")
    assert f"<b>Labels</b> of data: {match}" in render_html(view)
    assert "Labels of data: 0 is LABEL" in render_markdown(view).replace("\\", "")
    same = load_view(asked("Words", data_of(("Negative", "positive"))))
    assert "Labels of" not in plain_text(same)
    assert "<b>Labels</b>" not in render_html(same)


def test_a_warning_of_words_is_printed_first_and_beside_json(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_of(("negative", "positive"))
    command = ["run", "performance", "--model", "python:./readers.py:Odd", "--data", data]
    assert exit_code_of(group, [*command, "--out", "out", "--display", "none"]) == 0
    out, _ = capsys.readouterr()
    said = "Warning: python:./readers.py:Odd on csv:data.csv: labels may be swapped or shifted"
    assert said in " ".join(out.split())
    assert exit_code_of(group, [*command, "--out", "out", "--display", "none", "--json"]) == 0
    out, err = capsys.readouterr()
    assert said in " ".join(err.split())
    assert "Warning" not in out
    for verb in (["gate", "out", "--rule", "accuracy < 0.1"], ["compare", "out", "out"]):
        assert exit_code_of(group, verb) == 0
        assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ({"positive": "POSITIVE", "negative": "NEGATIVE"}, True),
        ({"1 star": "1 star", "2 stars": "2 stars"}, True),
        ({"entailment": "entailment", "other": "neutral"}, False),
        ({"0": "0", "1": "1"}, False),
        ({"LABEL_0": "LABEL_0"}, False),
        ({"class 1": "class 1"}, False),
        ({"a": "a"}, False),
    ],
)
def test_real_words(pairs: dict[str, str], words: bool) -> None:
    assert _are_words(pairs) is words


def test_long_matches_are_cut() -> None:
    said = said_pairs({str(i): f"LABEL_{i}" for i in range(77)})
    assert said.startswith("0 is LABEL_0, 1 is LABEL_1")
    assert said.endswith("11 is LABEL_11, … (77 in all)")


def test_rows_of_each_replicate_and_condition_are_those_of_a_walk_through_them():
    rng = np.random.default_rng(1)
    replicates = [None if x == 0 else f'"{x}"' for x in rng.integers(0, 4, 200)]
    conditions = [f"c{x}" for x in rng.integers(0, 3, 200)]
    is_whole = rng.random(200) < 0.6
    keys = zip(replicates, conditions, strict=True)
    wanted = grouped((key, i) for i, key in enumerate(keys) if is_whole[i])
    plain = pa.table({"replicate": pa.array(replicates), "condition": conditions})
    coded = pa.table({name: plain[name].dictionary_encode() for name in plain.column_names})
    for table in (plain, coded):
        found = label_check._groups(table.filter(pa.array(is_whole)))
        whole = np.flatnonzero(is_whole)
        assert [(key, whole[rows].tolist()) for key, rows in found.items()] == [*wanted.items()]
    assert label_check._groups(plain.slice(0, 0)) == {}
