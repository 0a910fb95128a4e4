"""Vectors of classifiers and taggers: those of the layers under their heads."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import make_checkpoint  # noqa: E402
from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.queries.language import POOLINGS, Passage, Represents, Tokenizes  # noqa: E402
from scrutiny.models.hf.text_vectors import has_vectors  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.testing import check_adapter  # noqa: E402

TEXTS = ["the films was good", "bad", "a very dull story , and not a good film !"]
TAGS = ("O", "B-PER", "I-PER")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = tmp_path_factory.mktemp("vectors")
    return {
        "classifier": make_checkpoint(made / "classifier"),
        "tagger": make_checkpoint(made / "tagger", head="TokenClassification", labels=TAGS),
        "roberta": make_language_model(
            made / "roberta", "Roberta", head="ForSequenceClassification"
        ),
    }


def states(folder, text, pair=None, **more):
    """Hidden states of every layer of a text or a pair, by transformers itself."""
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(*filter(None, (text, pair)), return_tensors="pt", **more)
    if folder.name == "roberta":
        inputs.pop("token_type_ids", None)
    with torch.no_grad():
        return network(**inputs, output_hidden_states=True).hidden_states


@pytest.mark.parametrize("kind", ["classifier", "roberta"])
def test_vectors_are_those_under_the_head(folders, classification, kind):
    model = load_model(f"hf:{folders[kind]}", classification)
    assert isinstance(model, Represents)
    assert isinstance(model, Tokenizes)
    assert {"representations", "tokenizes"} <= model.capabilities
    passages = [Passage(text) for text in TEXTS]
    found = model.representations(passages, poolings=["mean", "cls"], layers=(0, 1, 2))
    for i, text in enumerate(TEXTS):
        for layer, rows in enumerate(states(folders[kind], text)):
            np.testing.assert_allclose(found[i, layer, 0], rows[0].mean(0), atol=1e-5)
            np.testing.assert_allclose(found[i, layer, 1], rows[0, 0], atol=1e-5)


@pytest.mark.parametrize("kind", ["classifier", "roberta"])
def test_pairs_are_read_together_with_their_segments(folders, pairs, kind):
    model = load_model(f"hf:{folders[kind]}", pairs)
    two = [Passage("bad film", (4, 8), "not a good story"), Passage("it was", (0, 2))]
    found = model.representations(two, poolings=["mean", "word"], layers=(2,))
    rows = states(folders[kind], "bad film", "not a good story")[2][0]
    np.testing.assert_allclose(found[0, 0, 0], rows.mean(0), atol=1e-5)
    np.testing.assert_allclose(found[0, 0, 1], rows[2], atol=1e-5)  # of the first text alone
    rows = states(folders[kind], "it was")[2][0]
    np.testing.assert_allclose(found[1, 0, 0], rows.mean(0), atol=1e-5)


def test_the_prediction_is_that_of_the_vectors(folders, classification, make):
    """A head over the pooled first vector gives the answer: they are the network's own."""
    model = load_model(f"hf:{folders['classifier']}", classification)
    found = model.representations([Passage(t) for t in TEXTS], poolings=["cls"], layers=[2])
    network = model._runner.network
    with torch.no_grad():
        pooled = network.bert.pooler(torch.from_numpy(found[:, 0]))
        scores = torch.softmax(network.classifier(pooled), -1).numpy()
    answers = [answer.scores for answer in model.predict(make(*TEXTS))]
    np.testing.assert_allclose(scores, answers, atol=1e-5)


def test_classifiers_read_long_texts_cut_and_taggers_have_no_vector(
    folders, classification, tagging
):
    long = Passage("good film " * 20)
    cut = load_model(f"hf:{folders['classifier']}", classification)
    found = cut.representations([long], poolings=["mean"], layers=[2])
    rows = states(folders["classifier"], long.text, truncation=True)[2][0]
    assert len(rows) == 24
    np.testing.assert_allclose(found[0, 0, 0], rows.mean(0), atol=1e-5)
    whole = load_model(f"hf:{folders['tagger']}", tagging)
    found = whole.representations([long, Passage("good")], poolings=["mean"], layers=[2])
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()


def test_half_precision_gives_vectors_too(tmp_path, classification):
    folder = make_checkpoint(tmp_path, dtype=torch.bfloat16)
    model = load_model(f"hf:{folder}", classification)
    found = model.representations([Passage("bad")], poolings=POOLINGS[:2], layers=[0, 2])
    assert found.dtype == np.float32
    assert np.isfinite(found).all()


@pytest.mark.parametrize("kind", ["classifier", "tagger"])
def test_conformance(folders, classification, tagging, make, kind):
    model = load_model(f"hf:{folders[kind]}", tagging if kind == "tagger" else classification)
    check_adapter(model, make(*TEXTS, ""))


def test_interventions_reach_the_vectors(folders, classification):
    from scrutiny.core.queries.attention import Intervention

    model = load_model(f"hf:{folders['classifier']}", classification)
    changed = model.intervened(Intervention("mask", ((0, 0),)))
    assert "representations" in changed.capabilities
    one, two = (
        m.representations([Passage(TEXTS[0])], poolings=["mean"], layers=[2])
        for m in (model, changed)
    )
    assert np.abs(one - two).max() > 1e-3


def test_an_encoder_with_a_decoder_has_no_vectors():
    config = transformers.BartConfig(
        vocab_size=20, d_model=8, encoder_layers=1, decoder_layers=1, encoder_attention_heads=1,
        decoder_attention_heads=1, encoder_ffn_dim=8, decoder_ffn_dim=8, max_position_embeddings=8,
    )  # fmt: skip
    assert not has_vectors(transformers.BartForSequenceClassification(config))
    assert not has_vectors(transformers.BertModel(transformers.BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=1,
        intermediate_size=8,
    )))  # fmt: skip


def test_words_of_one_text_are_read_in_one_pass_and_are_those_of_one_word_at_a_time(
    folders, classification
):
    model = load_model(f"hf:{folders['classifier']}", classification)
    text = "a very dull story , and not a good film !"
    passages = [Passage(text, (a, b)) for a, b in ((0, 1), (2, 6), (7, 11))]
    passages.insert(1, Passage("bad", (0, 3)))
    passages.append(Passage(text))
    asked = {"poolings": ["word", "mean"], "layers": (0, 2)}
    batches = []
    run = model._runner.run
    model._runner.run = lambda sequences, *args, **more: (
        batches.append(len(sequences)),
        run(sequences, *args, **more),
    )
    found = model.representations(passages, **asked)
    assert sum(batches) == 2  # texts, not passages
    for one, own in zip(passages, found, strict=True):
        np.testing.assert_allclose(own, model.representations([one], **asked)[0], atol=1e-5)
    rows = states(folders["classifier"], text)[2][0]
    np.testing.assert_allclose(found[2, 1, 0], rows[2], atol=1e-5)
    assert np.isnan(found[-1, :, 0]).all()
