"""Networks that cut texts into words: borders by hand, blanks, confidences, what is refused."""

from math import prod

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scrutiny.core.answers.label_and_spans import SEGMENTS  # noqa: E402
from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.example import Example  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.words.recurrent_classifier import (  # noqa: E402
    RecurrentArchitecture,
    RecurrentParts,
)
from scrutiny.models.words.sequence_taggers import SequenceCutter  # noqa: E402
from scrutiny.models.words.word_model import Vocabulary, with_pairs  # noqa: E402
from scrutiny.models.words.word_networks import fresh_parts, write_network  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402
from scrutiny.testing import check_adapter  # noqa: E402

TASK = load_task("word-segmentation")
TEXTS = ["天地人你", "我", "", " 天地 人\n你我 ", "  "]
EXAMPLES = [Example(str(i), {"text": text}) for i, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A network of fresh weights, whose outputs are far enough from .5 to differ."""
    words = Vocabulary(("天", "地", "人", "你", "我", "天地", "地人", "人你"))
    parts = fresh_parts(
        RecurrentParts,
        RecurrentArchitecture(embedding=6, hidden=5),
        words,
        labels=("apart", "together"),
        seed=8,
        answer=SEGMENTS.name,
    )
    with torch.no_grad():
        for values in parts.network.parameters():
            values.mul_(3.0)
    place = tmp_path_factory.mktemp("cutter")
    write_network(parts, place)
    return place


def loaded(folder, more="", task=TASK):
    return load_model(f"recurrent:{folder}{more}", task)


def cut_by_hand(model, text):
    """Words and their confidences: each character joins the word before it, or begins one."""
    parts, pieces = model._parts, with_pairs(text)
    logits = model._probabilities([Example("x", {"text": text})])[0]
    apart = {i: float(p) for i, p in enumerate(logits[:, 0]) if i % 2}
    assert len(pieces) == len(logits)
    assert parts.labels == ("apart", "together")
    words, sure = [], []
    for k, (place, letter) in enumerate((i, c) for i, c in enumerate(text) if not c.isspace()):
        free = k and not text[place - 1].isspace()
        p = apart[2 * k - 1] if free else 1.0
        if p >= 0.5:
            if words:
                sure[-1].append(p)
            words.append(letter)
            sure.append([p])
        else:
            words[-1] += letter
            sure[-1].append(1 - p)
    return words, [prod(own) for own in sure]


def test_words_begin_where_that_is_likelier_and_behind_blanks(folder):
    model = loaded(folder)
    assert isinstance(model, SequenceCutter)
    answers = model.predict(EXAMPLES)
    shown = []
    for answer, example in zip(answers, EXAMPLES, strict=True):
        words, sure = cut_by_hand(model, example.text) if example.text.strip() else ([], [])
        assert SEGMENTS.show(answer.answer, example.fields) == " | ".join(words)
        assert answer.scores == pytest.approx(tuple(sure))
        shown.append(words)
    assert {len(word) for words in shown for word in words} >= {1, 2}  # some together, some apart
    assert shown[3][0][0] == "天"
    assert not any("地人" in word for word in shown[3])  # a blank lies between them


def test_it_keeps_every_promise_of_an_adapter(folder):
    check_adapter(loaded(folder))
    check_adapter(loaded(folder), EXAMPLES)


def test_answers_do_not_hang_on_what_stands_beside_a_text(folder):
    model = loaded(folder)
    alone = [model.predict([example])[0] for example in EXAMPLES]
    for one, other in zip(alone, model.predict(EXAMPLES), strict=True):
        assert one.answer == other.answer
        assert np.allclose(one.scores, other.scores, atol=1e-12)


def test_it_has_no_gradients_of_labels_and_no_vectors_of_words(folder):
    model = loaded(folder)
    assert model.capabilities == {"predict", "shuffled_weights"}
    with pytest.raises(ModelError, match="reads characters, and has no vectors of words"):
        loaded(folder, "#head=none")
    with pytest.raises(ModelError, match="borders of words"):
        loaded(folder, task=load_task("token-tagging"))


def test_random_weights_cut_otherwise(folder):
    one, other = loaded(folder), loaded(folder, "#untrained=3")
    assert one.fingerprint() != other.fingerprint()
    assert one.predict(EXAMPLES)[0] != other.predict(EXAMPLES)[0]
