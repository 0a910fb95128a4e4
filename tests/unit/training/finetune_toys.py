"""Tiny encoders and tasks that they can learn in seconds."""

import random
from dataclasses import replace

from scrutiny.training.finetuning.encoders import bases_of
from scrutiny.training.finetuning.one_run import FinetuningJob
from scrutiny.training.finetuning.recipe import FinetuningRecipe
from scrutiny.training.finetuning.training_data import load_parts

FILLERS = "the a film was story and it very fine long old".split()
WORDS = [
    *"[PAD] [UNK] [CLS] [SEP] [MASK] good bad not yes no ada kim paris london new york".split(),
    *"##s , .".split(),
    *FILLERS,
]
QUICK = FinetuningRecipe(epochs=4, batch=8, lr=2e-2, head_lr_factor=1.0, dev_share=0.25)


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
    PreTrainedTokenizerFast(
        tokenizer_object=inner,
        model_max_length=max_length,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    ).save_pretrained(folder)


def make_encoder(folder, *, seed=0, maker="BertModel", dropout=0.0):
    """Checkpoint of a BERT with two layers of width 16 and random weights."""
    import torch
    import transformers

    from scrutiny.models.hf.checkpoint import quiet

    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=24,
        initializer_range=0.2,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    with torch.random.fork_rng(devices=[]), quiet():
        torch.manual_seed(seed)
        getattr(transformers, maker)(config).save_pretrained(folder)
    make_tokenizer(folder)
    return f"hf:{folder}"


def _filled(rng, word):
    words = [rng.choice(FILLERS) for _ in range(rng.randrange(3, 9))]
    words[rng.randrange(len(words))] = word
    return " ".join(words)


def sentiment(count=80, *, seed=0):
    """Texts with "good" or "bad" somewhere."""
    rng = random.Random(seed)
    pairs = [("good", "positive"), ("bad", "negative")]
    return [
        {"text": _filled(rng, word), "label": label}
        for word, label in (pairs[n % 2] for n in range(count))
    ]


def aspects(count=80, *, seed=0):
    """Texts about one thing each, with "good" or "bad" somewhere."""
    things = ("film", "story")
    return [
        {**row, "text": f"{row['text']} {things[n % 3 % 2]}", "aspect": things[n % 3 % 2]}
        for n, row in enumerate(sentiment(count, seed=seed))
    ]


def pairs(count=80, *, seed=0):
    """Pairs whose second text has "yes" or "no"; the first says nothing."""
    rng = random.Random(seed)
    kinds = [("yes", "follows"), ("no", "contradicts")]
    return [
        {"text": _filled(rng, "not"), "text_pair": _filled(rng, word), "label": label}
        for word, label in (kinds[n % 2] for n in range(count))
    ]


NAMES = {
    ("ada",): ("PER", ["B-PER"]),
    ("kims",): ("PER", ["B-PER"]),
    ("london",): ("LOC", ["B-LOC"]),
    ("new", "yorks"): ("LOC", ["B-LOC", "I-LOC"]),
}


def tagged(count=80, *, seed=0):
    """Sentences with a person or a place; some names have two pieces, one has two words."""
    rng = random.Random(seed)
    rows = []
    for n in range(count):
        name = list(NAMES)[n % len(NAMES)]
        words = [rng.choice(FILLERS) for _ in range(rng.randrange(3, 7))]
        place = rng.randrange(len(words))
        tags = ["O"] * len(words)
        words[place:place] = name
        tags[place:place] = NAMES[name][1]
        rows.append({"tokens": words, "tags": tags})
    return rows


def job(source, rows, *, seeds=(1,), dev="", **fields):
    """Job on rows with the quick recipe, some of its fields changed."""
    recipe = replace(QUICK, **fields)
    parts = load_parts(rows, recipe, dev=dev)
    return FinetuningJob(bases_of(source), parts, recipe, tuple(seeds))


def weights(folder):
    """Bytes of a checkpoint's weights."""
    return (folder / "model.safetensors").read_bytes()
