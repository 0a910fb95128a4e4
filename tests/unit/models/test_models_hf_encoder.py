"""Tokens, vectors and attention of any network."""

from functools import cache

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.errors import ConformanceError, ModelError  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.core.queries.language import (  # noqa: E402
    POOLINGS,
    AttentionReceived,
    Passage,
    Represents,
    Tokenizes,
)
from scrutiny.models.answers.language_answers import ask_or_fail  # noqa: E402
from scrutiny.models.hf import attention_maps as hf_attention  # noqa: E402
from scrutiny.models.hf import text_vectors as hf_vectors  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402

PASSAGES = [
    Passage("the films was good", (4, 9)),
    Passage("bad"),
    Passage("a very dull story , and not a good film !", (7, 11)),
    Passage("it was fine", (100, 104)),
    Passage("", None),
]
HEADS = {"Bert": "ForPreTraining", "Roberta": "ForMaskedLM", "DistilBert": "", "GPT2": ""}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {
        kind: make_language_model(tmp_path_factory.mktemp("encoder"), kind, head=head)
        for kind, head in HEADS.items()
    }


@cache
def loaded(folder):
    """Network and tokenizer, as transformers load them."""
    network = transformers.AutoModel.from_pretrained(folder).eval()
    return network, transformers.AutoTokenizer.from_pretrained(folder)


def reference(folder, passage, pooling, layer):
    """One vector by transformers itself."""
    network, tokenizer = loaded(folder)
    encoded = tokenizer(
        passage.text,
        return_tensors="pt",
        add_special_tokens=pooling != "first-piece",
        return_offsets_mapping=True,
    )
    offsets = encoded.pop("offset_mapping")[0].tolist()
    if not offsets:
        return np.full(16, np.nan)
    ids = {k: v.long() for k, v in encoded.items() if k != "token_type_ids"}
    with torch.no_grad():
        states = network(**ids, output_hidden_states=True).hidden_states[layer][0]
    if pooling == "mean":
        return states.mean(0).numpy()
    if pooling == "last":
        return states[-1].numpy()
    if pooling == "word":
        start, end = passage.word or (0, 0)
        rows = [i for i, (a, b) in enumerate(offsets) if a < b and start <= a < end]
        return states[rows].mean(0).numpy() if rows else np.full(16, np.nan)
    return states[0].numpy()


@pytest.mark.parametrize("kind", HEADS)
def test_vectors_are_those_of_transformers(folders, kind, unlabeled):
    model = load_model(f"hf:{folders[kind]}", unlabeled)
    assert isinstance(model, Represents)
    assert model.n_layers == 2
    layers = (2, 0)
    found = model.representations(PASSAGES, poolings=POOLINGS, layers=layers)
    assert (found.shape, found.dtype) == ((5, 2, 5, 16), np.float32)
    for i, passage in enumerate(PASSAGES):
        for j, layer in enumerate(layers):
            for k, pooling in enumerate(POOLINGS):
                wanted = reference(folders[kind], passage, pooling, layer)
                np.testing.assert_allclose(
                    found[i, j, k], wanted, atol=2e-5, err_msg=f"{passage} {pooling} {layer}"
                )


@pytest.mark.parametrize("kind", HEADS)
def test_one_layer_and_one_pooling_are_part_of_all(folders, kind, unlabeled, monkeypatch):
    model = load_model(f"hf:{folders[kind]}", unlabeled)
    whole = model.representations(PASSAGES, poolings=POOLINGS, layers=(0, 1, 2))
    monkeypatch.setattr(hf_vectors, "_CHUNK", 2)
    small = load_model(f"hf:{folders[kind]}", unlabeled, LoadOptions(batch=1))
    for k, pooling in enumerate(POOLINGS):
        last = small.representations(PASSAGES, poolings=[pooling], layers=[2])
        np.testing.assert_allclose(last[:, 0, 0], whole[:, 2, k], atol=1e-5)


def test_equal_passages_are_encoded_once_and_order_is_kept(folders, unlabeled):
    model = load_model(f"hf:{folders['Bert']}", unlabeled)
    seen = []
    plain = model._runner.inputs
    model._runner.inputs = lambda sequences, batch: seen.extend(batch) or plain(sequences, batch)
    twice = [PASSAGES[1], PASSAGES[0], PASSAGES[1]]
    found = model.representations(twice, poolings=["cls"], layers=[2])
    assert len(seen) == 2
    np.testing.assert_array_equal(found[0], found[2])
    assert np.abs(found[0] - found[1]).max() > 0.01


def test_the_first_piece_needs_no_forward_of_the_others(folders, unlabeled):
    model = load_model(f"hf:{folders['Bert']}", unlabeled)
    lengths = []
    plain = model._runner.run
    asked = []

    def run(sequences, use, *, budget=None):
        lengths.append(sequences.lengths.tolist())
        asked.append(None if budget is None else budget.texts)
        return plain(sequences, use, budget=budget)

    model._runner.run = run
    model.representations(PASSAGES[:2], poolings=["first-piece"], layers=[2])
    # films are two pieces; no special tokens; the short text is run by itself
    assert (lengths, asked) == ([[1], [5]], [1, None])
    lengths.clear()
    model.representations(PASSAGES[:2], poolings=["cls", "mean"], layers=[2])
    assert lengths == [[], [7, 3]]


