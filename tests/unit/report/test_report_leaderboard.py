"""Leaderboards: of stored answers and of imported scores, their ties, slices and reorderings."""

import json
from pathlib import Path

import numpy as np
import pytest

from scrutiny.cli import main
from scrutiny.report.formats import render_ndjson
from scrutiny.report.load import load_view
from scrutiny.report.page import page
from scrutiny.report.sections.boards import boards_of, turned_pairs
from scrutiny.report.sections.leaderboard import PART, board_objects
from scrutiny.report.text import plain_text, render_markdown

N = 200
SCHEMA = Path(__file__).parents[3] / "docs" / "report.schema.json"


def scrutiny(*arguments):
    with pytest.raises(SystemExit) as left:
        main([*map(str, arguments)])
    assert left.value.code == 0


def right(share, shift=0):
    """Items in a fixed order that differs from the next system's, a share of them right."""
    return (np.arange(N) + shift) % N < share * N


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A run of four systems on data with two topics, of which the first two swap places."""
    folder = tmp_path_factory.mktemp("stored")
    rows = [f"i{i},text {i},{'np'[i % 2]},{'ab'[i % 4 // 2]}" for i in range(N)]
    (folder / "data.csv").write_text("\n".join(["id,text,label,topic", *rows]) + "\n")
    on_a = np.arange(N) % 4 < 2
    systems = {
        "swift": np.where(on_a, right(0.95), right(0.6)),
        "sound": np.where(on_a, right(0.6), right(0.95)),
        "twin": np.where(on_a, right(0.6), right(0.95)),
        "weak": right(0.1, shift=40),
    }
    for name, hit in systems.items():
        answers = [f"i{i},{'np'[i % 2 if hit[i] else 1 - i % 2]}" for i in range(N)]
        kept = answers[: -4 if name == "weak" else None]  # of four items, one answers nothing
        (folder / f"{name}.csv").write_text("\n".join(["id,label", *kept]) + "\n")
    models = [part for name in systems for part in ("--model", f"predictions:{folder}/{name}.csv")]
    where = ["--where", "topic = a", "--where", "topic = b"]
    data = f"csv:{folder}/data.csv#text=text,label=label,id=id,group=topic"
    scrutiny("run", "performance", "--data", data, *models, *where, "--out", folder / "run")
    return load_view(folder / "run")


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """Scores of three systems on one dataset, of which less is better in the second."""
    folder = tmp_path_factory.mktemp("imported")
    rows = [
        f"{i},{name},{int(hit)},{1.5 - hit + i % 7 / 10:.2f}"
        for name, share in (("a", 0.9), ("b", 0.88), ("c", 0.5))
        for i, hit in enumerate(right(share))
    ]
    (folder / "s.csv").write_text("\n".join(["id,model,correct,loss", *rows]) + "\n")
    scrutiny("import", "table", folder / "s.csv", "-o", folder / "run")
    return load_view(folder / "run")


def names_of(board):
    return [Path(name.partition(":")[2] or name).stem for name in board.scores]


def test_slices_reorder_systems_and_equal_ones_are_tied(stored):
    whole, on_a, on_b = boards_of(stored)
    assert [one.where for one in (whole, on_a, on_b)] == ["", "topic = a", "topic = b"]
    assert (whole.n_items, on_a.n_items, on_b.n_items) == (N - 4, N // 2 - 2, N // 2 - 2)
    assert names_of(on_a) == ["swift", "sound", "twin", "weak"]
    assert on_a.ranks.low.tolist() == [1, 2, 2, 4]
    assert on_a.ranks.high.tolist() == [1, 3, 3, 4]
    assert on_b.ranks.low.tolist() == [3, 1, 1, 4]
    assert list(on_b.ranks.ties()) == [(1, 2)]
    assert list(whole.ranks.ties()) == [(1, 2, 0)] or list(whole.ranks.ties()) == [(0, 1, 2)]
    found = turned_pairs([whole, on_a, on_b])
    assert [(Path(t.one).stem, Path(t.other).stem) for t in found] == [
        ("swift", "sound"),
        ("swift", "twin"),
    ]
    assert {(t.on.where, t.there.where) for t in found} == {("topic = a", "topic = b")}
    for t in found:
        assert t.by > 0.2
        assert t.back > 0.2


def test_page_and_terminal_say_who_is_first_and_who_is_tied(stored):
    made = PART.make(stored)
    reorderings, *tables = made.charts
    assert "more than chance, over 3 sets of items: 2." in reorderings.caption
    assert reorderings.table.rows[0][0] == "swift.csv, sound.csv"
    assert "swift.csv is shown to be the best. Not told apart: sound.csv and twin.csv." in (
        tables[1].caption
    )
    first = tables[1].table.rows[0]
    assert (first[0], *first[2:]) == ("swift.csv", "1", "1 to 1", "3", "0")
    text = plain_text(stored)
    assert "Leaderboard\naccuracy on data.csv\n" in text
    assert "swift.csv, sound.csv: the first is ahead by" in text
    assert max(map(len, text[text.index("Leaderboard") :].splitlines())) <= 80


def test_imported_scores_are_ranked_the_way_that_is_better(imported):
    correct, loss = boards_of(imported)
    assert (correct.metric, loss.metric) == ("correct", "loss")
    for board in (correct, loss):
        assert board.ranks.order == [0, 1, 2]
        assert (board.ranks.low.tolist(), board.ranks.high.tolist()) == ([1, 1, 3], [2, 2, 3])
    assert PART.make(imported).charts[0].title == "correct on s"  # no two boards of one score


def test_lines_for_machines_are_of_the_schema(stored, imported):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    boards = [*board_objects(stored), *board_objects(imported)]
    assert [one.get("where", "-") for one in boards] == [
        "",
        "topic = a",
        "topic = b",
        *"--",
        "",
        "",
    ]
    for one in boards:
        name = "reordering" if "reordered" in one else "leaderboard"
        of = {**schema, "anyOf": [{"$ref": f"#/$defs/{name}"}]}
        jsonschema.Draft202012Validator(of).validate(one)
    assert boards[1]["ties"] == [[one["subject"] for one in boards[1]["systems"][1:3]]]
    whole = [json.loads(line) for line in render_ndjson(stored).splitlines()]
    assert [one for one in whole if "leaderboard" in one or "reordered" in one] == boards[:5]


def test_runs_of_one_model_have_none(imported, tmp_path):
    (tmp_path / "s.csv").write_text("id,correct\n" + "".join(f"{i},{i % 2}\n" for i in range(30)))
    scrutiny("import", "table", tmp_path / "s.csv", "-o", tmp_path / "run")
    assert PART.make(load_view(tmp_path / "run")) is None
    assert not list(PART.lines(load_view(tmp_path / "run")))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Scores of three systems in a file each: the rows in another order, one item less."""
    folder = tmp_path_factory.mktemp("files")
    for name, share, kept in (("a", 0.9, N), ("b", 0.88, N), ("c", 0.5, N - 1)):
        rows = [f"i{i},{int(hit)}" for i, hit in enumerate(right(share))][:kept]
        ordered = rows[::-1] if name == "b" else rows
        (folder / f"{name}.csv").write_text("\n".join(["id,correct", *ordered]) + "\n")
    return folder


