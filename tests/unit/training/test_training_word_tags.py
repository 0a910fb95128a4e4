"""Networks that learn tags of words or labels of texts, of three kinds and of like size."""

import random
import tomllib
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scrutiny.core.errors import DataError, PlanError  # noqa: E402
from scrutiny.core.registry import registry  # noqa: E402
from scrutiny.data.dataset import load_dataset  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.words.word_model import Vocabulary  # noqa: E402
from scrutiny.models.words.word_networks import fresh_parts  # noqa: E402
from scrutiny.run.training import recipe_of_node  # noqa: E402
from scrutiny.tasks.tags import bio_names  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402
from scrutiny.training.words.network_recipes import weights_of  # noqa: E402
from scrutiny.training.words.trainers import outcome_of, train_words  # noqa: E402
from scrutiny.training.words.word_recipe import Numbered  # noqa: E402

TAGGING = "token-tagging"
KINDS = ("convolution", "recurrent", "self-attention")
PLAN = Path(__file__).parents[3] / "examples" / "architectures.toml"
SIZES = {"embedding": 12, "hidden": 12, "epochs": 12, "batch": 8}
QUICK = {**SIZES, "lr": 0.01, "dropout": 0.1, "dev_share": 0.2}
#: Without the word before it, the tag of every other word is a guess: .75 of the words are right.
LEAST = {"convolution": 1.0, "recurrent": 1.0, "self-attention": 0.85}


def trainer(kind):
    return registry().load("trainer", kind)


def rows(n, *, seed=0):
    """Sentences in which a word is a VERB behind "to", and a NOUN elsewhere."""
    rng = random.Random(seed)
    made = []
    for _ in range(n):
        words = []
        for word in rng.choices(("walk", "run", "play", "dance"), k=4):
            words += [rng.choice(("to", "the")), word]
        tags = [
            {"to": "PART", "the": "DET"}.get(word, "VERB" if before == "to" else "NOUN")
            for before, word in zip(["", *words], words, strict=False)
        ]
        made.append({"tokens": words, "tags": tags})
    return made


@pytest.fixture(scope="module")
def tagged():
    return load_dataset(rows(80), task=TAGGING)


@pytest.mark.parametrize("kind", KINDS)
def test_it_learns_tags_that_hang_on_the_word_before(kind, tagged, tmp_path):
    recipe = recipe_of_node(trainer(kind).recipe(TAGGING), QUICK, where="here")
    (one,) = train_words(tagged, tmp_path, recipe=recipe, seeds=[1])
    assert one.record["dev_score"] >= LEAST[kind]
    weights = one.record["weights"]
    assert weights["words"] == 12 * (4 + one.record["words"])
    assert f"{weights['others']:,} weights beside their vectors" in outcome_of(one.record)
    model = load_model(f"{kind}:{one.folder}", load_task(TAGGING))
    other = load_dataset(rows(40, seed=5), task=TAGGING).examples
    pairs = zip(model.predict(other), other, strict=True)
    right = sum(len(set(answer.answer) & set(example.gold)) for answer, example in pairs)
    assert right / (8 * len(other)) >= LEAST[kind] - 0.02


def test_targets_of_a_batch_are_tags_between_boundaries(tagged):
    names, words = bio_names(tagged.labels), Vocabulary(("to", "the"))
    short = load_dataset([{"tokens": ["to"], "tags": ["PART"]}], task=TAGGING).examples
    both = Numbered.of_words([*tagged.examples[:1], *short], words, names)
    assert both.ids[1] == (4,)
    first, second = both.targets([0, 1]).tolist()
    assert len(first) == 8 + 2
    assert (first[0], first[-1]) == (-100, -100)
    assert second == [-100, names.index("B-PART"), *[-100] * 8]
    labeled = Numbered(((4,), (5, 4)), (1, 0))
    assert labeled.targets([1, 0]).tolist() == [0, 1]


def test_a_trainer_says_what_it_learns():
    assert trainer("convolution").reads("") == "text-classification"
    assert trainer("convolution").reads("token-tagging@1") == TAGGING
    with pytest.raises(PlanError, match="are trained for text-classification or token-tagging"):
        trainer("self-attention").reads("translation")
    with pytest.raises(PlanError, match="are trained for text-classification, and not for token"):
        trainer("attention-classifier").reads(TAGGING)


def test_tags_without_a_known_word_are_refused(tmp_path):
    alone = load_dataset([{"tokens": [f"w{i}"], "tags": ["NOUN"]} for i in range(20)], task=TAGGING)
    recipe = recipe_of_node(
        trainer("convolution").recipe(TAGGING), {**QUICK, "dev_share": 0.0}, where="here"
    )
    with pytest.raises(DataError, match="No word occurs often enough"):
        train_words(alone, tmp_path, recipe=recipe, seeds=[1])


def test_the_architectures_of_the_example_are_of_like_size():
    """Weights beside words' vectors within 10 % on each task, and the same recipe otherwise."""
    plan = tomllib.loads(PLAN.read_text("utf-8"))
    by_data, shared = {}, {}
    for node in plan["train"]:
        recipe = recipe_of_node(trainer(node["trainer"]).recipe(""), node["params"], where="here")
        labels = bio_names([f"T{i}" for i in range(17)]) if node.get("task") else ("a", "b")
        made = fresh_parts(
            recipe.parts_of, recipe.architecture, Vocabulary(("a",)), labels=labels, seed=0
        )
        by_data.setdefault(node["data"], []).append(weights_of(made)["others"])
        common = ("epochs", "batch", "lr", "weight_decay", "clip", "dropout", "least", "limit")
        own = (recipe.architecture.pooling, *(getattr(recipe, name) for name in common))
        shared.setdefault(node["data"], set()).add(own)
    assert all(max(sizes) < 1.1 * min(sizes) for sizes in by_data.values())
    assert by_data["sst2-train"] == [43_970, 41_218, 42_434]
    assert {len(recipes) for recipes in shared.values()} == {1}
