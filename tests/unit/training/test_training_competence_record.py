import math

import numpy as np
import pytest
from pretraining_texts import SMALL, write_texts

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from scrutiny.core.errors import DataError, ModelError  # noqa: E402
from scrutiny.models.strings.training_records import read_competence  # noqa: E402
from scrutiny.training.competence.competence_record import FILE, measure  # noqa: E402
from scrutiny.training.competence.masked import (  # noqa: E402  # noqa: E402
    CompetenceSettings,
    MaskedModel,
    MinimalPair,
    passages_of,
    preferences,
    pseudo_log_likelihoods,
    segment_pairs,
    spread,
)
from scrutiny.training.competence.perplexity import baselines_of, share  # noqa: E402
from scrutiny.training.pretraining.checkpoint_files import write_json  # noqa: E402
from scrutiny.training.pretraining.corpus import (  # noqa: E402  # noqa: E402
    CLS,
    MASK,
    SEP,
    encode,
    read_texts,
)
from scrutiny.training.pretraining.job import PretrainingJob, Seeds  # noqa: E402
from scrutiny.training.pretraining.pretraining import prepare, pretrain  # noqa: E402

PAIRS = [
    MinimalPair("1", "subject_verb", "a", "singular", "The cat was warm.", "The cat were warm."),
    MinimalPair("2", "subject_verb", "b", "plural", "The men were old.", "The men was old."),
]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    return prepare([write_texts(tmp_path_factory.mktemp("texts"))], SMALL)


@pytest.fixture(scope="module")
def folder(prepared, tmp_path_factory):
    return pretrain(PretrainingJob(prepared, Seeds(1, 1)), tmp_path_factory.mktemp("out"))


@pytest.fixture(scope="module")
def model(folder):
    return MaskedModel(folder)


