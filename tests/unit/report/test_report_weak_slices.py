"""Where an audit says that a model is worse; and groups of parts, of one model and of two."""

import json
import random
import re

import pytest

import scrutiny
from scrutiny.blocks.terminal_and_markdown import WIDTH
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
    assert "by chance, in 95 of 100 draws at most" in said
    assert weak_slices.part(view).charts[0].table.rows == ()


def test_a_training_set_that_is_gone_leaves_a_page_without_its_attributes(tmp_path, monkeypatch):
    view = audited(0.5, tmp_path)
    train = tmp_path / "train.jsonl"
    train.write_text("".join(json.dumps(row) + "\n" for row in rows(50)), encoding="utf-8")
    (data,) = view.manifest["plan"]["data"]
    data["training"] = "jsonl:train.jsonl"
    captions = []
    for place in (tmp_path, tmp_path / "run"):
        monkeypatch.chdir(place)
        weak_slices._searched.cache_clear()
        (chart,) = weak_slices.part(view).charts
        captions.append(chart.caption)
    assert captions[1].endswith("since 'jsonl:train.jsonl' cannot be read from here any more.")
    assert "Not looked at" not in captions[0]
    tried = [re.search("clearest of ([0-9]+) slices", said)[1] for said in captions]
    assert int(tried[0]) > int(tried[1])


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
