"""Converting GGUF: the part around transformers with a toy; a real tiny file where gguf is."""

import json
from hashlib import sha256

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import WORDS, make_tokenizer  # noqa: E402

from scrutiny.core.errors import MissingExtraError, ModelError  # noqa: E402
from scrutiny.models import conversion as gguf_conversion  # noqa: E402
from scrutiny.models.conversion import convert_gguf, perplexity_of  # noqa: E402


def tiny_llama(*, words=None):
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=words or len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        intermediate_size=32,
        max_position_embeddings=512,
    )
    return transformers.LlamaForCausalLM(config)


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """A file that is no GGUF, and a conversion that gives an untrained network."""

    def convert(path, folder):
        tiny_llama().half().save_pretrained(folder)
        make_tokenizer(folder, max_length=512)

    monkeypatch.setattr(gguf_conversion, "find_spec", lambda _: object())
    monkeypatch.setattr(gguf_conversion, "_convert", convert)
    path = tmp_path / "toy.gguf"
    path.write_bytes(b"GGUF")
    return path


def convert(path, folder, **more):
    return convert_gguf(path, folder, sha256_of_file=sha256(path.read_bytes()).hexdigest(), **more)


def test_without_the_extra_the_pip_line(monkeypatch, tmp_path):
    monkeypatch.setattr(gguf_conversion, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r'pip install "scrutiny\[gguf\]"'):
        convert_gguf(tmp_path / "a.gguf", tmp_path / "b", sha256_of_file="")


def test_another_file_under_the_name_is_refused(toy, tmp_path):
    with pytest.raises(ModelError, match="it is damaged, or another file"):
        convert_gguf(toy, tmp_path / "made", sha256_of_file="00")
    assert not (tmp_path / "made").exists()


def test_a_model_that_cannot_tell_english_is_refused_and_nothing_is_left(toy, tmp_path):
    with pytest.raises(ModelError, match=r"perplexity of \d+ .* weights do not stand where"):
        convert(toy, tmp_path / "cache" / "made", most_perplexity=5.0)
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_was_made_says_what_of(toy, tmp_path):
    found = convert(toy, tmp_path / "made", most_perplexity=1000.0)
    assert found == pytest.approx(len(WORDS), rel=0.1)  # untrained: as good as any word
    origin = json.loads((tmp_path / "made" / "origin.json").read_text())
    assert origin["converted_from"] == "toy.gguf"
    assert origin["perplexity"] == pytest.approx(found, abs=1e-3)
    config = json.loads((tmp_path / "made" / "config.json").read_text())
    assert config["architectures"] == ["LlamaForCausalLM"]


def test_perplexity_is_that_of_the_pieces_after_the_first(tmp_path):
    network = tiny_llama().eval()
    network.save_pretrained(tmp_path)
    make_tokenizer(tmp_path, max_length=512)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    ids = tokenizer("the film was good").input_ids
    with torch.no_grad():
        logits = network(torch.tensor([ids])).logits[0].log_softmax(-1)
    mean = sum(logits[i, ids[i + 1]].item() for i in range(len(ids) - 1)) / (len(ids) - 1)
    assert perplexity_of(tmp_path, "the film was good") == pytest.approx(
        torch.tensor(-mean).exp().item(), rel=1e-5
    )


def write_gguf(path, network):
    """GGUF file of a Llama with a byte-level vocabulary, as llama.cpp names its parts."""
    gguf = pytest.importorskip("gguf")
    pytest.importorskip("accelerate")
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    alphabet = sorted(bytes_to_unicode().values())
    config = network.config
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(["<s>", "</s>", *alphabet, "th"])
    writer.add_token_types([3, 3, *[1] * (len(alphabet) + 1)])
    writer.add_token_merges(["t h"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    names = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
    parts = {
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for name, weight in network.state_dict().items():
        base = name.removesuffix(".weight")
        array = weight.numpy()
        if base in names:
            writer.add_tensor(f"{names[base]}.weight", array)
            continue
        part = parts[base.removeprefix("model.layers.0.")]
        if part in heads:  # llama.cpp keeps the two halves of each head interleaved
            rows, width = array.shape
            halves = array.reshape(heads[part], 2, rows // heads[part] // 2, width)
            array = halves.swapaxes(1, 2).reshape(rows, width)
        writer.add_tensor(f"blk.0.{part}.weight", array.copy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_a_real_file_gives_the_network_that_was_written(tmp_path, capfd):
    network = tiny_llama(words=259).eval()
    path = tmp_path / "tiny.gguf"
    write_gguf(path, network)
    convert(path, tmp_path / "made", most_perplexity=1e6)
    found = transformers.AutoModelForCausalLM.from_pretrained(
        tmp_path / "made", dtype="float32"
    ).state_dict()
    for name, weight in network.state_dict().items():
        assert torch.allclose(found[name], weight, atol=1e-3), name
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "made")
    assert tokenizer.tokenize("the") == ["th", "e"]
