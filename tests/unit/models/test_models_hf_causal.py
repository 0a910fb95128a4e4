"""Causal language models: batched answers are those of one forward at a time."""

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import change_config  # noqa: E402
from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.errors import ConformanceError, ModelError  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.core.queries.language import CausalLanguageModel, Continuation  # noqa: E402
from scrutiny.models.answers.language_answers import ask_or_fail  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402

TEXTS = ["the film was good", "bad", "a very dull story , and not a good film !", "it was fine"]
HEADS = {"GPT2": "LMHeadModel", "Llama": "ForCausalLM"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {
        kind: make_language_model(tmp_path_factory.mktemp("causal"), kind, head=head)
        for kind, head in HEADS.items()
    }


def continuations(model):
    return [
        Continuation((model.begin_id, *one.ids), start)
        for one in model.encode(TEXTS)
        for start in (1, len(one.ids))
    ]


def naive(folder, queries):
    network = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    found = []
    for query in queries:
        with torch.no_grad():
            scores = network(input_ids=torch.tensor([query.ids])).logits[0].log_softmax(-1)
        places = range(query.start, len(query.ids))
        found.append([scores[i - 1, query.ids[i]].item() for i in places])
    return found


@pytest.mark.parametrize("kind", HEADS)
def test_one_forward_at_a_time(folders, kind, unlabeled):
    model = load_model(f"hf:{folders[kind]}", unlabeled)
    assert isinstance(model, CausalLanguageModel)
    assert model._reader._head is not None
    assert (model.mask_id, model.limit) == (None, 24)
    queries = continuations(model)
    expected = naive(folders[kind], queries)
    for small in (model, load_model(f"hf:{folders[kind]}", unlabeled, LoadOptions(batch=1))):
        answers = small.token_logprobs(queries)
        for answer, wanted in zip(answers, expected, strict=True):
            assert answer == pytest.approx(wanted, abs=1e-5)
    model._reader._head = None  # by all logits, as for an architecture that is not known
    assert model.token_logprobs(queries)[4] == pytest.approx(expected[4], abs=1e-5)


def test_order_and_duplicates_change_nothing(folders, unlabeled):
    model = load_model(f"hf:{folders['GPT2']}", unlabeled)
    queries = continuations(model)
    together = model.token_logprobs(queries)
    turned = model.token_logprobs([*queries[::-1], queries[0]])
    for one, two in zip(turned, [*together[::-1], together[0]], strict=True):
        assert one == pytest.approx(two, abs=1e-5)


def test_a_text_without_a_begin_token_has_one_value_less(folders, unlabeled):
    model = load_model(f"hf:{folders['GPT2']}", unlabeled)
    ids = model.encode([TEXTS[0]])[0].ids
    assert [len(a) for a in model.token_logprobs([Continuation(ids), Continuation(ids, 4)])] == [
        3,
        0,
    ]


def test_where_a_text_begins(folders, unlabeled):
    gpt2 = load_model(f"hf:{folders['GPT2']}", unlabeled)
    assert gpt2.begin_id == 3  # its end of text, which has begun all of its texts
    assert gpt2.encode(["the"])[0].ids == (5,)


def test_a_long_text_fails_alone(folders, unlabeled):
    model = load_model(f"hf:{folders['GPT2']}", unlabeled)
    queries = [Continuation((3, 5)), Continuation((3,) * 25), Continuation((3, 6))]
    answers = ask_or_fail(model, "token_logprobs", queries)
    assert [len(answers[0]), answers[1].reason, len(answers[2])] == [1, "too_long", 1]


@pytest.mark.parametrize("start", [0, 3])
def test_a_start_outside_of_the_text(folders, unlabeled, start):
    model = load_model(f"hf:{folders['GPT2']}", unlabeled)
    with pytest.raises(ConformanceError, match="start is a number from 1 to the 2 tokens"):
        ask_or_fail(model, "token_logprobs", [Continuation((3, 5), start)])


def test_a_network_that_sees_what_follows_is_no_causal_model(tmp_path, unlabeled):
    make_language_model(tmp_path, "Bert", head="LMHeadModel")
    with pytest.raises(ModelError, match="sees the tokens behind"):
        load_model(f"hf:{tmp_path}", unlabeled)
    change_config(tmp_path, is_decoder=True)
    assert "token_logprobs" in load_model(f"hf:{tmp_path}", unlabeled).capabilities
