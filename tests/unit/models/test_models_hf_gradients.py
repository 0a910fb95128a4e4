"""Gradients at the input: against finite differences, alone and in batches, at the right pieces."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import WORDS, make_checkpoint  # noqa: E402
from tiny_language import GPT2_SIZES, make_plain_tokenizer  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.example import Example  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.core.queries.gradients import Gradients, InputPiece  # noqa: E402
from scrutiny.models.hf.input_gradients import _Writing  # noqa: E402
from scrutiny.models.hf.word_pieces import without_space  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.testing import check_gradients  # noqa: E402

TEXTS = ["the film was good", "bad", "a very dull story , and not a good film !", ""]
LABELS = ["neg", "pos", "pos", "neg"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("gradients"))


def loss_at(folder, text, label, *, place, change):
    """Loss in double precision when one piece's vector is moved."""
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).double()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        vectors = network.get_input_embeddings()(inputs.pop("input_ids")).clone()
        vectors[0, place] += torch.from_numpy(change)
        logits = network.eval()(inputs_embeds=vectors, **inputs).logits
        return -torch.log_softmax(logits, -1)[0, ("neg", "pos").index(label)].item()


def test_slopes_are_those_of_finite_differences(folder, classification, make):
    model = load_model(f"hf:{folder}", classification)
    assert isinstance(model, Gradients)
    assert "gradients" in model.capabilities
    found = model.gradients(make(*TEXTS), LABELS)
    rng = np.random.default_rng(0)
    for text, label, one in zip(TEXTS[:3], LABELS, found, strict=False):
        assert one.gradient.shape == (len(text.split()), 16)
        for place in (0, len(one.ids) - 1):
            change = rng.normal(size=16) * 1e-4
            ends = [
                loss_at(folder, text, label, place=place + 1, change=sign * change)  # behind [CLS]
                for sign in (1, -1)
            ]
            slope = (ends[0] - ends[1]) / 2
            assert one.gradient[place] @ change == pytest.approx(slope, rel=2e-3, abs=1e-8)


def test_pieces_are_places_of_the_text(folder, classification, make):
    one, _, _, empty = load_model(f"hf:{folder}", classification).gradients(make(*TEXTS), LABELS)
    assert [TEXTS[0][p.start : p.end] for p in one.pieces] == TEXTS[0].split()
    assert [WORDS[i] for i in one.ids] == TEXTS[0].split()
    assert (empty.pieces, empty.ids, empty.gradient.shape) == ((), (), (0, 16))


