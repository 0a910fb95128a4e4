"""Recurrent networks that learn the next character of running text, and their cells."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scrutiny.core.errors import ModelError, PlanError  # noqa: E402
from scrutiny.core.queries.states import HasCells  # noqa: E402
from scrutiny.data.dataset import load_dataset  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402
from scrutiny.training.words.network_recipes import ConvolutionRecipe, RecurrentRecipe  # noqa: E402
from scrutiny.training.words.trainers import outcome_of, train_words  # noqa: E402
from scrutiny.training.words.word_recipe import Numbered  # noqa: E402

TASK = "passages"


def passages(texts):
    return load_dataset([{"text": text} for text in texts], task=TASK)


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A network that has read "abcabc…" from each of its three places on."""
    from scrutiny.models.words.recurrent_classifier import RecurrentArchitecture

    recipe = RecurrentRecipe(
        RecurrentArchitecture(embedding=8, hidden=12, is_bidirectional=True),
        epochs=12,
        batch=4,
        lr=0.02,
        dropout=0.0,
        dev_share=0.25,
    )
    data = passages(("Abc" * 12)[i % 3 : 20 + i] for i in range(16))
    out = tmp_path_factory.mktemp("characters")
    (made,) = train_words(data, out, recipe=recipe, seeds=[1])
    return made


def loaded(made, more="", task=TASK):
    return load_model(f"recurrent:{made.folder}{more}", load_task(task))


def test_it_learns_what_comes_next_and_keeps_capitals(learned):
    assert learned.record["dev_score"] > 0.9  # beyond what ends where nothing says so
    assert "3 characters" in outcome_of(learned.record)
    assert learned.record["labels"] == []


def test_its_cells_are_asked_at_each_character(learned):
    model = loaded(learned)
    assert isinstance(model, HasCells)
    assert model.capabilities == {"cells", "shuffled_weights"}
    assert model.cell_pieces("A b") == ((0, 1), (1, 2), (2, 3))
    found = model.cells("Abz")
    assert set(found) == {"layer 1"}  # nothing reads from the end, whatever the recipe says
    assert found["layer 1"].states.shape == (3, 12)
    longer = model.cells("Abzbc")["layer 1"].states
    assert longer[:3] == pytest.approx(found["layer 1"].states)


def test_random_weights_are_another_network_of_the_same_kind(learned):
    one, other = loaded(learned), loaded(learned, "#untrained=3")
    assert one.fingerprint() != other.fingerprint()
    assert other.cells("Ab")["layer 1"].states.shape == (2, 12)


def test_it_is_no_classifier(learned):
    with pytest.raises(ModelError, match="running text"):
        loaded(learned, task="text-classification")


def test_the_next_character_is_the_target_at_each_and_the_end_at_the_last():
    from scrutiny.models.words.word_model import END, Vocabulary

    data = passages(["ab", "aab"])
    words = Vocabulary(("a", "b"))
    found = Numbered.of_characters(data.examples, words, ())
    assert found.ids == ((4, 5), (4, 4, 5))
    assert found.labels == ((5, END), (4, 5, END))
    assert found.targets([0, 1])[:, 0].tolist() == [-100, -100]  # the boundary says nothing


def test_others_are_not_trained_on_running_text(tmp_path):
    with pytest.raises(PlanError, match="and not for passages"):
        train_words(passages(["ab", "ba"]), tmp_path, recipe=ConvolutionRecipe())
