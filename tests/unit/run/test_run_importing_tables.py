"""Tables of scores of any tool: which columns are what, and what is read from them."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tool_logs import imported, rows_of

from scrutiny.core.errors import DataError
from scrutiny.run.comparing.paired_numbers import compare_runs
from scrutiny.run.comparing.whole_comparison import compare_side_by_side
from scrutiny.run.importing.import_logs import tool_of


def table(path, rows):
    """CSV file of rows, which all have the columns of the first."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def estimates(run):
    """Value and counts of each score, by model, dataset and metric."""
    return {
        (e.key.subject, e.key.dataset, e.key.condition["metric"]): (e.value, e.counts.n)
        for e in run.estimates()
        if e.key.replicate is None
    }


def read(tmp_path, rows, options="", name="scores.csv"):
    """Import of rows, or of the text of a file."""
    path = tmp_path / name
    if isinstance(rows, str):
        path.write_text(rows, encoding="utf-8")
    else:
        table(path, rows)
    return imported("table", [f"{path}{options}"], tmp_path / "out")


def test_one_row_a_case(tmp_path):
    rows = [
        {"id": n, "input": f"q{n}", "correct": n % 2 == 0, "kind": "ab"[n > 4]} for n in range(10)
    ]
    run = read(tmp_path, rows)
    assert estimates(run) == {("scores", "scores", "correct"): (0.5, 10)}
    assert run.manifest["read_as"] == [
        "Read from scores.csv: case = id, score = correct, text = input."
    ]
    items = run.items().to_pylist()
    assert [json.loads(item["fields"])["text"] for item in items] == [f"q{n}" for n in range(10)]
    assert [item["a_kind"] for item in items] == ["a"] * 5 + ["b"] * 5


def test_trials_are_replicates(tmp_path):
    rows = [{"case": c, "score": 0.5 * t, "run": t} for c in "xyz" for t in (0, 1, 2)]
    run = read(tmp_path, rows)
    (found,) = (e for e in run.estimates() if e.key.replicate is None)
    assert (found.value, found.n_replicates, found.counts.n) == (0.5, 3, 3)
    (said,) = run.manifest["read_as"]
    assert said == "Read from scores.csv: case = case, score = score, trials = run (3 each)."


def test_rows_of_a_case_without_a_column_of_trials_are_trials_if_all_have_as_many(tmp_path):
    rows = [{"id": c, "passed": "pass" if c == "x" else "fail"} for c in "xyxy"]
    run = read(tmp_path, rows)
    (found,) = (e for e in run.estimates() if e.key.replicate is None)
    assert (found.value, found.n_replicates, found.counts.n) == (0.5, 2, 2)
    assert "trials = rows of one case (2 each)" in run.manifest["read_as"][0]
    with pytest.raises(DataError, match=r"has 2 rows of id x, and 1 of others, and no column"):
        read(tmp_path, rows[:3])


def test_a_column_that_never_repeats_a_case_holds_no_trials(tmp_path):
    rows = [{"id": n, "seed": n, "score": 1} for n in range(4)]
    run = read(tmp_path, rows)
    assert run.manifest["read_as"] == ["Read from scores.csv: case = id, score = score."]


def test_a_trial_of_few_cases_does_not_cost_the_others(tmp_path):
    rows = [{"id": n, "trial": 1, "score": n % 2} for n in range(10)]
    run = read(tmp_path, [*rows, {"id": 3, "trial": 2, "score": 0}])
    assert estimates(run)["scores", "scores", "score"] == (0.5, 10)
    assert run.manifest["warnings"] == [
        "1 rows were left out: their trials (2) are of fewer than half of the cases."
    ]
    assert "trials = trial (1 to 2 each)" in run.manifest["read_as"][0]


def test_a_case_and_trial_that_occur_twice_are_refused(tmp_path):
    rows = [{"id": 1, "trial": 1, "score": 1}, {"id": 1, "trial": 1, "score": 0}]
    rows += [{"id": 1, "trial": 2, "score": 1}]
    with pytest.raises(DataError, match=r"has 2 rows of id 1 with trial '1'"):
        read(tmp_path, rows)


def test_texts_identify_cases_without_ids_and_a_few_may_occur_again(tmp_path):
    rows = [{"prompt": f"p{n}", "score": 1} for n in range(20)]
    run = read(tmp_path, [*rows, {"prompt": "p3", "score": 0}])
    assert estimates(run)["scores", "scores", "score"] == (pytest.approx(20 / 21), 21)
    with pytest.raises(DataError, match="no column tells them apart"):
        read(tmp_path, [*rows, *rows[:5]])


def test_rows_pair_by_their_number_where_nothing_else_is(tmp_path):
    run = read(tmp_path, "score\n1\n0\n0.5\n")
    assert estimates(run)["scores", "scores", "score"] == (0.5, 3)
    assert "case = the number of its row" in run.manifest["read_as"][0]


