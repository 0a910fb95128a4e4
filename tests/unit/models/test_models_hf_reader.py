"""Readers of transformers: windows of long texts, and the likeliest stretch."""

from itertools import product

import numpy as np
import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import LoadOptions
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.hf.word_pieces import LONGEST, likeliest
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_adapter

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import make_checkpoint  # noqa: E402

READING = load_task("question-answering")
LONG = "ada left paris . the film was good , and the story was not very dull . it was fine !"
ASKED = [
    Example("0", {"question": "ada left ?", "context": "ada left paris for london ."}),
    Example("1", {"question": "the story was", "context": LONG}),
    Example("2", {"question": "fine ?", "context": "zzz"}),
    Example("3", {"question": "a film", "context": f"{LONG} {LONG}"}),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("reader"), head="QuestionAnswering")


def by_hand(folder, example, *, limit=24, stride):
    """Likeliest stretch of all windows, by transformers itself and by trying them all."""
    network = transformers.AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    question, text = example.fields.values()
    whole = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    ids, offsets = whole["input_ids"], whole["offset_mapping"]
    asked = tokenizer.convert_tokens_to_ids(["[CLS]", *tokenizer.tokenize(question), "[SEP]"])
    room = limit - len(asked) - 1
    best = (-np.inf, 0, 0, 0.0)
    for first in range(0, max(1, len(ids) - stride), room - stride):
        part = ids[first : first + room]
        row = [*asked, *part, tokenizer.sep_token_id]
        kinds = [0] * len(asked) + [1] * (len(part) + 1)
        with torch.no_grad():
            out = network(torch.tensor([row]), token_type_ids=torch.tensor([kinds]))
        starts, ends = (x[0, len(asked) : -1].tolist() for x in (out.start_logits, out.end_logits))
        sure = [
            torch.softmax(x[0], -1)[len(asked) : -1] for x in (out.start_logits, out.end_logits)
        ]
        for i, j in product(range(len(part)), repeat=2):
            if i <= j < i + LONGEST:
                place = offsets[first + i][0], offsets[first + j][1]
                best = max(best, (starts[i] + ends[j], *place, float(sure[0][i] * sure[1][j])))
    return text[best[1] : best[2]], best[1], best[3]


@pytest.mark.parametrize("at", range(len(ASKED)))
def test_the_answer_is_the_likeliest_stretch_of_any_window(folder, at):
    example = ASKED[at]
    question = example.fields["question"].split()
    (found,) = predict_or_fail(load_model(f"hf:{folder}", READING), [example])
    stride = (24 - (len(question) + 3)) // 2  # half of what the question leaves
    answer, start, sure = by_hand(folder, example, stride=stride)
    assert (found.answer.text, found.answer.field, found.answer.start) == (answer, "context", start)
    assert found.scores == (pytest.approx(sure, rel=1e-4),)


def test_questions_in_any_company_have_the_same_answers(folder):
    alone = load_model(f"hf:{folder}", READING, LoadOptions(batch=1))
    together = load_model(f"hf:{folder}", READING, LoadOptions(batch=8))
    asked = [e for e in ASKED if len(e.fields["question"].split()) == 2] * 2  # one stride for all
    given, wanted = together.predict(asked), [one for e in asked for one in alone.predict([e])]
    assert [one.answer for one in given] == [one.answer for one in wanted]
    for one, other in zip(given, wanted, strict=True):
        assert one.scores == pytest.approx(other.scores, abs=1e-6)
    assert together.fingerprint() == alone.fingerprint()
    check_adapter(together, asked[:2])


def test_a_question_that_leaves_no_room_fails_alone(folder):
    asked = [ASKED[0], Example("9", {"question": "good " * 14, "context": "it was"})]
    first, second = predict_or_fail(load_model(f"hf:{folder}", READING), asked)
    assert first.answer.text
    assert isinstance(second, Failure)
    assert second.reason == "too_long"


def test_another_head_is_refused(tmp_path):
    make_checkpoint(tmp_path)
    with pytest.raises(ModelError, match=r"question-answering needs a model …ForQuestionAnswering"):
        load_model(f"hf:{tmp_path}", READING)


def test_the_likeliest_stretch():
    places = [(0, 0), (0, 2), (3, 5), (6, 8), (0, 0)]
    start, end = np.array([9.0, 1, 5, 0, 9]), np.array([9.0, 4, 1, 3, 9])
    # the best start lies behind the best end: 5 + 3 is more than 1 + 4
    assert likeliest(start, end, places) == (8.0, 3, 8)
    assert likeliest(start, end, [(0, 0)] * 5) is None


def test_stretches_have_a_longest():
    n = 2 * LONGEST
    places = [(i, i + 1) for i in range(n)]
    start, end = np.zeros(n), np.zeros(n)
    start[0] = end[-1] = 5.0
    assert likeliest(start, end, places) == (5.0, 0, 1)
    end[LONGEST - 1] = 3.0
    assert likeliest(start, end, places) == (8.0, 0, LONGEST)
