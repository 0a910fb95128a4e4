"""Tiny random-weight checkpoints, made on the spot: real files, no network."""

import json

WORDS = """[PAD] [UNK] [CLS] [SEP] [MASK] the a film was good bad dull fine story and not very it
ada left paris for london ##s ##ly , . ! new york""".split()


def make_tokenizer(folder, *, words=WORDS, max_length=24):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.WordPiece({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer(lowercase=True)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", words.index("[CLS]")), ("[SEP]", words.index("[SEP]"))],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        model_max_length=max_length,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    tokenizer.save_pretrained(folder)


def make_checkpoint(
    folder, *, head="SequenceClassification", labels=("neg", "pos"), seed=0, dtype=None
):
    """Checkpoint of a BERT with two layers of width 16."""
    import torch
    import transformers

    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=24,
        initializer_range=0.5,  # answers that differ visibly from text to text
        id2label=dict(enumerate(labels)),
        label2id={name: i for i, name in enumerate(labels)},
    )
    torch.manual_seed(seed)
    maker = transformers.BertModel if head is None else getattr(transformers, f"BertFor{head}")
    network = maker(config).eval()
    if dtype is not None:
        network = network.to(dtype)
    network.save_pretrained(folder)
    make_tokenizer(folder)
    return folder


def change_config(folder, **values):
    """Write other values into config.json."""
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))
