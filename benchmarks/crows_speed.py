"""CrowS-Pairs scored in batches, against a loop of one mask and one forward at a time.

Three numbers, each from several interleaved rounds of CPU seconds, best of each:

speedup   pairs per CPU-second of the official procedure as a run scores it (tokenizing, aligning,
          asking through the checks), over those of the naive loop
share     CPU seconds of a bare loop over the same masked inputs, padded beforehand, head only at
          the masked positions, over those of the scoring (goal: 0.85 or more)
equal     whether both give the same verdicts, and scores within 1e-3 after the official rounding

Goals for the speedup: 8 on a BERT of 4 layers and width 128, 3.5 on 6 layers and width 384. Both
are made here with random weights and the vocabulary of bert-base-uncased. The pairs are those of
CrowS-Pairs, or shipped ones.

    python benchmarks/crows_speed.py --pairs 40
"""

import argparse
import csv
import difflib
import tempfile
import time
from pathlib import Path

import torch
import transformers
from inputs import DATA, words_of_bert

from scrutiny.core.model import LoadOptions
from scrutiny.data.dataset import load_dataset
from scrutiny.models.answers.language_answers import ask_or_fail
from scrutiny.models.scoring.pair_likelihoods import (
    PAIR_VARIANTS,
    ComparedSentences,
    encode_pairs,
    score_pairs,
)
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tasks import load_task

GOALS = {"4x128": 8.0, "6x384": 3.5}
SHARE = 0.85


