"""Networks that learn where words end in texts without spaces: a planted language, and commands."""

import random

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scrutiny.cli.verbs import train  # noqa: E402
from scrutiny.core.errors import PlanError  # noqa: E402
from scrutiny.data.dataset import load_dataset  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.run.planning.plan_file import plan_of  # noqa: E402
from scrutiny.run.training import with_trained  # noqa: E402
from scrutiny.tasks.scores import level_of  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402
from scrutiny.training.words.network_recipes import AttentionRecipe  # noqa: E402
from scrutiny.training.words.trainers import train_words  # noqa: E402
from scrutiny.training.words.word_recipe import Numbered, uncut_characters  # noqa: E402

TASK = load_task("word-segmentation")
#: 甲 begins a word or ends one: no character tells a border alone, each pair of them does.
LEXICON = ("甲乙", "丙", "丁甲", "戊己庚")
SMALL = ("--embedding", "8", "--hidden", "8", "--batch", "8", "--lr", "0.03", "--dropout", "0")


def sentences(n, *, seed):
    """Sentences of four to eight words, cut by blanks."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(LEXICON, k=rng.randrange(4, 9))) for _ in range(n)]


def as_words(lines):
    return load_dataset([{"segmented": line} for line in lines], task=TASK.name)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("borders") / "train.utf8"
    path.write_text("\n".join(sentences(80, seed=1)), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["convolution", "recurrent", "self-attention"])
def test_a_command_learns_words_from_data_that_are_cut(kind, file, tmp_path):
    """Each kind cuts what it has not seen; the data say what is learned, and no option."""
    asked = ["--data", f"segmented:{file}", "--seeds", "1", "--epochs", "6", "--out", str(tmp_path)]
    command = getattr(train, kind.replace("-", "_"))
    done = CliRunner().invoke(command, [*asked, *SMALL, "--display", "none"])
    assert done.exit_code == 0, done.exception
    assert "characters and pairs" in done.output
    model = load_model(f"{kind}:{tmp_path}/seed-1", TASK)
    other = as_words(sentences(40, seed=2)).examples
    assert level_of(TASK, other, model.predict(other)) > 0.99
    assert TASK.chance(other) < 0.5


def test_targets_are_at_pairs(tmp_path):
    from scrutiny.models.words.word_model import Vocabulary

    examples = as_words(["甲乙 丙", "丁甲"]).examples
    assert uncut_characters(examples[0]) == ("甲", "甲乙", "乙", "乙丙", "丙")
    words = Vocabulary(("甲", "甲乙", "丁甲"))
    found = Numbered.of_borders(examples, words, ())
    assert found.ids == ((4, 5, 1, 1, 1), (1, 6, 4))
    none = -100  # characters say nothing
    assert found.labels == ((none, 1, none, 0, none), (none, 1, none))
    assert found.targets([0, 1]).tolist()[1] == [none, none, 1, none, none, none, none]


def test_a_plan_trains_them_once(file, tmp_path):
    node = {"name": "cut", "trainer": "convolution", "data": "train", "task": TASK.name}
    small = {"embedding": 4, "hidden": 4, "epochs": 1}
    files = {"train": file, "test": tmp_path / "test.utf8"}
    files["test"].write_text("\n".join(sentences(9, seed=4)), encoding="utf-8")
    plan = plan_of(
        {
            "data": {name: {"source": f"segmented:{place}"} for name, place in files.items()},
            "train": [{**node, "runs": 2, "params": small}],
            "measure": [
                {"id": "level", "diagnostic": "performance", "models": ["cut"], "data": ["test"]}
            ],
        }
    )
    made = with_trained(plan)
    (model,) = made.models
    assert model.source.startswith("convolution:")
    assert with_trained(plan).models == made.models


def test_who_reads_words_learns_no_borders(file, tmp_path):
    with pytest.raises(PlanError, match="and not for word-segmentation"):
        train_words(as_words(sentences(9, seed=3)), tmp_path, recipe=AttentionRecipe())
    stated = ["--data", f"segmented:{file}", "--task", "translation", "--out", str(tmp_path)]
    found = CliRunner().invoke(train.convolution, stated).exception
    assert isinstance(found, PlanError)
    assert "token-tagging or word-segmentation, and not for translation" in str(found)
