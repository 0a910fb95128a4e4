"""Attention maps: what streaming them costs beside the forward passes that they come from.

ratio   CPU time of a bare loop over the same batches, tokenized and padded beforehand
        (``base_model(..., output_attentions=True)``, nothing kept), by that of the stream of words
        to maps: cutting words, batching, forward, one array for each sentence (goal: 0.9 or more,
        so that 0.75 is left with word aggregation behind it). It may be above 1: the stream leaves
        the network at the weights of its last layer.
naive   CPU time of a loop that runs one sentence at a time, by that of the stream (goal: 2.5)
norms   the same as ratio for maps weighted by the norms of the values

All are timed in interleaved rounds, and the median of the rounds' own ratios is printed. On the
processor one thread is used.

    python benchmarks/attention_maps.py [--sentences 200] [--rounds 5]
"""

import argparse
import json
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
import torch
from inputs import DATA, words_of_bert

from scrutiny.models.hf.attention_taps import eager
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tasks import load_task

TASK = load_task("anchored-spans")
SIZES = ["minilm", "4x128"]  # the second untrained
CORPUS = "negation/conandoyle_neg_zhao2020/data_story.json"


def sentences_of(tokenizer, count):
    """Words of real sentences where they are at hand, else random words of like lengths."""
    path = DATA / CORPUS
    if path.is_file():
        rows = json.loads(path.read_text(encoding="utf-8"))
        rows = [tuple(row["sent"].values()) for row in rows]
        step = max(1, len(rows) // count)
        return rows[::step][:count], "sentences of ConanDoyle-neg"
    words = sorted(w for w in tokenizer.get_vocab() if w.isalpha())
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.gamma(3.0, 8.0, count), 3, 90).astype(int)
    return [tuple(rng.choice(words, n).tolist()) for n in lengths], "lines of random words"


def recorded_batches(source, sentences):
    """Inputs of all batches that a stream runs."""
    runner, batches = source._runner, []
    own = runner.inputs

    def keep(sequences, batch):
        batches.append(own(sequences, batch))
        return batches[-1]

    runner.inputs = keep
    for _ in source.stream(sentences):
        pass
    del runner.inputs
    return batches


def bare(network, batches):
    with torch.inference_mode(), eager(network):
        for inputs in batches:
            network.base_model(**inputs, output_attentions=True)


def naive(network, tokenizer, sentences):
    """What a script does: word by word, sentence by sentence."""
    with torch.inference_mode(), eager(network):
        for words in sentences:
            pieces = [p for w in words for p in tokenizer(w, add_special_tokens=False)["input_ids"]]
            ids = torch.tensor([[tokenizer.cls_token_id, *pieces, tokenizer.sep_token_id]])
            found = network.base_model(input_ids=ids, output_attentions=True).attentions
            torch.stack(found)[:, 0].numpy()


def timed(call):
    start = process_time()
    call()
    return process_time() - start


def measure(name, model, *, count, rounds):
    source = model._attention
    sentences, what = sentences_of(source._tokenizer, count)
    batches = recorded_batches(source, sentences)
    kinds = {
        "bare": lambda: bare(source.network, batches),
        "raw": lambda: [None for _ in source.stream(sentences)],
        "norms": lambda: [None for _ in source.stream(sentences, weighting="value-norm")],
        "naive": lambda: naive(source.network, source._tokenizer, sentences),
    }
    for call in kinds.values():
        call()
    times = {kind: [] for kind in kinds}
    for turn in range(rounds):
        order = list(kinds) if turn % 2 else list(kinds)[::-1]
        for kind in order:
            times[kind].append(timed(kinds[kind]))
    ms = {kind: 1000 * median(values) / len(sentences) for kind, values in times.items()}

    def ratio(one, two):
        return median(a / b for a, b in zip(times[one], times[two], strict=True))

    print(f"{name}: {len(sentences)} {what}, {len(batches)} batches, {rounds} rounds")
    print("  ms a sentence: " + ", ".join(f"{kind} {value:.2f}" for kind, value in ms.items()))
    print(f"  ratio {ratio('bare', 'raw'):.3f} (goal 0.9)   norms {ratio('bare', 'norms'):.3f}")
    print(f"  naive {ratio('naive', 'raw'):.2f} times as long (goal 2.5)", flush=True)


def small(folder, size):
    """Untrained BERT of a size, layers x width, with the vocabulary of bert-base-uncased."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    layers, width = map(int, size.split("x"))
    tokenizer = AutoTokenizer.from_pretrained(words_of_bert())
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=8,
        intermediate_size=4 * width,
    )
    torch.manual_seed(0)
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return load_model(f"hf:{folder}", TASK)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", nargs="+", default=SIZES, help="minilm, or layers x width")
    given = parser.parse_args()
    torch.set_num_threads(1)
    for size in given.sizes:
        with TemporaryDirectory() as folder:
            model = load_model("minilm", TASK) if size == "minilm" else small(folder, size)
            measure(size, model, count=given.sentences, rounds=given.rounds)


if __name__ == "__main__":
    main()