def make_model(folder, layers, width):
    """Random BERT with the tokenizer of bert-base-uncased."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(words_of_bert())
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=max(1, width // 32),
        intermediate_size=4 * width,
        initializer_range=0.05,
    )
    transformers.BertForMaskedLM(config).eval().save_pretrained(folder)
    return folder


def read_pairs(path, count):
    if not path.is_file():
        rows = [example.fields for example in load_dataset("builtin:stereotypes").examples]
        return [ComparedSentences(row["more"], row["less"]) for row in rows[:count]]
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    step = max(1, len(rows) // count)
    return [
        ComparedSentences(r["sent_more"], r["sent_less"], r["stereo_antistereo"] == "antistereo")
        for r in rows[::step][:count]
    ]


def shared(first, second):
    """Positions of equal blocks, as released."""
    matcher = difflib.SequenceMatcher(None, [str(i) for i in first], [str(i) for i in second])
    blocks = [op[1:] for op in matcher.get_opcodes() if op[0] == "equal"]
    one = [i for a, b, _, _ in blocks for i in range(a, b)]
    other = [i for _, _, c, d in blocks for i in range(c, d)]
    return one, other


def masked_inputs(tokenizer, pairs):
    """Masked sequences with position and target, sentence by sentence; and of which pair."""
    found = []
    for number, pair in enumerate(pairs):
        texts = (pair.b, pair.a) if pair.swapped else (pair.a, pair.b)
        ids = [tokenizer(text)["input_ids"] for text in texts]
        for side, (sentence, places) in enumerate(zip(ids, shared(*ids), strict=True)):
            for i in places[1:-1]:
                masked = [*sentence[:i], tokenizer.mask_token_id, *sentence[i + 1 :]]
                found.append((number, side, masked, i, sentence[i]))
    return found


@torch.inference_mode()
def naive(tokenizer, network, pairs):
    """Scores ``(pair, side)``: one mask, one forward, all logits."""
    scores = [[0.0, 0.0] for _ in pairs]
    for number, side, masked, i, target in masked_inputs(tokenizer, pairs):
        logits = network(torch.tensor([masked])).logits[0, i]
        scores[number][side] += float(torch.log_softmax(logits, -1)[target])
    rounded = [[round(value, 3) for value in two] for two in scores]
    return [two[::-1] if pair.swapped else two for pair, two in zip(pairs, rounded, strict=True)]


def bare_batches(inputs, size):
    """Masked sequences in padded batches, sorted by length."""
    order = sorted(range(len(inputs)), key=lambda k: -len(inputs[k][2]))
    batches = []
    for start in range(0, len(order), size):
        part = [inputs[k] for k in order[start : start + size]]
        width = max(len(masked) for _, _, masked, _, _ in part)
        ids = torch.tensor([m + [0] * (width - len(m)) for _, _, m, _, _ in part])
        mask = torch.tensor([[1] * len(m) + [0] * (width - len(m)) for _, _, m, _, _ in part])
        places = torch.tensor([i for _, _, _, i, _ in part])
        targets = torch.tensor([target for *_, target in part])
        batches.append((ids, mask, places, targets))
    return batches


@torch.inference_mode()
def run_bare(network, batches):
    """Nothing but forward passes, the head at the masked positions."""
    for ids, mask, places, targets in batches:
        states = network.bert(input_ids=ids, attention_mask=mask)[0]
        rows = torch.arange(len(ids))
        logits = network.cls(states[rows, places])
        torch.log_softmax(logits, -1)[rows, targets].tolist()


def run_scoring(model, pairs):
    """Official procedure as a run scores it."""
    ask = lambda *asked: ask_or_fail(model, *asked)  # noqa: E731
    return score_pairs(model, encode_pairs(model, pairs), PAIR_VARIANTS["nangia2020"], ask)


def cpu_seconds(function, *arguments):
    start = time.process_time()
    answer = function(*arguments)
    return time.process_time() - start, answer


def compare(folder, pairs, options):
    """CPU seconds of the naive loop, of the scoring, and of the fastest bare loop; agreement."""
    source = f"hf:{folder}"
    model = load_model(source, load_task("sentence-pairs"), LoadOptions(device="cpu"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    inputs = masked_inputs(tokenizer, pairs)
    batches = {size: bare_batches(inputs, size) for size in options.bare}
    run_scoring(model, pairs[:4])  # warm up
    loop, scoring, bare = [], [], []
    for _ in range(options.rounds):
        seconds, found = cpu_seconds(run_scoring, model, pairs)
        scoring.append(seconds)
        bare.append(min(cpu_seconds(run_bare, network, b)[0] for b in batches.values()))
        seconds, wanted = cpu_seconds(naive, tokenizer, network, pairs)
        loop.append(seconds)
    verdicts = [(a > b) - (a < b) for a, b in found] == [(a > b) - (a < b) for a, b in wanted]
    furthest = max(
        abs(x - y)
        for one, other in zip(found, wanted, strict=True)
        for x, y in zip(one, other, strict=True)
    )
    return min(loop), min(scoring), min(bare), verdicts and furthest <= 1.001e-3, furthest


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA / "crows_pairs")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--bare", type=int, nargs="+", default=[32, 64, 128])
    parser.add_argument("--sizes", nargs="+", default=list(GOALS), help="layers x width")
    return parser.parse_args()


def main():
    options = arguments()
    pairs = read_pairs(options.data / "crows_pairs_anonymized.csv", options.pairs)
    torch.set_num_threads(1)
    for name in options.sizes:
        layers, width = map(int, name.split("x"))
        with tempfile.TemporaryDirectory() as folder:
            make_model(folder, layers, width)
            loop, scoring, bare, equal, furthest = compare(folder, pairs, options)
        print(f"BERT {name}, {len(pairs)} pairs, one thread")
        print(f"  naive loop {len(pairs) / loop:8.2f} pairs per CPU-second")
        print(f"  scored     {len(pairs) / scoring:8.2f} pairs per CPU-second")
        print(f"  speedup {loop / scoring:.2f}", end="")
        goal = GOALS.get(name)
        print(f"; goal {goal}: {verdict(loop / scoring >= goal)}" if goal else "")
        share = bare / scoring
        print(f"  share {share:.3f} of a bare loop; goal {SHARE}: {verdict(share >= SHARE)}")
        print(f"  equal: {verdict(equal)}, furthest score {furthest:.4f}")


def verdict(is_reached):
    return "reached" if is_reached else "MISSED"


if __name__ == "__main__":
    main()
