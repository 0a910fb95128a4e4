"""Lessons of small networks: a loop by hand, the best epoch, and identities that stay."""

from types import SimpleNamespace

import pytest
from word_texts import write_rows

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scrutiny.core.errors import ModelError  # noqa: E402 - torch may be missing
from scrutiny.core.example import Example  # noqa: E402
from scrutiny.models.words.attention_classifier import Architecture  # noqa: E402
from scrutiny.models.words.recurrent_classifier import RecurrentArchitecture  # noqa: E402
from scrutiny.models.words.word_model import Vocabulary  # noqa: E402
from scrutiny.training.finetuning.training_data import load_parts  # noqa: E402
from scrutiny.training.words.linear import LinearRecipe  # noqa: E402
from scrutiny.training.words.network_recipes import (  # noqa: E402
    AttentionRecipe,
    RecurrentRecipe,
)
from scrutiny.training.words.trainers import WordJob  # noqa: E402
from scrutiny.training.words.word_recipe import (  # noqa: E402
    Lesson,
    Numbered,
    accuracy,
    seconds_of,
    take,
)

TEXTS = Numbered(((0,), (1,), (0,), (1,)), (0, 1, 0, 1))


class Scorer:
    """A number for each word and label; it reads the first word of a text."""

    def __init__(self, lr=0.5):
        self.network = torch.nn.ModuleDict({"table": torch.nn.Embedding(2, 2)})
        torch.nn.init.zeros_(self.network["table"].weight)
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=lr)

    def logits(self, texts):
        return self.network["table"](torch.tensor([ids[0] for ids in texts]))


def lesson(learner, epochs, batch, *, clip, dev=TEXTS):
    pace = SimpleNamespace(epochs=epochs, batch=batch, clip=clip, version="toy@1")
    return Lesson(learner, TEXTS, dev, made=None, recipe=pace)


def test_an_epoch_is_what_it_is_by_hand():
    """One batch of all texts: the gradient at zeros is a quarter at every word's own label."""
    learner = Scorer()
    found = take(lesson(learner, 1, 4, clip=10.0), seed=0)
    expected = torch.tensor([[0.125, -0.125], [-0.125, 0.125]])
    assert torch.allclose(learner.network["table"].weight, expected)
    assert found["epochs"] == [{"epoch": 1, "loss": pytest.approx(0.6931472), "dev": 1.0}]


def test_a_gradient_is_clipped():
    learner = Scorer(lr=1.0)
    take(lesson(learner, 1, 4, clip=0.1), seed=0)
    assert float(learner.network["table"].weight.detach().norm()) == pytest.approx(0.1, rel=1e-4)


def test_the_first_of_the_best_epochs_is_kept(monkeypatch):
    scores = iter([0.5, 0.75, 0.75, 0.25])
    monkeypatch.setattr("scrutiny.training.words.word_recipe.accuracy", lambda *_: next(scores))
    learner, seen = Scorer(), []
    found = take(lesson(learner, 4, 2, clip=10.0), seed=0, on_step=lambda: seen.append(1))
    assert (found["chosen_epoch"], found["dev_score"], len(seen)) == (2, 0.75, 8)
    other = Scorer()
    take(lesson(other, 2, 2, clip=10.0, dev=Numbered((), ())), seed=0)
    assert torch.equal(learner.network["table"].weight, other.network["table"].weight)


def test_without_a_dev_part_the_last_epoch_is_kept():
    found = take(lesson(Scorer(), 3, 2, clip=1.0, dev=Numbered((), ())), seed=0)
    assert found["chosen_epoch"] == 3


def test_a_loss_that_is_no_number_ends_the_training():
    learner = Scorer(lr=float("inf"))
    with pytest.raises(ModelError, match="Choose a smaller lr"):
        take(lesson(learner, 3, 2, clip=1.0), seed=0)


def test_the_generator_of_torch_is_left_as_it_was():
    one, large = lesson(Scorer(), 2, 2, clip=1.0), lesson(Scorer(), 2, 9, clip=1.0)
    state = torch.get_rng_state()
    take(one, seed=0)
    assert seconds_of(one) > 0
    assert seconds_of(large) > 0  # one step is all
    assert torch.equal(state, torch.get_rng_state())


def test_accuracy_is_a_share():
    learner = Scorer()
    with torch.no_grad():
        learner.network["table"].weight.copy_(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
    assert accuracy(learner, TEXTS) == 0.5


def test_texts_as_numbers():
    words = Vocabulary(("good", "bad"))
    examples = [
        Example(id=str(i), fields={"text": text}, gold=gold)
        for i, (text, gold) in enumerate([("Good bad odd", "y"), (" ", "x"), ("bad", "x")])
    ]
    found = Numbered.of(examples, words, ("x", "y"))
    assert found == Numbered(((4, 5, 1), (), (5,)), (1, 0, 0))
    assert found.lengths == [3, 0, 1]
    assert found.with_words() == Numbered(((4, 5, 1), (5,)), (1, 0))


#: Digests as they were when each kind had code of its own: what was trained then is still known.
IDENTITIES = {
    "linear": (LinearRecipe(), "38ea155bd6e952e40b5d7bc6aa59af38"),
    "recurrent": (
        RecurrentRecipe(RecurrentArchitecture(embedding=6, hidden=5), epochs=3, batch=16, lr=1e-2),
        "6f1249fad332e50108ac6f7b1ebbea29",
    ),
    "attention": (
        AttentionRecipe(Architecture(embedding=6, hidden=5), epochs=3, batch=16, lr=1e-2),
        "df1635ad457bb112c782ada502d5ee98",
    ),
}


@pytest.mark.parametrize("kind", IDENTITIES)
def test_what_was_trained_before_is_known_again(kind, tmp_path):
    recipe, identity = IDENTITIES[kind]
    data = write_rows(tmp_path / "rows.tsv")
    parts = load_parts(data, recipe.rows(), task="text-classification")
    assert WordJob(parts, recipe, (1,)).runs[0].identity == identity


@pytest.mark.parametrize("kind", IDENTITIES)
def test_a_stand_in_has_the_shape_of_what_is_trained(kind, tmp_path):
    recipe, _ = IDENTITIES[kind]
    data = write_rows(tmp_path / "rows.tsv")
    parts = load_parts(data, recipe.rows(), task="text-classification")
    write, seconds = recipe.stand_in(parts)
    for name, made in (("stand-in", write), ("trained", recipe.fit(parts, seed=1).write)):
        (tmp_path / name).mkdir()
        made(tmp_path / name)
    config, words = "config.json", "vocabulary.json"
    for file in (config, words) if kind != "linear" else (config,):
        there = [(tmp_path / name / file).read_bytes() for name in ("stand-in", "trained")]
        assert there[0] == there[1]
    assert seconds > 0
