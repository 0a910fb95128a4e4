"""Models of every kind through whole runs: stored answers, objects, checkpoints, and the cache."""

import json
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest

import scrutiny
from scrutiny.core.errors import ModelError

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "models"))
ROWS = [
    {"id": f"r{i}", "text": text, "label": label}
    for i, (text, label) in enumerate(
        [
            ("a good film", "positive"),
            ("a bad film", "negative"),
            ("good , good , good", "positive"),
            ("bad from start to end", "negative"),
            ("so good that we went twice", "positive"),
            ("neither here nor there", "negative"),
        ]
    )
]


def asked(run: scrutiny.Run) -> int:
    return sum(row["asked"] for row in run.folder.table("timings").to_pylist())


def test_stored_answers_are_looked_up_by_item_and_variant(tmp_path: Path) -> None:
    stored = tmp_path / "answers.jsonl"
    lines = [json.dumps({"id": row["id"], "label": row["label"]}) for row in ROWS]
    stored.write_text("\n".join(lines) + "\n", encoding="utf-8")
    model = f"predictions:{stored}#labels=negative|positive"
    run = scrutiny.run("performance", model=model, data=ROWS, out=tmp_path / "run")
    found = run.estimate("accuracy")
    assert (found.value, found.counts.n) == (1.0, 6)
    assert asked(run) == 0


def test_stored_answers_of_equal_texts_stay_apart(tmp_path: Path) -> None:
    rows = [
        {"id": "one", "text": "the same", "label": "positive"},
        {"id": "two", "text": "the same", "label": "positive"},
    ]
    stored = tmp_path / "answers.jsonl"
    stored.write_text('{"id":"one","label":"positive"}\n{"id":"two","label":"negative"}\n')
    model = f"predictions:{stored}#labels=negative|positive"
    run = scrutiny.run("performance", model=model, data=rows, out=tmp_path / "run")
    assert run.estimate("accuracy").value == 0.5


def test_a_scikit_learn_pipeline_comes_in_as_it_is(tmp_path: Path) -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(CountVectorizer(), LogisticRegression())
    pipeline.fit([row["text"] for row in ROWS], [row["label"] for row in ROWS])
    run = scrutiny.run(
        "robustness", model=pipeline, data=ROWS, out=tmp_path / "run", transformations=["typos"]
    )
    expected = pipeline.score([r["text"] for r in ROWS], [r["label"] for r in ROWS])
    assert run.estimate("accuracy").value == pytest.approx(expected)
    assert {f.scope for f in run.findings} == {"this checkpoint"}


def test_a_classifier_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="pass the pipeline or classifier itself"):
        scrutiny.run("performance", model=lambda texts: ["positive"] * len(texts), data=ROWS)


def test_training_text_that_the_user_states_is_looked_up(tmp_path: Path) -> None:
    train = tmp_path / "train.csv"
    train.write_text("text,label\nA GOOD film!,positive\nunseen elsewhere,negative\n")
    code = tmp_path / "trained.py"
    code.write_text(
        "labels = ('negative', 'positive')\ndef model(texts): return ['positive'] * len(texts)\n"
    )
    model = f"python:{code}:model#labels=negative|positive,training={train}"
    run = scrutiny.run("leakage", model=model, data=ROWS, out=tmp_path / "run")
    assert run.estimate("share").value == pytest.approx(1 / 6)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    from tiny_bert import make_checkpoint

    return make_checkpoint(tmp_path_factory.mktemp("bert") / "checkpoint")


@pytest.mark.parametrize("change", ["weight", "tokenizer", "dtype", "label map"])
def test_whatever_changes_an_answer_misses_the_cache(
    checkpoint: Path, tmp_path: Path, change: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(checkpoint, folder)
    cache = tmp_path / "answers.sqlite"

    def run(name: str, options: str = "") -> scrutiny.Run:
        model = f"hf:{folder}#labels=negative|positive{options}"
        out = tmp_path / name
        return scrutiny.run("performance", model=model, data=ROWS, out=out, cache=cache)

    assert asked(run("first")) == 6
    assert asked(run("again")) == 0
    options = ""
    if change == "weight":
        change_one_weight(folder)
    elif change == "tokenizer":
        change_tokenizer(folder)
    elif change == "dtype":
        options = ",dtype=bfloat16"
    else:
        rows = [{**r, "label": {"positive": "good", "negative": "bad"}[r["label"]]} for r in ROWS]
        found = scrutiny.run(
            "performance",
            model=f"hf:{folder}#labels=bad|good",
            data=rows,
            out=tmp_path / "other",
            cache=cache,
        )
        assert asked(found) == 6
        return
    assert asked(run("changed", options)) == 6


def change_one_weight(folder: Path) -> None:
    from safetensors.numpy import load_file, save_file

    path = next(folder.glob("*.safetensors"))
    weights = load_file(path)
    name = sorted(weights)[0]
    weights[name].flat[0] += 1.0
    save_file(weights, path, metadata={"format": "pt"})


def change_tokenizer(folder: Path) -> None:
    from tiny_bert import WORDS, make_tokenizer

    words = list(WORDS)
    good, bad = words.index("good"), words.index("bad")
    words[good], words[bad] = words[bad], words[good]
    make_tokenizer(folder, words=words)


def test_weights_that_change_in_the_middle_of_a_run_are_refused(
    checkpoint: Path, tmp_path: Path
) -> None:
    for seed in (1, 2):
        shutil.copytree(checkpoint, tmp_path / "runs" / f"seed-{seed}")
    model = f"hf:{tmp_path}/runs/seed-{{seed}}#labels=negative|positive"
    scrutiny.run("performance", model=model, data=ROWS, out=tmp_path / "out")
    forget_finished_shards(tmp_path / "out" / "journal.sqlite")
    change_one_weight(tmp_path / "runs" / "seed-2")
    with pytest.raises(ModelError, match=r"seed-2.* has changed since this run began"):
        scrutiny.run("performance", model=model, data=ROWS, out=tmp_path / "out")


def forget_finished_shards(journal: Path) -> None:
    with sqlite3.connect(journal) as connection:
        connection.execute("DELETE FROM done")
        connection.execute("DELETE FROM meta WHERE key = 'settled'")
