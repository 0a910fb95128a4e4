"""Masked language models: batched answers are those of one mask and one forward at a time."""

import random
from functools import partial

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.errors import ConformanceError, ModelError  # noqa: E402
from scrutiny.core.model import LoadOptions, Model  # noqa: E402
from scrutiny.core.queries.language import Cloze, MaskedLanguageModel, NextSentence, SentencePair  # noqa: E402
from scrutiny.models.answers.language_answers import ask_or_fail  # noqa: E402
from scrutiny.models.hf import language_models as hf_masked  # noqa: E402
from scrutiny.models.hf import token_logprobs as hf_reading  # noqa: E402
from scrutiny.models.hf.token_logprobs import find_last_layer  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402

TEXTS = [
    "the film was good",
    "bad",
    "a very dull story , and not a good film !",
    "it was fine",
    "good good good good good good good good",
    "zzz unseen words",
    "ada left paris for london .",
]
KINDS = ["Bert", "Roberta", "DistilBert", "Albert", "Electra"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = {}

    def folder(kind, head="ForMaskedLM"):
        if (kind, head) not in made:
            made[kind, head] = make_language_model(
                tmp_path_factory.mktemp("language"), kind, head=head
            )
        return made[kind, head]

    return folder


def clozes_of(model, text):
    """One cloze for each token of a text: the classic pseudo-likelihood."""
    encoded = model.encode([text])[0]
    return tuple(
        Cloze((*encoded.ids[:i], model.mask_id, *encoded.ids[i + 1 :]), (i,), (encoded.ids[i],))
        for i in range(1, len(encoded.ids) - 1)
    )


def naive(folder, queries, *, maker=transformers.AutoModelForMaskedLM):
    """Log-probabilities by transformers itself, one sequence at a time, with all its logits."""
    network = maker.from_pretrained(folder, dtype=torch.float32).eval()
    found = []
    for query in queries:
        answer = []
        for cloze in query:
            inputs = {"input_ids": torch.tensor([cloze.ids])}
            if cloze.segments:
                inputs["token_type_ids"] = torch.tensor([cloze.segments])
            with torch.no_grad():
                output = network(**inputs)
            scores = torch.log_softmax(output[0], -1)[0]
            answer.append(
                [scores[i, t].item() for i, t in zip(cloze.positions, cloze.targets, strict=True)]
            )
        found.append(answer)
    return found


def assert_close(answers, expected, *, within=1e-5):
    for one, two in zip(answers, expected, strict=True):
        for row, wanted in zip(one, two, strict=True):
            assert row == pytest.approx(wanted, abs=within)


@pytest.mark.parametrize("kind", KINDS)
def test_one_mask_and_one_forward_at_a_time(folders, kind, unlabeled):
    model = load_model(f"hf:{folders(kind)}", unlabeled)
    assert isinstance(model, Model)
    assert isinstance(model, MaskedLanguageModel)
    assert model._reader._head is not None  # the head is applied to single rows
    queries = [clozes_of(model, text) for text in TEXTS]
    expected = naive(folders(kind), queries)
    assert_close(model.masked_logprobs(queries), expected)
    assert len({round(v, 6) for q in expected for c in q for v in c}) > 20


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_head_gives_the_same_by_all_logits(folders, kind, unlabeled):
    model = load_model(f"hf:{folders(kind)}", unlabeled)
    queries = [clozes_of(model, text) for text in TEXTS]
    known = model.masked_logprobs(queries)
    model._reader._last = None  # the whole last layer
    assert_close(model.masked_logprobs(queries), known)
    model._reader._head = None
    assert_close(model.masked_logprobs(queries), known)


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_layer_is_left_out_where_nobody_reads(folders, kind, unlabeled):
    model = load_model(f"hf:{folders(kind)}", unlabeled)
    is_like_bert = kind in {"Bert", "Roberta", "Electra"}
    assert (model._reader._last is not None) == is_like_bert
    ids = [one.ids for one in model.encode(TEXTS[:3])]
    queries = [  # none of one, one of another, three of the third: gathered by sequence
        (Cloze(ids[0], (), ()), Cloze(ids[1], (1,), (5,)), Cloze(ids[2], (9, 2, 4), (7, 8, 9))),
        (Cloze(ids[0], tuple(range(len(ids[0]))), ids[0]),),
    ]
    assert_close(model.masked_logprobs(queries), naive(folders(kind), queries))
    assert_close(model.masked_logprobs(queries[:1]), naive(folders(kind), queries[:1]))
    assert model.masked_logprobs([(Cloze(ids[0], (), ()),)]) == [((),)]


def test_a_layer_that_disagrees_is_not_used(folders, unlabeled):
    model = load_model(f"hf:{folders('Bert')}", unlabeled)
    network = model._runner.network
    assert find_last_layer(network) is not None
    network.base_model.encoder.layer[-1].attention.self.scaling *= 1.5
    assert find_last_layer(network) is not None  # the network's own attention changed with it
    network.base_model.encoder.layer[-1].register_forward_hook(lambda *given: given[2] * 2)
    assert find_last_layer(network) is None


def test_many_reads_of_one_sequence(folders, unlabeled):
    model = load_model(f"hf:{folders('Bert')}", unlabeled)
    ids = model.encode([TEXTS[2]])[0].ids
    positions = (3, 1, 1, 4, 3)
    query = (Cloze(ids, positions, (5, 6, 7, 8, 5)), Cloze(ids, (0,), (9,)), Cloze(ids, (), ()))
    answers = model.masked_logprobs([query, ()])
    assert_close(answers, naive(folders("Bert"), [query, ()]))
    assert [len(row) for row in answers[0]] == [5, 1, 0]
    assert answers[0][0][0] == answers[0][0][4]


def test_few_rows_through_the_head_at_a_time(folders, unlabeled, monkeypatch):
    model = load_model(f"hf:{folders('Bert')}", unlabeled)
    ids = model.encode([TEXTS[2]])[0].ids
    query = (Cloze(ids, tuple(range(len(ids))), ids),)
    expected = model.masked_logprobs([query])
    monkeypatch.setattr(hf_reading, "_MOST_SCORES", 100)
    monkeypatch.setattr(hf_masked, "scored_together", partial(hf_masked.scored_together, most=5))
    assert_close(model.masked_logprobs([query, query]), expected * 2)


def test_the_sum_over_the_vocabulary_is_one(folders, unlabeled):
    model = load_model(f"hf:{folders('Roberta')}", unlabeled)
    ids = model.encode([TEXTS[0]])[0].ids
    size = model._reader._vocabulary
    answer = model.masked_logprobs([(Cloze(ids, (2,) * size, tuple(range(size))),)])
    assert torch.tensor(answer[0][0]).exp().sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_order_and_company_change_nothing(folders, kind, unlabeled):
    model = load_model(f"hf:{folders(kind)}", unlabeled)
    queries = [clozes_of(model, text) for text in TEXTS]
    together = model.masked_logprobs(queries)
    order = random.Random(0).sample(range(len(queries)), len(queries))
    assert_close(model.masked_logprobs([queries[i] for i in order]), [together[i] for i in order])
    alone = [model.masked_logprobs([query])[0] for query in queries]
    assert_close(alone, together)
    small = load_model(f"hf:{folders(kind)}", unlabeled, LoadOptions(batch=2))
    assert_close(small.masked_logprobs(queries), together)


def test_equal_sequences_are_run_once(folders, unlabeled):
    model = load_model(f"hf:{folders('Bert')}", unlabeled)
    query = clozes_of(model, TEXTS[0])
    seen = []
    plain = model._runner.inputs
    model._runner.inputs = lambda sequences, batch: seen.extend(batch) or plain(sequences, batch)
    answers = model.masked_logprobs([query, query, (*query, query[0])])
    assert len(seen) == len(query)
    assert answers[0] == answers[1] == answers[2][:-1]
    assert answers[2][-1] == answers[0][0]


def test_segments_count(folders, unlabeled):
    folder = folders("Bert", "ForPreTraining")
    model = load_model(f"hf:{folder}", unlabeled)
    encoded = model.encode(["the film"], pairs=["was good"])[0]
    assert encoded.segments == (0, 0, 0, 0, 1, 1, 1)
    flat = Cloze(encoded.ids, (1,), (5,))
    query = (flat, flat._replace(segments=encoded.segments))
    answers = model.masked_logprobs([query])
    assert_close(answers, naive(folder, [query], maker=transformers.BertForPreTraining))
    assert answers[0][0] != pytest.approx(answers[0][1], abs=1e-3)


def test_a_model_without_segments_ignores_them(folders, unlabeled):
    model = load_model(f"hf:{folders('Roberta')}", unlabeled)
    encoded = model.encode(["the film"], pairs=["was good"])[0]
    cloze = Cloze(encoded.ids, (1,), (5,), encoded.segments)
    one, two = model.masked_logprobs([(cloze,), (cloze._replace(segments=()),)])
    assert one == two


# --- what does not fit, or makes no sense ---


def test_a_long_text_fails_alone(folders, unlabeled):
    model = load_model(f"hf:{folders('Bert')}", unlabeled)
    good, long = clozes_of(model, TEXTS[0]), clozes_of(model, "good " * 23)
    first, failed, last = ask_or_fail(model, "masked_logprobs", [good, long, good])
    assert isinstance(failed, Failure)
    assert failed.reason == "too_long"
    assert "25 tokens, the limit is 24" in failed.message
    assert first == last
    assert len(first) == 4


@pytest.mark.parametrize(
    ("cloze", "message"),
    [
        (Cloze((2, 5, 3), (3,), (5,)), "position 3 of a sequence of 3"),
        (Cloze((2, 5, 3), (-1,), (5,)), "position -1"),
        (Cloze((2, 5, 3), (1,), (999,)), "token 999"),
        (Cloze((), (), ()), "empty sequence"),
    ],
)
def test_queries_that_make_no_sense(folders, unlabeled, cloze, message):
    model = load_model(f"hf:{folders('Bert')}", unlabeled)
    with pytest.raises(ConformanceError, match=message):
        ask_or_fail(model, "masked_logprobs", [(cloze,)])


def test_no_queries(folders, unlabeled):
    model = load_model(f"hf:{folders('Bert', 'ForPreTraining')}", unlabeled)
    assert model.masked_logprobs([]) == []
    assert model.next_sentence([]) == []
    assert model.encode([]) == []


# --- next sentence ---


@pytest.mark.parametrize("head", ["ForPreTraining", "ForNextSentencePrediction"])
def test_next_sentence_is_the_first_output_of_its_own_head(folders, unlabeled, head):
    folder = folders("Bert", head)
    model = load_model(f"hf:{folder}", unlabeled)
    assert isinstance(model, NextSentence)
    network = getattr(transformers, f"Bert{head}").from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    pairs = [SentencePair(a, b) for a in TEXTS[:3] for b in TEXTS[3:]]
    expected = []
    for pair in pairs:
        with torch.no_grad():
            output = network(**tokenizer(*pair, return_tensors="pt"))
        logits = output.seq_relationship_logits if head == "ForPreTraining" else output.logits
        expected.append(torch.softmax(logits, -1)[0, 0].item())
    assert model.next_sentence(pairs) == pytest.approx(expected, abs=1e-6)
    assert len({round(p, 6) for p in expected}) == len(pairs)


def test_a_long_pair_fails_alone(folders, unlabeled):
    model = load_model(f"hf:{folders('Bert', 'ForPreTraining')}", unlabeled)
    pairs = [SentencePair("the film", "was good"), SentencePair("good " * 12, "bad " * 12)]
    one, two = ask_or_fail(model, "next_sentence", pairs)
    assert 0 < one < 1
    assert two.reason == "too_long"


def test_a_masked_model_has_no_next_sentence(folders, unlabeled):
    model = load_model(f"hf:{folders('Bert')}", unlabeled)
    assert "next_sentence" not in model.capabilities
    with pytest.raises(ModelError, match=r"cannot be asked for next_sentence\. It has: .*masked"):
        ask_or_fail(model, "next_sentence", [SentencePair("a", "b")])


# --- long texts: what is held at a time does not grow ---


def test_five_hundred_tokens_in_batches_that_do_not_grow(tmp_path, unlabeled, monkeypatch):
    make_language_model(tmp_path, "Bert", positions=512)
    model = load_model(f"hf:{tmp_path}", unlabeled)
    assert model.limit == 512
    ids = model.encode(["good bad dull fine " * 124 + "it"])[0].ids
    assert len(ids) == 499
    places = range(1, 498, 16)
    query = (
        *(Cloze((*ids[:i], model.mask_id, *ids[i + 1 :]), (i,), (ids[i],)) for i in places),
        Cloze(ids, tuple(range(499)), ids),
    )
    sizes, rows = [], []
    inputs, scores = model._runner.inputs, model._reader._scores

    def noting(sequences, batch):
        made = inputs(sequences, batch)
        sizes.append(made["input_ids"].numel())
        return made

    monkeypatch.setattr(hf_reading, "_MOST_SCORES", 6000)
    monkeypatch.setattr(model._runner, "inputs", noting)
    monkeypatch.setattr(
        model._reader, "_scores", lambda picked: rows.append(len(picked)) or scores(picked)
    )
    answers = model.masked_logprobs([query, query])
    assert max(sizes) <= 1024  # two texts at a time, however many there are
    assert max(rows) * model._reader._vocabulary <= 6000
    assert len(answers[0]) == len(places) + 1
    few = (query[0], query[7], query[-1])
    wanted = naive(tmp_path, [few])
    assert_close([[answers[0][i] for i in (0, 7, -1)]], wanted, within=1e-4)