def test_a_passage_that_is_too_long_has_no_vector(folders, unlabeled):
    model = load_model(f"hf:{folders['Bert']}", unlabeled)
    long = Passage("good " * 23)
    found = model.representations([long, PASSAGES[0]], poolings=["cls", "first-piece"], layers=[2])
    assert np.isnan(found[0, 0, 0]).all()
    assert np.isfinite(found[0, 0, 1]).all()  # 23 tokens without the special ones
    assert np.isfinite(found[1]).all()


def test_poolings_and_layers_that_do_not_exist(folders, unlabeled):
    model = load_model(f"hf:{folders['Bert']}", unlabeled)
    with pytest.raises(ConformanceError, match="'max' is no pooling"):
        model.representations(PASSAGES, poolings=["max"], layers=[0])
    with pytest.raises(ConformanceError, match="from 0 to 2"):
        model.representations(PASSAGES, poolings=["cls"], layers=[3])
    assert model.representations([], poolings=["cls"], layers=[2]).shape == (0, 1, 1, 16)


# --- tokens ---


def test_tokens_of_a_text_and_of_a_pair(folders, unlabeled):
    model = load_model(f"hf:{folders['Bert']}", unlabeled)
    assert isinstance(model, Tokenizes)
    assert (model.mask_id, model.begin_id, model.limit) == (4, None, 24)
    one = model.encode(["Films , [MASK]"])[0]
    assert one.is_special == (True, False, False, False, False, True)
    assert one.ids[4] == model.mask_id  # written in the text, not added
    assert one.offsets == ((0, 0), (0, 4), (4, 5), (6, 7), (8, 14), (0, 0))
    assert one.words == (None, 0, 0, 1, 2, None)
    assert one.segments == (0,) * 6
    pair = model.encode(["the film"], pairs=["was"])[0]
    assert pair.segments == (0, 0, 0, 0, 1, 1)
    assert pair.offsets[4] == (0, 3)
    assert pair.words == (None, 0, 1, None, 0, None)
    bare = model.encode(["the film"], special=False)[0]
    assert (bare.ids, bare.is_special) == ((5, 7), (False, False))
    assert model.decode(bare.ids) == "the film"


def test_nothing_is_cut_and_offsets_are_code_points(folders, unlabeled):
    model = load_model(f"hf:{folders['Bert']}", unlabeled)
    assert len(model.encode(["good " * 500])[0].ids) == 502
    assert model.encode(["👩‍👩‍👧 film"])[0].offsets[-2] == (6, 10)


# --- attention ---


@pytest.mark.parametrize("kind", ["Bert", "GPT2"])
def test_attention_is_the_mean_of_eager_weights(folders, kind, unlabeled):
    model = load_model(f"hf:{folders[kind]}", unlabeled)
    assert isinstance(model, AttentionReceived)
    queries = [one.ids for one in model.encode([p.text for p in PASSAGES[:4]])]
    network = transformers.AutoModel.from_pretrained(
        folders[kind], attn_implementation="eager"
    ).eval()
    answers = ask_or_fail(model, "attention_received", [*queries, queries[0]])
    assert answers[0] == answers[4]
    for query, answer in zip(queries, answers, strict=False):
        with torch.no_grad():
            output = network(input_ids=torch.tensor([query]), output_attentions=True)
        weights = torch.stack(output.attentions)[:, 0]  # (layer, head, attends, received)
        assert answer == pytest.approx(weights.mean((0, 1, 2)).tolist(), abs=1e-6)
        assert sum(answer) == pytest.approx(1, abs=1e-5)


def test_attention_leaves_the_network_as_it_was(folders, unlabeled, monkeypatch):
    model = load_model(f"hf:{folders['Bert']}", unlabeled)
    assert model._runner.network.config._attn_implementation == "sdpa"
    queries = [one.ids for one in model.encode([p.text for p in PASSAGES[:4]])]
    expected = model.attention_received(queries)
    assert model._runner.network.config._attn_implementation == "sdpa"
    monkeypatch.setattr(hf_attention, "MOST_WEIGHTS", 1)
    for one, two in zip(model.attention_received(queries), expected, strict=True):
        assert one == pytest.approx(two, abs=1e-6)


# --- it predicts nothing ---


def test_a_language_model_predicts_nothing(folders, unlabeled, make):
    model = load_model(f"hf:{folders['Bert']}", unlabeled)
    assert model.labels == ()
    assert "predict" not in model.capabilities
    with pytest.raises(ModelError, match=r"no labels to predict. It can be asked for: attention"):
        model.predict(make("the"))
