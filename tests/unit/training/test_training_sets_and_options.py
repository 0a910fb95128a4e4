"""Fine-tuning of heads for several labels and for a choice: losses, targets, and learning."""

import random

import pytest
from finetune_toys import FILLERS, job, make_encoder, make_tokenizer

from scrutiny.core.answers.choices import LabelSet, Option
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from scrutiny.training.finetuning.finetuning import FINETUNE  # noqa: E402
from scrutiny.training.finetuning.sets_and_options import (  # noqa: E402
    ChoosingTarget,
    EncodedOptions,
    EncodedSets,
    SeveralTarget,
)
from scrutiny.training.finetuning.targets import Target  # noqa: E402

SEVERAL, CHOICE = load_task("multi-label-classification"), load_task("multiple-choice")


def several(count=120, *, seed=0):
    """Texts with "good", with "london", with both or with neither."""
    rng = random.Random(seed)
    rows = []
    for n in range(count):
        words = [rng.choice(FILLERS) for _ in range(5)]
        marks = {"good": "praise", "london": "place"}
        held = [word for i, word in enumerate(marks) if n >> i & 1]
        words += held
        rng.shuffle(words)
        rows.append({"text": " ".join(words), "label": [marks[word] for word in held]})
    return rows


def chosen(count=120, *, seed=0):
    """Items of two or three options, of which the right one is "good"."""
    rng = random.Random(seed)
    rows = []
    for n in range(count):
        options = ["bad", "not", "no"][: 1 + n % 2]
        options.insert(place := rng.randrange(len(options) + 1), "good")
        text = " ".join(rng.choice(FILLERS) for _ in range(4))
        rows.append({"text": text, "options": options, "answer": place})
    return rows


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("encoder") / "base")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizer")
    make_tokenizer(folder)
    return transformers.AutoTokenizer.from_pretrained(folder)


def test_the_loss_of_options_is_that_of_each_item_by_itself():
    encoded = EncodedOptions(
        {"input_ids": [[1], [1, 2], [1], [1], [1, 2, 3]]}, [1, 0], [], 0, (2, 3)
    )
    assert encoded.lengths == [2, 3]
    assert encoded.rows([1, 0]) == [2, 3, 4, 0, 1]
    logits = torch.tensor([[0.3], [-1.0], [2.0], [0.1], [0.7]])  # of the rows in this order
    own = [torch.log_softmax(logits[:3, 0], 0)[0], torch.log_softmax(logits[3:, 0], 0)[1]]
    assert encoded.loss(logits, [1, 0]).item() == pytest.approx(-sum(own).item() / 2, abs=1e-6)
    assert encoded.by_example(encoded.shares(logits).tolist())[0] == pytest.approx([0.3, -1.0])


def test_the_loss_of_label_sets_is_that_of_transformers():
    encoded = EncodedSets({}, [[1.0, 0.0], [1.0, 1.0]], [], 0)
    logits = torch.tensor([[0.2, -3.0], [1.5, 0.4]])
    theirs = torch.nn.BCEWithLogitsLoss()(logits, torch.tensor([[1.0, 1.0], [1.0, 0.0]]))
    assert encoded.loss(logits, [1, 0]).item() == pytest.approx(theirs.item(), abs=1e-6)


def test_targets_are_read_back_as_answers(tokenizer):
    sets, options = SeveralTarget(SEVERAL, ("a", "b")), ChoosingTarget(CHOICE)
    texts = [
        Example("1", {"text": "good film"}, LabelSet("b")),
        Example("2", {"text": "a"}, LabelSet()),
    ]
    assert sets.encode(tokenizer, texts, longest=8).targets == [[0.0, 1.0], [0.0, 0.0]]
    assert sets.answer(texts[0], [0.5, 0.49], ()).answer == LabelSet("a")
    asked = {"text": "ada was", "question": "and it", "option_1": "bad", "option_2": "good"}
    encoded = options.encode(tokenizer, [Example("1", asked, Option(1))], longest=8)
    read = tokenizer.batch_decode(encoded.columns["input_ids"])
    assert read == ["[CLS] ada was [SEP] and it bad [SEP]", "[CLS] ada was [SEP] and it good [SEP]"]
    assert (encoded.targets, encoded.counts, encoded.n_cut) == ([1], (2,), 2)
    assert options.answer(Example("1", asked), [0.1, 0.1], ()).answer == Option(0)


def test_other_answers_cannot_be_learned():
    with pytest.raises(PlanError, match="options of the item, sets of labels"):
        Target(load_task("minimal-pairs"), ())


@pytest.mark.parametrize(
    ("rows", "task", "kind"),
    [(several, SEVERAL, "several"), (chosen, CHOICE, "options")],
    ids=["several", "options"],
)
def test_a_head_learns_and_is_asked_as_it_was_trained(rows, task, kind, base, tmp_path):
    trained = job(base, rows() if kind == "options" else labeled(rows()), epochs=6)
    (done,) = FINETUNE.train(trained, tmp_path)
    assert done.record["dev_score"] > 0.9 > done.record["dev_chance"] + 0.2
    assert (done.record["task"], done.record["metric"]) == (
        task.name,
        task.scored_by.level.partition("@")[0],
    )
    # what the checkpoint answers, loaded as a model, is what the trainer scored
    model = load_model(f"hf:{done.folder}", task=task)
    dev = list(trained.parts.dev)
    level = level_of(task, dev, model.predict(dev), labels=trained.parts.labels)
    assert level == pytest.approx(done.record["dev_score"], abs=1e-9)


def labeled(rows):
    """Rows as a dataset of several labels, which columns alone do not tell from one label."""
    from scrutiny.data.dataset import load_dataset

    return load_dataset(rows, task="multi-label-classification")