def test_more_than_two_sides_are_a_leaderboard_on_the_items_of_all(files, capsys):
    sides = [files / f"{name}.csv" for name in "abc"]
    scrutiny("compare", *sides, "--json")
    printed = capsys.readouterr()
    (board,) = map(json.loads, printed.out.splitlines())
    assert "The data: other content on some sides: " in printed.err  # one lacks an item
    assert f"c.csv ({N - 1} items). Items pair by their ids." in printed.err
    assert board["n"] == N - 1
    assert [one["subject"] for one in board["systems"]] == ["a.csv", "b.csv", "c.csv"]
    assert [(one["rank_low"], one["rank_high"]) for one in board["systems"]] == [
        (1, 2),
        (1, 2),
        (3, 3),
    ]
    scrutiny("import", "table", sides[2], "-o", files / "run")
    scrutiny("compare", *sides[:2], files / "run")  # a run beside tables
    text = capsys.readouterr().out
    assert "correct on the shared items\n" in text  # each file calls them after its system
    assert "Not told apart: a.csv and b.csv." in text
    assert f"on {N - 1} items that all have answered" in text.replace("\n", " ")


def test_the_page_of_several_sides_draws_the_ranges_and_names_the_ties(files, capsys):
    sides, place = [files / f"{name}.csv" for name in "abc"], files / "board.html"
    scrutiny("compare", *sides, "--html", place)
    assert capsys.readouterr().out.endswith(f"page: {place}\n")
    page = place.read_text(encoding="utf-8")
    said = "By correct, a.csv and b.csv can each be the best of 3 systems."
    assert f'class="level v-can-t-tell">{said}</h1>' in page
    for told in ("Not told apart: a.csv and b.csv.", "The data: other content", "3 to 3"):
        assert told in page
    assert "Nothing was judged" not in page
    (spec,) = json.loads(page.split('id="specs">')[1].split("</script>")[0]).values()
    drawn = [
        (one["label"], one["low"], one["value"], one["high"]) for one in spec["data"]["values"]
    ]
    assert drawn == [("a.csv", 1, 1, 2), ("b.csv", 1, 2, 2), ("c.csv", 3, 3, 3)]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["builtin:sentiment"], "is a model that has to be asked"),
        (["c.csv", "--margin", "0.02"], "--margin is about two sides"),
        (["a.csv"], "A side is named twice"),
    ],
)
def test_what_cannot_be_ranked_is_refused(files, monkeypatch, capsys, more, said):
    monkeypatch.chdir(files)
    with pytest.raises(SystemExit) as left:
        main(["compare", "a.csv", "b.csv", *more])
    assert left.value.code == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_the_first_screen_says_who_can_be_the_best(stored, imported):
    assert [*PART.first(stored)] == [
        "By accuracy, swift.csv, sound.csv and twin.csv can each be the best of 4 systems."
    ]
    said = next(iter(PART.first(imported)))
    assert said == "By correct, a and b can each be the best of 3 systems."
    # neither run has risks: the sentence stands behind those about claims, once
    text = " ".join(plain_text(stored).split())
    assert text.count("and twin.csv can each be the best of 4 systems.") == 1
    assert text.index("can each be the best") < text.index("Leaderboard")
    assert said in render_markdown(imported)
    assert said in page(imported).sentences