def test_models_of_a_column(tmp_path):
    rows = [
        {"id": n, "model": m, "acc": n < k} for n in range(4) for m, k in (("v1", 3), ("v2", 1))
    ]
    run = read(tmp_path, rows)
    assert estimates(run) == {
        ("v1", "scores", "acc"): (0.75, 4),
        ("v2", "scores", "acc"): (0.25, 4),
    }
    run = read(tmp_path, rows, "#model=v2")
    assert estimates(run) == {("v2", "scores", "acc"): (0.25, 4)}
    with pytest.raises(DataError, match="no column 'v3', and no column of models that holds it"):
        read(tmp_path, rows, "#model=v3")


def test_a_column_a_model(tmp_path):
    rows = [{"question": f"q{n}", "gpt": n % 2, "claude": 1} for n in range(6)]
    with pytest.raises(DataError, match=r"as in scores.csv#model=gpt and scores.csv#model=claude"):
        read(tmp_path, rows)
    path = table(tmp_path / "wide.csv", rows)
    runs = [
        imported("table", [f"{path}#model={name}"], tmp_path / name) for name in ("gpt", "claude")
    ]
    (found,) = compare_runs(*runs).findings
    assert (found.estimate.value, found.estimate.counts.n) == (0.5, 6)


def test_datasets_of_a_column(tmp_path):
    rows = [{"id": n, "dataset": d, "score": d == "a"} for n in range(5) for d in "ab"]
    assert estimates(read(tmp_path, rows)) == {
        ("scores", "a", "score"): (1.0, 5),
        ("scores", "b", "score"): (0.0, 5),
    }


def test_tasks_are_cases_where_there_are_no_others(tmp_path):
    rows = [{"task": t, "trial": n, "resolved": "yes"} for t in "abc" for n in range(5)]
    run = read(tmp_path, rows)
    assert "case = task, score = resolved, trials = trial (5 each)" in run.manifest["read_as"][0]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["true", "False", "TRUE", "false"], 0.5),
        (["pass", "FAIL", "Passed", "failed"], 0.5),
        (["correct", "incorrect", "wrong", "right"], 0.5),
        (["50 %", "100%", "0%", "50.0%"], 0.5),
        (["1", "0", "0.5", "5e-1"], 0.5),
        ([" 1 ", "n/a", "", "0"], 0.5),
        (["1", "timeout", "0", "0.5"], 0.5),
    ],
)
def test_words_and_percent_are_scores(tmp_path, cells, expected):
    run = read(tmp_path, [{"id": n, "score": cell} for n, cell in enumerate(cells)])
    assert estimates(run)["scores", "scores", "score"][0] == expected
    missing = [row for row in rows_of(run) if row["status"] != "ok"]
    assert {row["reason"] for row in missing} <= {"no_score"}
    assert len(missing) == sum(cell in ("n/a", "", "timeout") for cell in cells)


def test_cells_that_are_no_numbers_are_counted(tmp_path):
    run = read(tmp_path, "id,score\na,1\nb,timeout\nc,0\n")
    assert run.manifest["data"]["scores"]["notes"] == ["1 x score is no number, such as 'timeout'"]


def test_every_format_reads_the_same(tmp_path):
    rows = [{"id": n, "text": f"t{n}", "score": n / 4} for n in range(5)]
    table(tmp_path / "s.csv", rows)
    (tmp_path / "s.tsv").write_text(
        "id\ttext\tscore\n" + "".join(f"{r['id']}\t{r['text']}\t{r['score']}\n" for r in rows)
    )
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "s.json").write_text(json.dumps(rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "s.parquet")
    found = []
    for suffix in ("csv", "tsv", "jsonl", "json", "parquet"):
        path = tmp_path / f"s.{suffix}"
        assert tool_of(str(path)) == tool_of(f"{path}#case=id") == "table"
        run = imported("table", [path], tmp_path / suffix)
        found.append((run.manifest["data"]["s"]["fingerprint"], estimates(run)))
    assert found == found[:1] * 5


def test_nested_rows_of_json_lines(tmp_path):
    rows = [
        {"sample": {"id": n, "input": f"q{n}"}, "scores": {"acc": n % 2, "style": 0.5}}
        for n in range(4)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    run = read(tmp_path, text, "#case=sample.id,text=sample.input", name="scores.jsonl")
    assert estimates(run) == {
        ("scores", "scores", "acc"): (0.5, 4),
        ("scores", "scores", "style"): (0.5, 4),
    }


def test_stated_columns(tmp_path):
    rows = [{"a": n, "b": n * 10, "c": f"x{n}", "d": "yes"} for n in range(3)]
    run = read(tmp_path, rows, "#id=a,score=b,text=c,group=d,lower=b")
    assert estimates(run)["scores", "scores", "b"] == (10.0, 3)
    assert run.manifest["data"]["scores"]["lower_is_better"] == ["b"]
    said = "case = a, score = b, text = c, groups = d, lower is better for b."
    assert said in run.manifest["read_as"][0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("#score=acc", "has no column 'acc' .score=.. Did you mean 'accu'"),
        ("#scor=accu", "'scor=accu' is no option of such a table.* Did you mean score"),
        ("#score", "'score' is no option"),
        ("#score=accu,score=accu", "occurs twice"),
        ("#delimiter=xx", "delimiter=xx"),
    ],
)
def test_options_that_do_not_fit(tmp_path, options, said):
    with pytest.raises(DataError, match=said):
        read(tmp_path, [{"id": 1, "accu": 1}, {"id": 2, "accu": 0}], options)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("id,score\n", "holds no rows"),
        ("id,score\n1\n", "holds no rows that can be read. The first row.*scores.csv:2"),
        ("id,answer\n1,Paris\n2,Rome\n", "has no column of scores.*'id', 'answer'"),
        ("id,score\n1,\n2,n/a\n", "has no column of scores"),
    ],
)
def test_tables_without_scores_are_refused(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read(tmp_path, text)


def test_rows_of_no_case_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"no row can be read; scores.csv:2: it names no case"):
        read(tmp_path, "id,score\n,1\n", "#case=id")


