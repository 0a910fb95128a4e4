"""Where an audit says that a model is worse; and groups of parts, of one model and of two."""

import json
import random
import re

import pytest

import scrutiny
from scrutiny.blocks.terminal_and_markdown import WIDTH
from scrutiny.cli import main
from scrutiny.core.errors import PlanError
from scrutiny.diagnostics.classes import part_scores
from scrutiny.report.load import load_view
from scrutiny.report.sections import weak_slices


def rows(n=500):
    draw = random.Random(2)
    words = "so good a film of two long hours and for me or you".split()
    return [
        {
            "text": " ".join([*draw.choices(words, k=8), f"film{i}"]),
            "label": draw.choice(["bad", "good"]),
        }
        for i in range(n)
    ]


def audited(share, tmp_path):
    """Audit of a model that is wrong about so many bad texts, and about one of ten others."""
    data, draw = rows(), random.Random(3)
    said = {}
    for row in data:
        is_wrong = draw.random() < (share if row["label"] == "bad" else 0.1)
        other = {"bad": "good", "good": "bad"}[row["label"]]
        said[row["text"]] = other if is_wrong else row["label"]

    def model(texts):
        return [said[text] for text in texts]

    model.classes_ = ["bad", "good"]
    found = scrutiny.audit(model, data, only=["performance"], out=tmp_path / "run")
    return load_view(found.path)


def test_an_audit_says_where_the_model_is_worse(tmp_path):
    view = audited(0.5, tmp_path)
    (said,) = weak_slices.first_sentences(view)
    assert said.startswith("Worse where label = bad: accuracy 4")
    assert "points below elsewhere [" in said
    assert "equal ones, the clearest lies" in said
    part = weak_slices.part(view)
    (chart,) = part.charts
    assert chart.table.rows[0][0] == "label = bad"
    assert chart.caption == said


def test_without_a_weak_slice_it_says_so_beside_chance(tmp_path):
    view = audited(0.1, tmp_path)
    (said,) = weak_slices.first_sentences(view)
    assert said.startswith("No slice is shown to be worse than the rest: of ")
    assert "the other half does not show it" in said
    assert "by chance, in 95 of 100 draws at most" in said
    assert weak_slices.part(view).charts[0].table.rows == ()


def test_a_run_keeps_what_slices_need_of_its_training_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, n in (("train", 50), ("dev", 400)):
        lines = "".join(json.dumps(row) + "\n" for row in rows(n))
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    asked = (
        "audit --model builtin:sentiment/seed-1 --data dev.jsonl#labels=bad:negative|good:positive"
    )
    captions = []
    for out, more in (("run", ["--training", "train.jsonl"]), ("without", [])):
        with pytest.raises(SystemExit) as ended:
            main([*asked.split(), "--only", "performance", "--out", out, *more])
        assert ended.value.code == 0
        captions.append(caption(load_view(tmp_path / out)))
    tried = [int(re.search("of ([0-9]+) slices", said)[1]) for said in captions]
    assert tried[0] > tried[1]
    assert "Not looked at" not in captions[0]

    (tmp_path / "train.jsonl").unlink()
    moved = (tmp_path / "run").rename(tmp_path / "elsewhere")
    monkeypatch.chdir(moved)
    view = load_view(moved)
    assert caption(view) == captions[0]
    items = view.records._items
    for where in ("unseen_words > 0.1", "in_training", "unseen_words(text) in lowest third"):
        assert 0 < items.inside(where, tuple(items.datasets)).sum() < 400


def test_a_run_of_an_earlier_version_says_what_is_not_looked_at(tmp_path):
    view = audited(0.5, tmp_path)
    (data,) = view.manifest["plan"]["data"]
    data["training"] = "jsonl:train.jsonl"
    assert "need the training set 'jsonl:train.jsonl', of which this run" in caption(view)
    with pytest.raises(PlanError, match="unseen_words, which needs training data"):
        view.records._items.inside("unseen_words > 0.1", tuple(view.records._items.datasets))


def caption(view):
    weak_slices._searched.cache_clear()
    (chart,) = weak_slices.part(view).charts
    return chart.caption


def test_columns_of_numbers_are_divided_into_thirds(tmp_path):
    """A run keeps columns as they are written."""
    file = tmp_path / "stars.jsonl"
    draw = random.Random(1)
    data = [{**row, "stars": draw.random()} for row in rows(400)]
    said = {row["text"]: row["label"] for row in data}
    for row in data:
        if row["stars"] > 0.6:
            said[row["text"]] = {"bad": "good", "good": "bad"}[row["label"]]

    def model(texts):
        return [said[text] for text in texts]

    model.classes_ = ["bad", "good"]
    file.write_text("".join(json.dumps(row) + "\n" for row in data), encoding="utf-8")
    asked = f"jsonl:{file}#group=stars"
    found = scrutiny.audit(model, asked, only=["performance"], out=tmp_path / "run")
    assert "a_stars in highest third" in caption(load_view(found.path))


def test_other_runs_are_not_searched(tmp_path):
    def model(texts):
        return ["good"] * len(texts)

    model.classes_ = ["bad", "good"]
    found = scrutiny.run("performance", model, rows(80), out=tmp_path / "r")
    view = load_view(found.path)
    assert weak_slices.part(view) is None
    assert list(weak_slices.first_sentences(view)) == []


def sentences(n=120):
    """Sentences of a name of one word or of three."""
    draw = random.Random(4)
    for i in range(n):
        long = draw.random() < 0.5
        yield {
            "id": str(i),
            "tokens": ["see", *(["New", "York", "City"] if long else ["Ida"]), str(i)],
            "tags": ["O", *(["B-L", "I-L", "I-L"] if long else ["B-P"]), "O"],
        }


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Run of a model that misses half of the long names, and of one that finds all."""
    folder = tmp_path_factory.mktemp("parts")
    data = list(sentences())
    right = [{"id": row["id"], "tags": row["tags"]} for row in data]
    short = [
        {**said, "tags": ["O"] * len(said["tags"])} if len(said["tags"]) > 3 and place % 2 else said
        for place, said in enumerate(right)
    ]
    for name, lines in (("d", data), ("right", right), ("short", short)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    plan = {
        "data": {"d": {"source": f"jsonl:{folder}/d.jsonl"}},
        "models": {n: {"source": f"predictions:{folder}/{n}.jsonl"} for n in ("short", "right")},
        "measure": [{"id": "parts", "diagnostic": "parts"}],
    }
    return load_view(scrutiny.run(plan, out=folder / "run").path)


def test_the_weakest_group_stands_beside_its_null(parts):
    said = [block.text for block in part_scores.lines(parts)]
    assert said[1] == "Scores by kind of part"
    assert said[2].startswith("short on d, by length: F1 1.000 (1) falls to 0.")
    assert "more than chance: 2 equal groups differ by" in said[2]
    assert "not shown to be more than chance" in said[3]
    assert WIDTH == 80  # sentences are folded there


def test_two_models_are_compared_group_by_group(parts):
    charts = part_scores.part(parts).charts
    assert [chart.title.partition(":")[0] for chart in charts] == ["short on d", "right on d", "A"]
    (one, three) = charts[2].table.rows
    assert (one[0], one[3]) == ("1", "0.000")
    assert three[0] == "3"
    assert three[3].startswith("\N{MINUS SIGN}0.")
    assert charts[2].caption.startswith("right is ahead in 3.")
    assert charts[0].table.rows[1][1] == "0"  # no name of two words
