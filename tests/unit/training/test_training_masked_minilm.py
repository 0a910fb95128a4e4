"""The encoder under a new head: the same encoder, then one that has learned the text."""

import json
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from scrutiny.core.errors import DataError  # noqa: E402
from scrutiny.models.strings.training_records import (  # noqa: E402
    read_competence,
    replicates_of,
)
from scrutiny.training.masked_minilm import (  # noqa: E402
    MaskedMinilm,
    add_seed,
    encoder_with_head,
    write_tokenizer,
)
from scrutiny.training.pretraining import loop  # noqa: E402

# special pieces in the middle, as in BERT's vocabulary
PIECES = (
    "[PAD] [unused0] [unused1] a the film [UNK] [CLS] [SEP] [MASK] was good bad not ##s . very it"
).split()
TEXT = "the film was very good. it was not bad. the films was good.\n\n" * 12


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A sentence encoder: no head, and a tokenizer that cuts and pads."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("original")
    config = transformers.BertConfig(
        vocab_size=len(PIECES),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=512,
        initializer_range=0.3,
    )
    torch.manual_seed(1)
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer = Tokenizer(models.WordPiece({p: i for i, p in enumerate(PIECES)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens([p for p in PIECES if p.startswith("[") and p[1].isupper()])
    ids = {p: PIECES.index(p) for p in ("[SEP]", "[CLS]")}
    tokenizer.post_processor = processors.BertProcessing(*ids.items())
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def job(original, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return MaskedMinilm(original, (path,), steps=25, length=16, batch=8)


def test_with_special_pieces_first_it_is_the_same_encoder(original, tmp_path):
    write_tokenizer(original, tmp_path)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    network = encoder_with_head(original).eval()
    encoder = transformers.BertModel.from_pretrained(original).eval()
    text = "the films was very good . it was [MASK] bad . the film was good"
    inputs = tokenizer(text, return_tensors="pt")
    pieces = tokenizer.convert_ids_to_tokens(inputs.input_ids[0])
    assert len(pieces) == 18  # neither cut nor padded
    assert pieces[:4] == ["[CLS]", "the", "film", "##s"]
    assert tokenizer.convert_tokens_to_ids(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]) == [
        0, 1, 2, 3, 4,
    ]  # fmt: skip
    old = torch.tensor([[PIECES.index(p) for p in pieces]])
    with torch.no_grad():
        assert torch.equal(network.bert(inputs.input_ids)[0], encoder(old)[0])


def test_the_head_starts_as_the_identity_and_draws_nothing(original):
    before = torch.default_generator.get_state()
    head = encoder_with_head(original).cls.predictions
    assert torch.equal(torch.default_generator.get_state(), before)
    assert torch.equal(head.transform.dense.weight, torch.eye(16))
    one, two = (encoder_with_head(original).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_a_replicate_has_learned_the_text(job, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "_LOG_EVERY", 40)
    rows = []
    longer = replace(job, steps=80)
    folder = add_seed(longer, 3, tmp_path / "family", on_log=rows.append)
    names = {p.name for p in (tmp_path / "family").iterdir()}
    assert names == {".state", "seed-3", "training_hashes.npy"}
    assert [row["step"] for row in rows] == [40, 80]
    assert rows[1]["masked"] < rows[0]["masked"]
    network, report = transformers.AutoModelForMaskedLM.from_pretrained(
        folder, dtype="float32", output_loading_info=True
    )
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer("the film [MASK] very good .", return_tensors="pt")
    was = tokenizer.convert_tokens_to_ids("was")
    with torch.no_grad():
        before = encoder_with_head(job.original).eval()(**inputs).prediction_logits[0, 3]
        after = network.eval()(**inputs).logits[0, 3]
    assert after.log_softmax(-1)[was] > before.log_softmax(-1)[was] + 1.0


def test_it_says_what_it_is_a_replicate_of(job, tmp_path):
    folder = add_seed(job, 1, tmp_path / "family")
    record = json.loads((folder / "training.json").read_text())
    assert replicates_of(f"hf:{folder}") == record["replicates_of"] == "fine-tuning"
    assert record["texts"].keys() == {"text.txt"}
    assert record["recipe"]["steps"] == 25
    assert "fine-tuning replicates" in (folder / "README.md").read_text()
    config = json.loads((folder / "config.json").read_text())
    assert config["architectures"] == ["BertForMaskedLM"]


def test_with_held_out_text_there_is_a_competence_record(job, tmp_path):
    held_out = tmp_path / "held_out.txt"
    line = "it was very good. the film was not bad. the films was very bad.\n"
    held_out.write_text((line * 12 + "\n") * 2)
    made = add_seed(replace(job, steps=3, held_out=(held_out,)), 1, tmp_path / "family")
    record = read_competence(made)
    assert set(record["gates"]) == {"fivegram", "agreement"}
    assert record["held_out"][0]["name"] == "held_out.txt"
    assert (tmp_path / "family" / "training_hashes.npy").is_file()
    assert read_competence(add_seed(replace(job, steps=3), 2, tmp_path / "family")) is None


def test_held_out_text_that_is_too_short(job, tmp_path):
    held_out = tmp_path / "held_out.txt"
    held_out.write_text("it was good.\n")
    with pytest.raises(DataError, match=r"held_out\.txt has no document of 64 pieces"):
        add_seed(replace(job, steps=3, held_out=(held_out,)), 1, tmp_path / "family")


def test_seeds_differ_and_one_seed_repeats(job, tmp_path):
    def weights(seed, family):
        from safetensors.torch import load_file

        made = add_seed(replace(job, steps=5), seed, tmp_path / family)
        return load_file(made / "model.safetensors")

    one, again, other = weights(1, "a"), weights(1, "b"), weights(2, "a")
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert any(not torch.equal(one[name], other[name]) for name in one)


def test_an_interrupted_training_goes_on(job, tmp_path):
    def stop(row):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_seed(job, 1, tmp_path / "family", on_log=stop)
    folder = tmp_path / "family"
    assert not (folder / "seed-1").exists()
    made = add_seed(job, 1, folder)
    assert (made / "config.json").is_file()
    assert list((folder / ".state").iterdir()) == []
