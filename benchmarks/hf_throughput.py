"""How much of the time of an hf: model is its forward pass, and what the rest costs.

Two numbers, each best of several interleaved rounds:

share   time inside the network, of the wall time of checked answers (goal: 0.85 or more)
ratio   tokens per second of checked answers, against a bare loop over batches that were
        tokenized, sorted by length and padded beforehand (goal: 0.85 or more)

The bare loop is tried with several batch sizes and the fastest counts. Padding is no token.
Without a model, one with random weights is made: the time does not depend on the weights.

    python benchmarks/hf_throughput.py [hf:./runs/minilm/seed-1] --texts sst2/train.tsv
"""

import argparse
import tempfile
import time
from pathlib import Path

import torch
from inputs import classifier, texts

from scrutiny.core.example import Example
from scrutiny.core.model import LoadOptions
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tasks import load_task

GOAL = 0.85
ASKED = 1024  # examples that a run asks at a time


class Timed:
    """A network that adds up the time of its forward passes."""

    def __init__(self, network):
        self.network, self.seconds = network, 0.0
        self.device = network.device

    def __call__(self, **inputs):
        start = time.perf_counter()
        output = self.network(**inputs)
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        self.seconds += time.perf_counter() - start
        return output


def bare_batches(tokenizer, texts, size, limit):
    """Padded batches on the device, longest first."""
    encoded = tokenizer(texts, truncation=True, max_length=limit)
    order = sorted(range(len(texts)), key=lambda i: -len(encoded["input_ids"][i]))
    parts = [order[start : start + size] for start in range(0, len(order), size)]
    rows = [{name: encoded[name][i] for name in encoded} for i in range(len(texts))]
    return [tokenizer.pad([rows[i] for i in part], return_tensors="pt") for part in parts]


@torch.inference_mode()
def run_bare(network, batches):
    """Seconds of nothing but forward passes."""
    start = time.perf_counter()
    outputs = [network(**batch.to(network.device)).logits for batch in batches]
    torch.cat(outputs).cpu()
    return time.perf_counter() - start


def run_checked(model, examples):
    """Seconds of checked answers, as a run asks for them, and those inside the network."""
    forward = model._forward
    plain, forward.network = forward.network, Timed(forward.network)
    start = time.perf_counter()
    for first in range(0, len(examples), ASKED):
        predict_or_fail(model, examples[first : first + ASKED])
    seconds = time.perf_counter() - start
    inside = forward.network.seconds
    forward.network = plain
    return seconds, inside


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", nargs="?", help="model string, hf:./folder")
    parser.add_argument("--texts", type=Path, help="TSV with a column sentence")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--batch", default="auto")
    parser.add_argument("--bare", type=int, nargs="+", default=[16, 32, 64, 128])
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=384)
    return parser.parse_args()


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        made = {"layers": options.layers, "width": options.width}
        options.model = options.model or classifier(folder, **made)
        measure(options, texts(options.count, options.texts))


def measure(options, texts):
    # as a run does: sorted by characters before they are asked in chunks
    examples = [Example(str(i), {"text": t}) for i, t in enumerate(sorted(texts, key=len))]
    batch = int(options.batch) if options.batch.isdecimal() else "auto"
    task = load_task("text-classification")
    load = LoadOptions(device=options.device, batch=batch)
    model = load_model(options.model, task, load)
    network, tokenizer = model._forward.network, model._tokenizer
    tokens = sum(map(len, tokenizer(texts, truncation=True, max_length=model.limit)["input_ids"]))
    batches = {n: bare_batches(tokenizer, texts, n, model.limit) for n in options.bare}
    predict_or_fail(model, examples[:64])  # warm up
    bare, checked = dict.fromkeys(batches, float("inf")), []
    for _ in range(options.rounds):
        checked.append(run_checked(model, examples))
        for size, padded in batches.items():
            bare[size] = min(bare[size], run_bare(network, padded))
    seconds, inside = min(checked)
    size = min(bare, key=bare.get)
    threads = torch.get_num_threads()
    print(f"{len(texts)} texts, {tokens} tokens, {network.device}, {threads} thread(s)")
    for n, value in bare.items():
        print(f"bare loop, batches of {n:4d}: {tokens / value:9.0f} tokens/s")
    print(f"checked answers         : {tokens / seconds:9.0f} tokens/s")
    share, ratio = inside / seconds, bare[size] / seconds
    print(f"share {share:.3f} of the time in the forward pass; goal {GOAL}: {verdict(share)}")
    print(f"ratio {ratio:.3f} of the fastest bare loop ({size}); goal {GOAL}: {verdict(ratio)}")


def verdict(value):
    return "reached" if value >= GOAL else "MISSED"


if __name__ == "__main__":
    main()
