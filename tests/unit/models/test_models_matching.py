from hypothesis import given
from hypothesis import strategies as st

from scrutiny.models.strings.model_families import (
    describe_place,
    match_names,
    match_paths,
    natural_key,
)


def test_natural_order_of_numbers():
    names = ["seed-10", "seed-9", "seed-1", "best", "seed-010"]
    assert sorted(names, key=natural_key)[:3] == ["best", "seed-1", "seed-9"]


@given(st.lists(st.text()))
def test_natural_key_orders_any_strings(names):
    assert sorted(sorted(names, key=natural_key), key=natural_key) == sorted(names, key=natural_key)


def test_numbers_are_compared_as_numbers():
    assert natural_key("x2") < natural_key("x10")
    assert natural_key("2") < natural_key("a")


def test_a_capture_spans_no_slash():
    assert match_names("m/{seed}", ["m/1", "m/1/2", "n/1"]) == [{"seed": "1"}]


def test_a_repeated_capture_must_repeat():
    assert match_names("{s}/run-{s}", ["1/run-1", "1/run-2"]) == [{"s": "1"}]


def test_literals_are_not_patterns():
    assert match_names("a.b[{s}]", ["a.b[1]", "axb[1]"]) == [{"s": "1"}]


def test_order_follows_the_captures():
    names = ["seed-2/step-5", "seed-10/step-5", "seed-2/step-100"]
    found = match_names("seed-{seed}/step-{step}", names)
    assert [(m["seed"], m["step"]) for m in found] == [("2", "5"), ("2", "100"), ("10", "5")]


def test_paths_keep_folders_or_files(tmp_path):
    (tmp_path / "seed-1").mkdir()
    (tmp_path / "seed-2").write_text("x")
    pattern = f"{tmp_path}/seed-{{seed}}"
    assert match_paths(pattern, is_folder=True) == [{"seed": "1"}]
    assert match_paths(pattern, is_folder=False) == [{"seed": "2"}]
    assert len(match_paths(pattern)) == 2


def test_folders_with_brackets_are_literal(tmp_path):
    (tmp_path / "run[1]" / "seed-1").mkdir(parents=True)
    assert match_paths(f"{tmp_path}/run[1]/seed-{{seed}}") == [{"seed": "1"}]


def test_relative_paths(tmp_path, monkeypatch):
    (tmp_path / "runs" / "seed-3").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert match_paths("./runs/seed-{seed}") == [{"seed": "3"}]
    assert match_paths("runs/seed-{seed}") == [{"seed": "3"}]


def test_home_is_expanded(tmp_path, monkeypatch):
    (tmp_path / "seed-3").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert match_paths("~/seed-{seed}") == [{"seed": "3"}]


def test_what_is_there_is_listed_in_natural_order(tmp_path):
    for name in ("run-10", "run-2"):
        (tmp_path / name).mkdir()
    assert "run-2, run-10." in describe_place(f"{tmp_path}/seed-{{seed}}")
    assert "run-2, run-10." in describe_place(f"{tmp_path}/not/there/seed-{{seed}}")
    assert "is empty" in describe_place(f"{tmp_path}/run-2/{{seed}}")
