"""Models side by side: rows of what was trained for several data sets, and ranks left open."""

import tomllib

import numpy as np
import pytest

from scrutiny.report.load import load_view
from scrutiny.report.page import page
from scrutiny.report.sections.boards import boards_of
from scrutiny.report.sections.score_matrix import cells_of, row_of, score_matrix
from scrutiny.report.text import plain_text
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import resolve

N = 200
#: Share of right answers on each data set: the first two swap places on the second.
SHARES = {
    "tags": {"swift": 0.95, "sound": 0.6, "twin": 0.6},
    "moods": {"swift": 0.6, "sound": 0.95, "twin": 0.6},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of three kinds of models, each trained for one of two data sets and called after it."""
    made = tmp_path_factory.mktemp("kinds")
    lines = ["seed = 0", "[resampling]", "draws = 500"]
    for name, shares in SHARES.items():
        rows = [f"i{i},text {i},{'np'[i % 2]}" for i in range(N)]
        (made / f"{name}.csv").write_text("\n".join(["id,text,label", *rows]) + "\n")
        lines += [f"[data.{name}]", f'source = "csv:{made}/{name}.csv#text=text,label=label,id=id"']
        for kind, share in shares.items():
            hit = np.arange(N) < share * N
            answers = [f"i{i},{'np'[i % 2 if hit[i] else 1 - i % 2]}" for i in range(N)]
            (made / f"{kind}-{name}.csv").write_text("\n".join(["id,label", *answers]) + "\n")
            source = f'source = "predictions:{made}/{kind}-{name}.csv"'
            lines += [f"[models.{kind}-{name}]", source]
        models = ", ".join(f'"{kind}-{name}"' for kind in shares)
        lines += ["[[measure]]", f'id = "{name}"', 'diagnostic = "performance"']
        lines += [f"models = [{models}]", f'data = ["{name}"]']
    run_plan(resolve(plan_of(tomllib.loads("\n".join(lines)))), made / "run")
    return made / "run"


@pytest.fixture(scope="module")
def view(folder):
    return load_view(folder)


def test_cells_stand_in_the_row_of_their_kind(view):
    cells = cells_of(boards_of(view))
    assert {row for row, _ in cells} == {"swift", "sound", "twin"}
    said = {(row, at.partition("\n")[0]): cell.said for (row, at), cell in cells.items()}
    assert said == {
        ("swift", "tags"): "95.0 (1)",
        ("sound", "tags"): "60.0 (2–3)",
        ("twin", "tags"): "60.0 (2–3)",
        ("swift", "moods"): "60.0 (2–3)",
        ("sound", "moods"): "95.0 (1)",
        ("twin", "moods"): "60.0 (2–3)",
    }
    below = {round(cell.below, 6) for cell in cells.values()}
    assert below == {0.0, 35.0}
    assert {row for (row, _), cell in cells.items() if cell.is_best} == {"swift", "sound"}


def test_the_picture_has_what_the_table_says(view):
    part = score_matrix(view)
    assert part is not None
    said = "Shown to be the best: swift on tags, accuracy; sound on moods, accuracy."
    assert part.lead == f"{said} Shown to be the worst: none."
    (chart,) = part.charts
    assert chart.table.header == ("model", "tags, accuracy", "moods, accuracy")
    assert [row[0] for row in chart.table.rows] == ["swift", "sound", "twin"]
    assert chart.table.rows[0][1].startswith("0.950 [")
    assert chart.table.rows[0][1].endswith("rank 1")
    drawn = {(v["row"], v["column"]): v for v in chart.spec["data"]["values"]}
    one = drawn["swift", "moods\naccuracy"]
    assert (one["s0"], one["s0_words"], one["s1_words"]) == (35.0, "60.0 (2–3)", "−35.0")
    assert drawn["sound", "moods\naccuracy"]["s0_strong"]


def test_page_and_terminal_show_it(view):
    assert "score-matrix" in {part.anchor for part in page(view).parts}
    said = plain_text(view)
    assert "Models side by side" in said
    (row,) = [line for line in said.splitlines() if line.split()[:1] == ["swift"]][:1]
    assert row.split() == ["swift", "95.0", "(1)", "60.0", "(2–3)"]
    assert max(map(len, said.splitlines())) <= 80


def test_models_of_one_data_set_are_left_to_their_leaderboard(view):
    (tags, moods) = boards_of(view)
    assert cells_of([tags]) == {}
    assert len(cells_of([tags, moods])) == 6
    assert cells_of([tags, tags]) == {}  # nothing tells two cells of one place apart
    assert row_of("swift-tags", "moods") == "swift-tags"
