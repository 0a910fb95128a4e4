"""Multi-label heads and heads for multiple choice of transformers, beside transformers itself."""

import json

import pytest

from scrutiny.core.answers.choices import LabelSet, Option
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import LoadOptions
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_adapter

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import make_checkpoint  # noqa: E402

SETS, CHOICE = load_task("multi-label-classification"), load_task("multiple-choice")
TEXTS = [
    Example(str(i), {"text": text}, LabelSet(gold))
    for i, (text, gold) in enumerate(
        [("the film was good", "a"), ("dull , bad !", ""), ("ada left paris for london", "bc")]
    )
]
ASKED = [
    Example("0", {"text": "ada left .", "question": "was it", "option_1": "a", "option_2": "new"}),
    Example("1", {"text": "fine", "option_1": "good", "option_2": "bad", "option_3": "dull"}),
    Example("2", {"text": "ada " * 30, "option_1": "ada", "option_2": "paris"}),
]


def loaded(folder, task, batch="auto"):
    return load_model(f"hf:{folder}", task=task, options=LoadOptions(batch=batch))


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    folder = make_checkpoint(tmp_path_factory.mktemp("sets"), labels=tuple("abcdefgh"), seed=2)
    path = folder / "config.json"
    config = {**json.loads(path.read_text()), "problem_type": "multi_label_classification"}
    path.write_text(json.dumps(config))
    return folder


@pytest.fixture(scope="module")
def chooser(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("chooser"), head="MultipleChoice")


def test_labels_from_a_half_on_are_given(sets):
    network = transformers.AutoModelForSequenceClassification.from_pretrained(sets).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(sets)
    model = loaded(sets, SETS)
    assert model.labels == tuple("abcdefgh")
    assert not {"gradients", "shuffled_weights"} & model.capabilities
    given = [one.answer for one in model.predict(TEXTS)]
    for example, labels in zip(TEXTS, given, strict=True):
        with torch.no_grad():
            logits = network(**tokenizer(example.text, return_tensors="pt")).logits[0]
        assert labels == LabelSet(
            n for n, x in zip("abcdefgh", logits.tolist(), strict=True) if x >= 0
        )
    assert len(set(given)) > 1, "the tiny network tells texts apart"
    assert model.predict([]) == []
    check_adapter(model, TEXTS)


def test_one_kind_of_head_is_not_taken_for_the_other(sets, tmp_path):
    with pytest.raises(ModelError, match="exactly one label"):
        loaded(sets, load_task("text-classification"))
    plain = make_checkpoint(tmp_path / "plain")
    with pytest.raises(ModelError, match="does not say that each of its outputs"):
        loaded(plain, SETS)
    with pytest.raises(ModelError, match="ForMultipleChoice"):
        loaded(plain, CHOICE)


def test_options_are_scored_behind_their_texts(chooser):
    network = transformers.AutoModelForMultipleChoice.from_pretrained(chooser).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(chooser)
    model = loaded(chooser, CHOICE)
    found = model.predict(ASKED)
    for example, one in zip(ASKED, found, strict=True):
        first, *others = [t for n, t in example.fields.items() if not n.startswith("option")]
        options = [t for n, t in example.fields.items() if n.startswith("option")]
        rows = tokenizer(
            [first] * len(options),
            [" ".join([*others, option]) for option in options],
            return_tensors="pt", padding=True, truncation=True, max_length=24,
        )  # fmt: skip
        with torch.no_grad():
            logits = network(**{name: x[None] for name, x in rows.items()}).logits[0]
        assert one.answer == Option(int(logits.argmax()))
        assert one.scores[0] == pytest.approx(float(torch.softmax(logits, -1).max()), abs=1e-5)
    assert model.truncated(ASKED) == 1
    assert model.predict([]) == []
    assert [one.answer for one in loaded(chooser, CHOICE, batch=1).predict(ASKED)] == [
        one.answer for one in found
    ]


def test_the_gap_of_a_pronoun_is_filled(chooser):
    model = loaded(chooser, load_task("pronoun-resolution"))
    texts = {"text": "ada left . _ was fine", "option_1": "ada", "option_2": "the film"}
    (one,) = model.predict([Example("1", texts)])
    filled = [
        {"text": texts["text"].replace("_", option), "option_1": option}
        for option in ("ada", "the film")
    ]
    network = transformers.AutoModelForMultipleChoice.from_pretrained(chooser).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(chooser)
    with torch.no_grad():
        logits = [
            float(
                network(
                    **{
                        name: x[None]
                        for name, x in tokenizer(*row.values(), return_tensors="pt").items()
                    }
                ).logits
            )
            for row in filled
        ]
    assert one.answer == Option(logits.index(max(logits)))