def test_batches_and_orders_change_nothing(folder, classification, make):
    model = load_model(f"hf:{folder}", classification)
    together = model.gradients(make(*TEXTS), LABELS)
    alone = load_model(f"hf:{folder}", classification, LoadOptions(batch=1))
    turned = model.gradients(make(*TEXTS)[::-1], LABELS[::-1])[::-1]
    for one, two, three in zip(
        together, alone.gradients(make(*TEXTS), LABELS), turned, strict=True
    ):
        np.testing.assert_allclose(one.gradient, two.gradient, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(one.gradient, three.gradient, rtol=1e-4, atol=1e-5)
        assert one.pieces == two.pieces == three.pieces


def test_pairs_name_their_fields_and_long_texts_lose_their_end(folder, pairs):
    model = load_model(f"hf:{folder}", pairs)
    examples = [
        Example(id="0", fields={"text": "bad film", "text_pair": "not a good story"}),
        Example(id="1", fields={"text": "good " * 40, "text_pair": "it was"}),
    ]
    short, long = model.gradients(examples, ["neg", "pos"])
    assert short.pieces[:3] == (
        InputPiece("text", 0, 3),
        InputPiece("text", 4, 8),
        InputPiece("text_pair", 0, 3),
    )
    assert len(short.pieces) == 6
    assert len(long.pieces) == 24 - 3
    assert {p.field for p in long.pieces} == {"text", "text_pair"}


def test_answers_stay_as_they_were(folder, classification, make):
    model = load_model(f"hf:{folder}", classification)
    before = model.predict(make(*TEXTS))
    model.gradients(make(*TEXTS), LABELS)
    model.embeddings()
    assert model.predict(make(*TEXTS)) == before


def test_the_matrix_is_what_the_network_reads(folder, classification):
    model = load_model(f"hf:{folder}", classification)
    found = model.embeddings()
    assert found is model.embeddings()
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    expected = network.get_input_embeddings().weight.detach().numpy()
    np.testing.assert_array_equal(found.matrix, expected)
    assert found.vocabulary[WORDS.index("film")] == "film"
    assert found.vocabulary[WORDS.index("##ly")] == "ly"
    assert found.vocabulary[WORDS.index("[MASK]")] == ""
    starts = dict(zip(WORDS, found.starts_word.tolist(), strict=True))
    assert starts["film"]
    assert not starts["##ly"]
    assert not starts["[CLS]"]


def test_half_precision_is_not_followed_in_half_precision(tmp_path, classification, make):
    folder = make_checkpoint(tmp_path / "half", dtype=torch.bfloat16)
    model = load_model(f"hf:{folder}", classification)
    single = load_model(f"hf:{folder}#dtype=float32", classification)
    for one, two in zip(
        model.gradients(make(*TEXTS), LABELS), single.gradients(make(*TEXTS), LABELS), strict=True
    ):
        np.testing.assert_array_equal(one.gradient, two.gradient)
    assert model._forward.network.dtype == torch.bfloat16


def test_a_decoder_without_padding_has_gradients_too(tmp_path, classification, make):
    torch.manual_seed(0)
    config = transformers.GPT2Config(**GPT2_SIZES, bos_token_id=3, eos_token_id=3, pad_token_id=3)
    transformers.GPT2ForSequenceClassification(config).save_pretrained(tmp_path)
    make_plain_tokenizer(tmp_path)
    model = load_model(f"hf:{tmp_path}", classification)
    found = model.gradients(make(*TEXTS[:2]), ["0", "1"])
    assert [len(one.pieces) for one in found] == [4, 1]
    assert all(np.abs(one.gradient).max() > 0 for one in found)


def test_numbers_that_are_not_finite_fail_alone(tmp_path, classification, make):
    folder = make_checkpoint(tmp_path / "nan")
    model = load_model(f"hf:{folder}", classification)
    network = model._forward.network
    with torch.no_grad():
        network.get_input_embeddings().weight[WORDS.index("bad")] = float("nan")
    good, bad = model.gradients(make("good", "bad"), ["neg", "pos"])
    assert np.isfinite(good.gradient).all()
    assert isinstance(bad, Failure)
    assert bad.reason == "non_finite"


TAGS = ("O", "B-PER", "I-PER", "B-LOC")
SENTENCES = ["ada left paris", "the film was not ada 's story .", "good " * 30]


@pytest.fixture(scope="module")
def tagger_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tagger")
    return make_checkpoint(folder, head="TokenClassification", labels=TAGS)


def loss_of_tags(folder, text, label, *, place=0, change=0.0):
    """Loss of the tags of a label that the tagger gives as it is, with one vector moved."""
    network = transformers.AutoModelForTokenClassification.from_pretrained(folder).double().eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
    offsets, ids = inputs.pop("offset_mapping")[0].tolist(), inputs.pop("input_ids")
    with torch.no_grad():
        vectors = network.get_input_embeddings()(ids).clone()
        tags = network(inputs_embeds=vectors, **inputs).logits[0].argmax(-1)
        vectors[0, place] += change
        logs = torch.log_softmax(network(inputs_embeds=vectors, **inputs).logits, -1)[0]
    firsts = [i for i, (a, b) in enumerate(offsets) if b > a and (a == 0 or text[a - 1] == " ")]
    named = [i for i in firsts if TAGS[tags[i]].endswith(label)]
    return -sum(logs[i, tags[i]].item() for i in named), len(named)


def test_slopes_of_tags_are_those_of_finite_differences(tagger_folder, tagging, make):
    model = load_model(f"hf:{tagger_folder}", tagging)
    assert isinstance(model, Gradients)
    assert model.labels == ("PER", "LOC")
    rng = np.random.default_rng(0)
    known = 0
    for label in model.labels:
        found = model.gradients(make(*SENTENCES), [label] * 3)
        assert found[2].reason == "too_long"
        for text, one in zip(SENTENCES[:2], found, strict=False):
            count = loss_of_tags(tagger_folder, text, label)[1]
            if not count:
                assert (isinstance(one, Failure), one.reason) == (True, "no_such_label")
                continue
            known += 1
            change = rng.normal(size=16) * 1e-4
            ends = [
                loss_of_tags(tagger_folder, text, label, place=2, change=s * torch.tensor(change))
                for s in (1, -1)
            ]
            slope = (ends[0][0] - ends[1][0]) / 2
            assert one.gradient[1] @ change == pytest.approx(slope, rel=2e-3, abs=1e-8)
    assert known >= 2


def test_slopes_of_tags_are_the_same_in_any_company(tagger_folder, tagging, make):
    model = load_model(f"hf:{tagger_folder}", tagging)
    check_gradients(model, make(*SENTENCES, "it was", ""))
    with pytest.raises(ModelError, match="its labels are PER, LOC"):
        model.gradients(make("ada"), ["O"])


def test_unknown_labels_are_refused(folder, classification, make):
    with pytest.raises(ModelError, match="its labels are neg, pos"):
        load_model(f"hf:{folder}", classification).gradients(make("bad"), ["fine"])


def test_a_space_in_front_is_no_part_of_a_piece():
    assert without_space("a film", (1, 6)) == (2, 6)
    assert without_space("a  b", (1, 3)) == (1, 3)


def test_marks_of_byte_level_and_of_sentencepiece_vocabularies():
    from tokenizers import Tokenizer, decoders, models

    def writing(inner):
        return _Writing.of(transformers.PreTrainedTokenizerFast(tokenizer_object=inner))

    bytes_ = Tokenizer(models.BPE({"Ġfilm": 0, "film": 1, "Ã": 2}, []))
    bytes_.decoder = decoders.ByteLevel()
    read = writing(bytes_).read
    assert [read(t) for t in ("Ġfilm", "film", "Ã")] == [
        ("film", True),
        ("film", False),
        ("", False),
    ]
    pieces = Tokenizer(models.Unigram([("▁film", -1.0), ("s", -2.0)]))
    pieces.decoder = decoders.Metaspace()
    read = writing(pieces).read
    assert [read(t) for t in ("▁film", "s")] == [("film", True), ("s", False)]
    assert writing(Tokenizer(models.WordLevel({"film": 0}, "film"))).read("film") == ("film", True)
