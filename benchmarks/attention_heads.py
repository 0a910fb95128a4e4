"""Attention heads as classifiers: what the whole path costs beside the forward passes in it.

whole   CPU time of a bare loop over the same batches, tokenized and padded beforehand, by that of
        `attention.heads` from examples to rows, one preset, pseudo-cues and baselines included
        (goal: 0.75)
naive   CPU time of a script that runs one sentence at a time and makes words in Python loops, by
        that of the whole path (goal: 2.5)
words   CPU time of word aggregation in Python loops, by that of ours, on the same maps (goal: 10)

All are timed in interleaved rounds on one thread; the median of the rounds' ratios is printed.

    python benchmarks/attention_heads.py [--examples 200] [--rounds 5]
"""

import argparse
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import torch
from attention_maps import CORPUS, SIZES, TASK, bare, recorded_batches, small, timed
from inputs import DATA

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.queries.annotation import AnchoredWords
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.attention.heads import Heads, HeadsParams
from scrutiny.diagnostics.attention.word_maps import MapOptions, word_map
from scrutiny.models.hf.attention_taps import eager
from scrutiny.models.strings.model_loading import load_model


class Ctx:
    """What a diagnostic asks of its context here: the model, and random numbers."""

    def __init__(self, model):
        self.model = model

    def rng(self, purpose, name, item, draw=0):
        return np.random.default_rng(len(item))

    def array(self, name, value):
        """Nothing is kept."""


def word_loops(weights, words):
    """Mean into words and mean out of them, without self and special tokens, as a script does."""
    groups = {}
    for place, word in enumerate(words):
        if word is not None:
            groups.setdefault(word, []).append(place)
    places = list(groups.values())
    layers, heads = weights.shape[:2]
    out = np.zeros((layers, heads, len(places), len(places)), dtype=np.float32)
    for i, rows in enumerate(places):
        for j, columns in enumerate(places):
            if i != j:
                out[..., i, j] = weights[:, :, rows][:, :, :, columns].mean(axis=(-1, -2))
    return out


def naive(network, tokenizer, views):
    """One sentence at a time: forward, words in loops, arg-max, counts."""
    with torch.inference_mode(), eager(network):
        for view in views:
            pieces = [tokenizer(w, add_special_tokens=False)["input_ids"] for w in view.words]
            flat = [piece for word in pieces for piece in word]
            ids = torch.tensor([[tokenizer.cls_token_id, *flat, tokenizer.sep_token_id]])
            found = network.base_model(input_ids=ids, output_attentions=True).attentions
            weights = torch.stack(found)[:, 0].numpy()
            words = (None, *(k for k, word in enumerate(pieces) for _ in word), None)
            target = word_loops(weights, words).argmax(axis=-1)
            predicted = np.isin(target, view.anchors)
            predicted[..., list(view.targets)].sum(axis=-1)


def measure(name, model, examples, *, rounds):
    views = [AnchoredWords.of(example) for example in examples]
    source = model._attention
    sentences = list(dict.fromkeys(view.words for view in views))
    batches = recorded_batches(source, sentences)
    maps = list(source.stream(sentences[:40]))
    params, cell = HeadsParams(presets=("default",)), Cell("m", None, "x")
    kinds = {
        "bare": lambda: bare(source.network, batches),
        "whole": lambda: list(Heads().measure(params, cell, Batch(examples), Ctx(model))),
        "naive": lambda: naive(source.network, source._tokenizer, views),
        "ours": lambda: [word_map(m, len(s), MapOptions()) for m, s in zip(maps, sentences[:40])],  # noqa: B905 - forty of them
        "loops": lambda: [word_loops(m.weights, m.words) for m in maps],
    }
    for call in kinds.values():
        call()
    times = {kind: [] for kind in kinds}
    for turn in range(rounds):
        for kind in list(kinds) if turn % 2 else list(kinds)[::-1]:
            times[kind].append(timed(kinds[kind]))

    def ratio(one, two):
        return median(a / b for a, b in zip(times[one], times[two], strict=True))

    print(f"{name}: {len(views)} examples of {len(sentences)} sentences, {rounds} rounds")
    print(f"  whole {ratio('bare', 'whole'):.3f} of the bare forward (goal 0.75)")
    print(f"  naive {ratio('naive', 'whole'):.2f} times as long (goal 2.5)")
    print(f"  words {ratio('loops', 'ours'):.1f} times as long in loops (goal 10)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", nargs="+", default=SIZES, help="minilm, or layers x width")
    given = parser.parse_args()
    torch.set_num_threads(1)
    path = DATA / CORPUS
    source = f"negation:{path}" if path.is_file() else "builtin:negation"
    examples = load_dataset(source).examples[: given.examples]
    for size in given.sizes:
        with TemporaryDirectory() as folder:
            model = load_model("minilm", TASK) if size == "minilm" else small(folder, size)
            measure(size, model, examples, rounds=given.rounds)


if __name__ == "__main__":
    main()
