"""Invented annotations that a tiny encoder learns in seconds, and the encoder."""

import random

from finetune_toys import make_tokenizer

from scrutiny.data.dataset import load_dataset
from scrutiny.run.planning.measurements import make_params
from scrutiny.training.finetuning.encoders import bases_of
from scrutiny.training.finetuning.held_out_sentences import piece_parts
from scrutiny.training.finetuning.one_run import FinetuningJob
from scrutiny.training.finetuning.piece_tasks import TASKS

CUES = [("not",), ("never",), ("no", "longer")]
FILLERS = (
    "the a moor dog was seen and it very fine old man night door light lamp hound rain sea hill"
).split()
SPECIAL = "[PAD] [UNK] [CLS] [SEP] [MASK]".split()
VOCABULARY = [*SPECIAL, "{", "}", *"not never no longer , .".split(), *FILLERS, "##s", "##ly"]
LONGEST = 32
#: What a tiny encoder learns a planted rule with; real ones take the defaults.
QUICK = {"epochs": 6, "lr": 5e-3, "batch": 8}


def make_encoder(folder, *, seed=0, layers=2):
    """Checkpoint of a BERT with layers of width 32 and random weights."""
    import torch
    import transformers

    from scrutiny.models.hf.checkpoint import quiet

    config = transformers.BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=32,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=LONGEST,
        initializer_range=0.1,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    with torch.random.fork_rng(devices=[]), quiet():
        torch.manual_seed(seed)
        transformers.BertModel(config).save_pretrained(folder)
    make_tokenizer(folder, words=VOCABULARY, max_length=LONGEST)
    return f"hf:{folder}"


def frames(count=160, *, seed=0):
    """Sentences with a cue; the words behind it, up to the full stop, are its targets."""
    rng = random.Random(seed)
    rows = []
    for n in range(count):
        cue = CUES[n % len(CUES)]
        words = [rng.choice(FILLERS) + rng.choice(["", "", "", "s"]) for _ in range(8)]
        place = rng.randrange(1, 7)
        words[place:place] = cue
        behind = place + len(cue)
        rows.append(
            {
                "words": [*words, "."],
                "anchor": list(range(place, behind)),
                "target": list(range(behind, len(words))),
            }
        )
    return rows


def trees(count=120, *, seed=0):
    """Sentences in which a relation goes with a word, and the first word is the root."""
    rng = random.Random(seed)
    relations = {word: ("det", "nsubj", "obj")[i % 3] for i, word in enumerate(FILLERS)}
    rows = []
    for _ in range(count):
        words = [rng.choice(FILLERS) for _ in range(7)]
        own = ["root", *(relations[word] for word in words[1:])]
        rows.append({"words": words, "heads": [0] + [1] * 6, "relations": own})
    return rows


def parts_of(rows, task="anchored-tagging", *, reported=(), **params):
    """Parts of a training on rows."""
    found = TASKS[task]
    recipe = make_params(found.recipe, {**QUICK, **params}, where="test")
    data = load_dataset(rows, task=found.reads)
    return piece_parts(found, recipe, data=data, reported=reported)


def job(source, rows, task="anchored-tagging", *, seeds=(1,), **params):
    """Job on rows."""
    parts = parts_of(rows, task, **params)
    return FinetuningJob(bases_of(source), parts, parts.learned.recipe, tuple(seeds))
