"""Tables of published results: what is read, what is shown, and what the command says."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from scrutiny.cli import group
from scrutiny.core.errors import DataError
from scrutiny.run.importing.published_review import BETTER, NEVER, PAIRED, WORSE, review
from scrutiny.run.importing.published_tables import read_published
from scrutiny.stats.significance.exact_tests import mcnemar

HEADER = "task,change,model,dataset,metric,original,changed,items"


@pytest.fixture
def written(tmp_path):
    def write(*lines, header=HEADER, name="table.csv"):
        path = tmp_path / name
        path.write_text("\n".join((header, *lines)), encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def planted(written):
    """Case takes 30 points of tags and nothing of sentiment; typos take 2 points of both."""
    rng = np.random.default_rng(0)
    lines = []
    for task, change, loss in (
        ("tags", "case", 30),
        ("sentiment", "case", 0),
        ("pairs", "case", 0),
        ("tags", "typos", 2),
        ("sentiment", "typos", 2),
        ("pairs", "typos", 2),
    ):
        for model in range(6):
            for data in range(6):
                after = 90 - loss - rng.integers(0, 2)
                lines.append(f"{task},{change},m{model},{task}{data},Accuracy,90,{after},2000")
    return written(*lines)


def test_columns_are_told_by_their_names(written):
    table = read_published(written("t,c,m,d,Accuracy,90,80,100", "t,c,m,d,F1,50.5,49,"))
    assert table.before.tolist() == [0.9, 0.505]
    assert table.loss.tolist() == pytest.approx([1 / 9, 1.5 / 50.5])
    assert (table.groups, table.clusters) == (("change", "task"), ("model", "dataset"))
    assert table.is_testable.tolist() == [True, False]
    assert table.read_as.startswith("Read from table.csv: before = original, after = changed")


def test_columns_are_stated(written):
    path = written("0.9;0.8;50", header="a;b;c", name="odd.csv")
    table = read_published(f"{path}#before=a,after=b,items=c,delimiter=;")
    assert (table.before.item(), table.after.item(), table.items.item()) == (0.9, 0.8, 50.0)
    assert table.is_share.all()


def test_percent_with_its_sign_is_percent(written):
    table = read_published(written("0.9 %,0.8 %,1000", header="before,after,n"))
    assert table.before.item() == pytest.approx(0.009)


def test_a_row_that_cannot_be_read_is_left_out_and_told(written):
    rows = ["t,c,m,d,Accuracy,90,80,100"] * 20
    table = read_published(written(*rows, "t,c,m,d,Accuracy,79.4,67363,100"))
    assert len(table) == 20
    assert table.left_out[0] == 1
    assert "table.csv:22: scores 79.4 and 67363" in table.left_out[1]


@pytest.mark.parametrize(
    ("lines", "header", "message"),
    [
        (["1,2"], "x,y", "no column of scores before and after"),
        (["1"], "before", "no column of scores after"),
        (["many,few"], "before,after", "before is 'many', and no number"),
        (["120,110"], "before,after", "no parts of one and no percent"),
        ([], "before,after", "It has no rows"),
    ],
)
def test_what_is_no_table_of_results_is_refused(written, lines, header, message):
    with pytest.raises(DataError, match=message):
        read_published(written(*lines, header=header))


def test_an_unknown_column_is_refused(written):
    path = written("t,c,m,d,Accuracy,90,80,100")
    for given, by in ((f"{path}#after=late", ()), (path, ("attack",))):
        with pytest.raises(DataError, match=r"has no column '(late|attack)'"):
            read_published(given, groups=by)
    with pytest.raises(DataError, match="no option of such a table"):
        read_published(f"{path}#case=task")


def test_a_score_of_nothing_has_no_relative_loss(written):
    table = read_published(written("0,0,10", "0.5,0.25,10", header="before,after,n"))
    assert np.isnan(table.loss[0])
    assert review(table).groups[()][0].n_rows == 1


def test_single_differences_have_their_states(written):
    rows = {WORSE: "90,80,2000", BETTER: "50,70,500", PAIRED: "90,88,1000", NEVER: "90,89,100"}
    found = review(read_published(written(*rows.values(), header="before,after,n"))).differences
    assert found.states.tolist() == list(rows)
    assert [found.count(state) for state in rows] == [1, 1, 1, 1]
    assert found.flips[2] == 0.062  # 41 lost, 21 gained
    assert mcnemar(21, 41).p_value <= 0.05 / 4 < mcnemar(22, 42).p_value
    assert np.isnan(found.flips[3])


def test_equal_scores_are_never_shown(written):
    found = review(read_published(written("1,1,50", "0,0,50", header="before,after,n")))
    assert found.differences.states.tolist() == [NEVER, NEVER]


def test_one_row_says_nothing_of_others(written):
    one = review(read_published(written("t,c,m,d,Accuracy,90,80,100"))).groups[()][0]
    assert one.majority == "can't tell"
    assert np.isnan(one.loss.low)


def test_a_planted_task_is_named(planted):
    found = review(read_published(planted))
    by_task = {one.names[0]: one for one in found.groups["task",]}
    assert by_task["tags"].majority == "can't tell"  # half of its rows
    assert by_task["sentiment"].majority == "no"
    matrix = {one.names: one.loss.point for one in found.groups["change", "task"]}
    assert matrix["case", "tags"] == pytest.approx(30.5 / 90, abs=0.01)
    spread = {one.name: one for one in found.dependences}
    assert spread["case"].most[0] == "tags"
    assert spread["case"].p_value <= 0.05
    assert spread["typos"].p_value > 0.05


def test_the_same_table_gives_the_same_limits(planted):
    one, other = (review(read_published(planted)) for _ in range(2))
    assert [g.loss.low for g in one.groups["task",]] == [g.loss.low for g in other.groups["task",]]


def test_the_command_prints_and_writes(planted, tmp_path):
    page = tmp_path / "page.md"
    done = CliRunner().invoke(group, ["review", planted, "-o", str(page)], standalone_mode=False)
    assert done.exception is None
    first, *others = done.output.splitlines()
    assert first.startswith("Most results lose more than 5 % of their score in 0 of 3 values")
    assert max(map(len, others)) <= 80
    assert "| case | 34." in page.read_text(encoding="utf-8")
    assert "differs?" in done.output


def test_json_has_each_difference(planted):
    done = CliRunner().invoke(group, ["review", planted, "--json"], standalone_mode=False)
    objects = [json.loads(line) for line in done.output.splitlines()]
    kinds = [one["part"] for one in objects]
    assert kinds.count("difference") == 216
    assert objects[0][WORSE] + objects[0][BETTER] + objects[0][PAIRED] + objects[0][NEVER] == 216
    assert next(one for one in objects if one["part"] == "dependence")["of"] in ("case", "typos")


def test_without_columns_the_whole_is_said(written):
    path = written("0.9,0.5,100", "0.8,0.4,100", header="before,after,n")
    done = CliRunner().invoke(group, ["review", path], standalone_mode=False)
    assert "100.0 % [too few] of 2 results lose more than 5 % of their score." in done.output