def test_one_case_and_two(tmp_path):
    for n in (1, 2):
        runs = [
            imported(
                "table", [table(tmp_path / f"{name}{n}.csv", rows[:n])], tmp_path / f"{name}{n}"
            )
            for name, rows in (
                ("a", [{"id": 1, "score": 1}, {"id": 2, "score": 0}]),
                ("b", [{"id": 1, "score": 0}, {"id": 2, "score": 0}]),
            )
        ]
        found = compare_side_by_side(*runs)
        assert found.levels[0].difference.value == 1.0 / n


def test_tables_pair_by_id_whatever_the_order_and_by_their_only_scores(tmp_path):
    first = table(tmp_path / "a.csv", [{"id": n, "passed": n > 2} for n in range(8)])
    second = table(tmp_path / "b.csv", [{"id": n, "correct": n > 4} for n in reversed(range(9))])
    runs = [imported("table", [path], tmp_path / path.stem) for path in (first, second)]
    found = compare_runs(*runs)
    assert [f.estimate.value for f in found.findings] == [-0.25]
    assert list(found.n_unmatched.values()) == [(0, 1)]
    assert "the score is called passed in the first and correct in the second" in found.differences


def test_few_answers_are_labels(tmp_path):
    rows = [
        {"text": f"t{n}", "label": "ab"[n % 2], "prediction": "ab"[n % 3 == 0], "correct": 1}
        for n in range(40)
    ]
    run = read(tmp_path, rows)
    answers = {row["answer"] for row in run.table("outputs").to_pylist()}
    assert answers == {"a", "b"}
    assert "gold = label, answer = prediction" in run.manifest["read_as"][0]


def test_bad_rows_are_listed(tmp_path):
    run = read(tmp_path, "id,score\n1,1\n2\n,0\n3,0\n")
    assert [bad["source"] for bad in run.manifest["data"]["scores"]["bad_rows"]] == [
        "scores.csv:3",
        "scores.csv:4",
    ]


def test_files_of_a_pattern_are_replicates(tmp_path):
    for seed in (1, 2):
        table(tmp_path / f"s-{seed}.csv", [{"id": n, "score": n % 2} for n in range(4)])
    run = imported("table", [f"{tmp_path}/s-{{seed}}.csv"], tmp_path / "out")
    (found,) = (e for e in run.estimates() if e.key.replicate is None)
    assert (found.n_replicates, found.counts.n) == (2, 4)


def test_options_are_for_tables(tmp_path):
    path = tmp_path / "results.json"
    path.write_text('{"evalId": "e", "results": {"results": []}}')
    with pytest.raises(DataError, match="options behind # state columns of a table of scores"):
        imported("promptfoo", [f"{path}#score=x"], tmp_path / "out")


def test_other_scores_are_no_groups(tmp_path):
    rows = [{"id": n, "kind": "ab"[n > 9], "v1": n % 2, "v2": n % 3 > 0} for n in range(20)]
    items = read(tmp_path, rows, "#model=v1").items()
    assert [name for name in items.column_names if name.startswith("a_")] == ["a_kind"]
    rows = [{"id": n, "acc": n % 2, "f1": n % 2, "easy": n > 9} for n in range(20)]
    items = read(tmp_path, rows, "#score=acc").items()
    assert [name for name in items.column_names if name.startswith("a_")] == ["a_easy"]
