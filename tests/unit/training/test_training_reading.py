"""Fine-tuning of readers: targets of answers, and a network that learns where they stand."""

import json

import numpy as np
import pytest

from scrutiny.core.answers.texts import AnyOf, Extract
from scrutiny.core.example import Example
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from scrutiny.cli import group  # noqa: E402
from scrutiny.cli.failures import exit_code_of  # noqa: E402
from scrutiny.training.finetuning.targets import ReadingTarget  # noqa: E402

READING = load_task("question-answering")
PLACES = ("paris", "london", "new york")


def question(number, context, answer):
    place = context.index(answer)
    gold = AnyOf((Extract(answer, "context", place),))
    return Example(str(number), {"question": "where ?", "context": context}, gold)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("tokenizer")
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
    from tiny_bert import make_tokenizer

    make_tokenizer(folder)
    return AutoTokenizer.from_pretrained(folder)


def test_targets_are_the_pieces_of_the_answer(tokenizer):
    asked = [
        question(0, "ada left new york .", "new york"),
        question(1, "ada left paris for london and new york .", "new york"),
    ]
    encoded = ReadingTarget(READING).encode(tokenizer, asked, longest=12)
    # [CLS] where ? [SEP] ada left new york . [SEP]
    assert encoded.targets == [(6, 7), (0, 0)]  # the second was cut off
    assert encoded.n_cut == 1
    assert encoded.offsets[0][:5] == [(0, 0), (0, 0), (0, 0), (0, 0), (0, 3)]


def test_answers_are_read_off_both_distributions(tokenizer):
    asked = question(0, "ada left new york .", "new york")
    target = ReadingTarget(READING)
    pieces = target.encode(tokenizer, [asked], longest=24).offsets[0]
    scores = np.full((2, len(pieces) + 3), 0.01)  # padded
    scores[0, 6] = scores[1, 7] = 0.9
    assert target.answer(asked, scores.tolist(), pieces).answer == asked.gold[0]


@pytest.mark.slow
def test_a_reader_learns_where_answers_stand(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    from tiny_bert import make_checkpoint

    make_checkpoint(tmp_path / "base", head=None)
    rng, rows = np.random.default_rng(0), []
    for place in PLACES * 60:
        words = [*rng.permutation(["ada", "left", "the", "story", "was", "fine", "a", "film"])[:6]]
        words.insert(int(rng.integers(7)), place)
        rows.append({"question": "where ?", "context": " ".join(words) + " .", "answers": place})
    for name, part in (("train", rows[:140]), ("test", rows[140:])):
        lines = [json.dumps({**row, "id": f"{name}{i}"}) for i, row in enumerate(part)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    asked = "train finetune --model hf:base --data jsonl:train.jsonl --out runs --seeds 1"
    asked += " --epochs 12 --lr 0.006 --batch 8 --display none"
    assert exit_code_of(group, asked.split()) == 0
    assert "dev answer_f1" in capsys.readouterr().out
    from scrutiny.data.dataset import load_dataset

    data = load_dataset("jsonl:test.jsonl")
    model = load_model("hf:runs/seed-1", READING)
    found = level_of(READING, data.examples, model.predict(data.examples))
    assert found > READING.chance(data.examples) + 0.3
    record = json.loads((tmp_path / "runs" / "seed-1" / "training.json").read_text())
    assert (record["task"], record["metric"]) == ("question-answering", "answer_f1")
    assert record["dev_chance"] == pytest.approx(READING.chance(data.examples), abs=0.1)
