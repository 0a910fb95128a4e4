"""Tiny language models with random weights and word tokenizers, as checkpoints on the disk."""

from tiny_bert import WORDS

SPECIALS = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "sep_token_id": 3}
SIZES = {
    "vocab_size": len(WORDS),
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 24,
    "initializer_range": 0.5,
}
GPT2_SIZES = {
    "vocab_size": len(WORDS),
    "n_embd": 16,
    "n_layer": 2,
    "n_head": 2,
    "n_positions": 24,
    "initializer_range": 0.5,
}


def _config(kind, positions=24):
    """Configuration of one architecture."""
    import transformers

    if kind == "GPT2":
        return transformers.GPT2Config(**GPT2_SIZES, bos_token_id=3, eos_token_id=3)
    if kind == "DistilBert":
        return transformers.DistilBertConfig(
            vocab_size=len(WORDS),
            dim=16,
            n_layers=2,
            n_heads=2,
            hidden_dim=32,
            max_position_embeddings=24,
            initializer_range=0.5,
        )
    sizes = SIZES | {"max_position_embeddings": positions}
    if kind == "Roberta":
        sizes |= {"max_position_embeddings": 25, "type_vocab_size": 1}
    if kind in {"Albert", "Electra"}:
        sizes |= {"embedding_size": 8}
    if kind == "Llama":
        sizes |= {"num_key_value_heads": 1}
    return getattr(transformers, f"{kind}Config")(**sizes, **SPECIALS)


def make_language_model(
    folder, kind="Bert", *, head="ForMaskedLM", seed=0, dtype=None, positions=24
):
    """Checkpoint of an architecture with a head ("" for none)."""
    import torch
    import transformers
    from tiny_bert import make_tokenizer

    torch.manual_seed(seed)
    network = getattr(transformers, f"{kind}{head or 'Model'}")(_config(kind, positions)).eval()
    with torch.no_grad():  # biases are made as zeros, which would hide one that is left out
        for name, values in network.named_parameters():
            if name.endswith("bias"):
                values.normal_(0, 0.5)
    network.to(dtype or torch.float32).save_pretrained(folder)
    if kind in {"GPT2", "Llama"}:
        make_plain_tokenizer(folder)
    else:
        make_tokenizer(folder, max_length=positions)
    return folder


def make_plain_tokenizer(folder):
    """Tokenizer of words that adds no special tokens and has no padding, as GPT-2's."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer(lowercase=True)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    PreTrainedTokenizerFast(
        tokenizer_object=inner,
        model_max_length=24,
        unk_token="[UNK]",
        eos_token="[SEP]",
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