def naive(folder, sentence):
    """Pseudo-log-likelihood by transformers, one mask and one forward pass at a time."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.BertForPreTraining.from_pretrained(folder).eval()
    ids = tokenizer(sentence, return_tensors="pt")["input_ids"]
    total = 0.0
    for place in range(1, ids.shape[1] - 1):
        asked = ids.clone()
        asked[0, place] = MASK
        with torch.no_grad():
            logits = network(input_ids=asked).prediction_logits[0, place]
        total += float(torch.log_softmax(logits, -1)[ids[0, place]])
    return total


def test_pseudo_log_likelihoods_are_those_of_a_naive_loop(folder, model):
    sentences = ["The cat sat on the mat.", "A ship.", "The king had two sons and a cat."]
    found = pseudo_log_likelihoods(model, sentences)
    assert found == pytest.approx([naive(folder, s) for s in sentences], abs=1e-4)


def test_order_and_batches_do_not_matter(model, monkeypatch):
    sentences = ["The cat sat.", "The dog sat.", "Both of them were good sons.", "One was tall."]
    whole = pseudo_log_likelihoods(model, sentences)
    monkeypatch.setattr("scrutiny.training.competence.masked._CELLS", 16)
    backwards = pseudo_log_likelihoods(model, sentences[::-1])[::-1]
    assert whole == pytest.approx(backwards, abs=1e-4)


def test_equal_sentences_are_no_preference(model):
    same = MinimalPair("1", "c", "f", "singular", "The cat sat.", "The cat sat.")
    turned = [MinimalPair(p.id, p.construction, p.frame, p.number, p.bad, p.good) for p in PAIRS]
    assert preferences(model, [same]).tolist() == [0.5]
    assert (preferences(model, PAIRS) + preferences(model, turned)).tolist() == [1.0, 1.0]


def test_passages_are_cut_from_documents(prepared):
    corpus = prepared.corpus
    passages = passages_of(corpus, 16)
    owner = np.repeat(corpus.document, corpus.sizes())
    assert (passages.pieces[:, 0] == CLS).all()
    assert (passages.pieces[:, -1] == SEP).all()
    for row, begin, document in zip(
        passages.pieces, passages.begins, passages.document, strict=True
    ):
        assert row[1:-1].tolist() == corpus.pieces[begin : begin + 14].tolist()
        assert set(owner[begin : begin + 14].tolist()) == {document}
    sizes = np.bincount(owner)
    assert len(passages) == int((sizes // 14).sum())
    assert len(spread(passages, 3)) == 3
    assert len(spread(passages, 10**6)) == len(passages)


def test_segment_pairs_go_on_or_come_from_elsewhere(prepared):
    corpus = prepared.corpus
    pairs = segment_pairs(corpus, length=20, n=5, seed=0)
    assert pairs.is_next.tolist() == [0, 1] * 2
    text = corpus.pieces.tolist()

    def places(run):
        return [i for i in range(len(text)) if text[i : i + len(run)] == run]

    for row, segments, label in zip(pairs.pieces, pairs.segments, pairs.is_next, strict=True):
        first, last = np.flatnonzero(row == SEP)
        a, b = row[1:first].tolist(), row[first + 1 : last].tolist()
        assert segments.tolist() == [0] * (first + 1) + [1] * (19 - first)
        goes_on = {p + len(a) for p in places(a)} & set(places(b))
        assert bool(goes_on) == (label == 0)
        assert set(places(b)) & set(corpus.starts.tolist())


def test_the_record_has_numbers_with_intervals_and_gates(prepared, folder, tmp_path):
    settings = CompetenceSettings(length=16, passages=6, segment_pairs=6)
    baselines = baselines_of(prepared.corpus, prepared.recipe.vocabulary)
    record = measure(folder, prepared.files, baselines, pairs=PAIRS, settings=settings)
    assert set(record["gates"]) == {"fivegram", "agreement", "next_sentence"}
    likelihood = record["likelihood"]
    # the text the 5-gram was counted on: twenty steps of training do not come near
    assert likelihood["fivegram_perplexity"]["value"] < likelihood["unigram_perplexity"]["value"]
    assert likelihood["pseudo_perplexity"]["value"] > likelihood["fivegram_perplexity"]["value"]
    assert record["gates"]["fivegram"] is False
    gain = math.log(
        likelihood["fivegram_perplexity"]["value"] / likelihood["pseudo_perplexity"]["value"]
    )
    assert likelihood["gain_over_fivegram"]["value"] == pytest.approx(gain)
    assert record["agreement"]["accuracy"]["n_units"] == 2
    assert record["next_sentence"]["wilson"]["n"] == 2
    assert 0 <= record["masked_accuracy"]["value"] <= 1
    assert 0 < record["masked_accuracy"]["unigram"]["value"] < 0.5
    assert record["masked_accuracy"]["unigram"]["n"] == record["masked_accuracy"]["n"]
    for found in (record["masked_accuracy"], likelihood["pseudo_perplexity"]):
        assert found["low"] <= found["value"] <= found["high"]
        assert found["n"] >= found["n_units"] >= 2
    again = measure(folder, prepared.files, baselines, pairs=PAIRS, settings=settings)
    assert again == record
    write_json(tmp_path / FILE, record)
    assert read_competence(tmp_path)["gates"] == record["gates"]


def test_one_document_cannot_tell_what_follows(tmp_path, prepared):
    texts = read_texts(
        [write_texts(tmp_path, [["The cat sat on the mat. It was warm there."] * 9])]
    )
    with pytest.raises(DataError, match="two documents"):
        segment_pairs(encode(texts, prepared.tokenizer), length=16, n=4, seed=0)


def test_clusters_widen_an_interval():
    values = np.repeat([1.0, 0.0], 50)
    apart = share(values, np.arange(100))
    together = share(values, np.repeat(np.arange(10), 10))
    assert apart["value"] == together["value"] == 0.5
    assert together["high"] - together["low"] > 2 * (apart["high"] - apart["low"])
    assert (together["n"], together["n_units"]) == (100, 10)


def test_another_kind_of_model_is_refused(tmp_path):
    transformers.RobertaConfig().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="no BERT"):
        MaskedModel(tmp_path)
