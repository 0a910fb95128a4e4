"""What a masked language model costs when every token of every sentence is masked once.

The sentences are those of CrowS-Pairs (or any lines of text), the queries one cloze for each token
of each sentence. One thread, CPU seconds, best of several interleaved rounds:

encoder   answers per second, against a bare loop of batched encoder passes over the same masked
          inputs, tokenized, sorted by length and padded beforehand
head      the same, where the bare loop also applies the head at the masked positions and takes
          the log-softmax: what any answer needs at least (goal: 0.85 or more)
asked     the same through the answer cache, keys and SQLite with them
naive     times as fast as one mask and one forward at a time, logits at every position
          (goal: 8 or more on the 4 x 128 model, 3.5 on one of MiniLM's size)
memory    most memory of the process with many and with four times as many sentences, and with
          sentences of 500 tokens

Without a model, one with random weights is made: the time does not depend on the weights.

    python benchmarks/language_model_speed.py [hf:./checkpoint] --layers 6 --width 384 --words 30522
"""

import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from inputs import DATA

from scrutiny.core.model import LoadOptions
from scrutiny.core.queries.language import Cloze
from scrutiny.models.strings.model_loading import load_model
from scrutiny.run.asking.client import ModelClient
from scrutiny.store.database import AnswerCache
from scrutiny.tasks.tasks import load_task

GOAL = 0.85
TASK = load_task("sentence-pairs")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def read_texts(path, count):
    """Sentences of CrowS-Pairs, both of a pair, or lines of a file; made up if there is none."""
    if not path.is_file():
        words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
        return [" ".join((words * 4)[i % 10 : 12 + (7 * i) % 20]) for i in range(count)]
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix != ".csv":
            return [line.strip() for line, _ in zip(file, range(count), strict=False)]
        rows = csv.DictReader(file)
        pairs = [(row["sent_more"], row["sent_less"]) for row in rows]
    return [text for pair in pairs for text in pair][:count]


def make_model(folder, options, texts):
    """BERT with random weights, and a tokenizer that knows the words of the texts."""
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    inner = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    inner.normalizer = normalizers.BertNormalizer(lowercase=True)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words = {w for text in texts for w, _ in split(inner, text)}
    vocabulary = [*SPECIAL, *sorted(words)][: options.words]
    inner.model = models.WordLevel({w: i for i, w in enumerate(vocabulary)}, unk_token="[UNK]")
    inner.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = dict(zip(("pad", "unk", "cls", "sep", "mask"), SPECIAL, strict=True))
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        model_max_length=512,
        **{f"{name}_token": token for name, token in names.items()},
    ).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=options.words,
        hidden_size=options.width,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        intermediate_size=4 * options.width,
    )
    transformers.BertForMaskedLM(config).eval().save_pretrained(folder)
    return f"hf:{folder}"


def split(inner, text):
    return inner.pre_tokenizer.pre_tokenize_str(inner.normalizer.normalize_str(text))


def queries_of(model, texts):
    """For each text one cloze for each of its tokens."""
    queries = []
    for encoded in model.encode(texts):
        ids = encoded.ids
        queries.append(
            tuple(
                Cloze((*ids[:i], model.mask_id, *ids[i + 1 :]), (i,), (ids[i],))
                for i in range(1, len(ids) - 1)
            )
        )
    return queries


def bare_batches(queries, size):
    """Padded batches with what is read, longest first; each distinct sequence once."""
    clozes = {cloze.ids: cloze for query in queries for cloze in query}
    ordered = sorted(clozes.values(), key=lambda c: -len(c.ids))
    batches = []
    for start in range(0, len(ordered), size):
        part = ordered[start : start + size]
        width = len(part[0].ids)
        ids = torch.tensor([[*c.ids, *([0] * (width - len(c.ids)))] for c in part])
        real = torch.tensor([[1] * len(c.ids) + [0] * (width - len(c.ids)) for c in part])
        reads = torch.tensor([[i, c.positions[0], c.targets[0]] for i, c in enumerate(part)])
        batches.append((ids, real, reads))
    return batches


@torch.inference_mode()
def run_bare(network, batches, *, has_head):
    """CPU seconds of nothing but forward passes."""
    start = time.process_time()
    for ids, real, reads in batches:
        hidden = network.base_model(input_ids=ids, attention_mask=real)[0]
        if has_head:
            scores = network.cls.predictions(hidden[reads[:, 0], reads[:, 1]])
            torch.log_softmax(scores, -1)[torch.arange(len(reads)), reads[:, 2]]
    return time.process_time() - start


@torch.inference_mode()
def run_naive(network, queries):
    """CPU seconds of one mask and one forward at a time; and what it answers."""
    start, found = time.process_time(), []
    for query in queries:
        for cloze in query:
            logits = network(input_ids=torch.tensor([cloze.ids])).logits[0, cloze.positions[0]]
            found.append(torch.log_softmax(logits, -1)[cloze.targets[0]].item())
    return time.process_time() - start, found


def run_model(model, queries):
    start = time.process_time()
    answers = model.masked_logprobs(queries)
    return time.process_time() - start, [c[0] for answer in answers for c in answer]


class TaskStore:
    """A driver's store that keeps answers in SQLite and no memos."""

    def __init__(self, path):
        self._cache = AnswerCache(path)
        self.get_many, self.put_many = self._cache.get_many, self._cache.put_many


def run_asked(model, queries):
    """CPU seconds of asking through a fresh cache, and of finding all answers in it."""
    with tempfile.TemporaryDirectory() as folder:
        store = TaskStore(Path(folder) / "answers.sqlite")
        seconds = []
        for _ in range(2):
            client = ModelClient(model, store, fingerprint="f", to_data={}, digest="d")
            start = time.process_time()
            client.ask("masked_logprobs", queries)
            seconds.append(time.process_time() - start)
        store._cache.close()
    return seconds


def memory(source, texts, *, length):
    """Most memory in MB of a process that answers for so many texts of a length."""
    command = [sys.executable, __file__, source, "--child", str(texts), str(length)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(found.stdout)


def child(source, count, length):
    """Ask for sentences one after the other, and print the most memory that it took."""
    model = load_model(source, TASK, LoadOptions(device="cpu"))
    for number in range(count):
        ids = [2, *(5 + (number * 31 + i * 7) % 900 for i in range(length - 2)), 3]
        query = tuple(
            Cloze((*ids[:i], model.mask_id, *ids[i + 1 :]), (i,), (ids[i],))
            for i in range(1, min(length - 1, 20))
        )
        whole = (Cloze(tuple(ids), tuple(range(length)), tuple(ids)),)
        model.masked_logprobs([query, whole])
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", nargs="?", help="model string, hf:./folder")
    default = DATA / "crows_pairs" / "crows_pairs_anonymized.csv"
    parser.add_argument("--texts", type=Path, default=default, help="CSV of pairs, or lines")
    parser.add_argument("--count", type=int, default=200, help="sentences")
    parser.add_argument("--naive", type=int, default=40, help="sentences of the naive loop")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--words", type=int, default=8192)
    parser.add_argument("--bare", type=int, nargs="+", default=[32, 64, 128])
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--child", type=int, nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = arguments()
    torch.set_num_threads(1)
    if options.child:
        child(options.model, *options.child)
        return
    texts = read_texts(options.texts, options.count)
    with tempfile.TemporaryDirectory() as folder:
        source = options.model or make_model(folder, options, texts)
        model = load_model(source, TASK, LoadOptions(device="cpu"))
        report_speed(model, texts, options)
        if not options.no_memory:
            report_memory(source)


def report_speed(model, texts, options):
    network = model._runner.network
    queries = queries_of(model, texts)
    clozes = len({cloze.ids for query in queries for cloze in query})
    batches = {size: bare_batches(queries, size) for size in options.bare}
    run_model(model, queries[:20])
    ours, asked, encoder, head = [], [], [], []
    for _ in range(options.rounds):
        ours.append(run_model(model, queries)[0])
        asked.append(run_asked(model, queries))
        encoder.append(min(run_bare(network, b, has_head=False) for b in batches.values()))
        head.append(min(run_bare(network, b, has_head=True) for b in batches.values()))
    few = queries[: options.naive]
    slow, expected = run_naive(network, few)
    fast, answers = min(run_model(model, few) for _ in range(options.rounds))
    apart = max(abs(a - b) for a, b in zip(answers, expected, strict=True))
    size = sum(p.numel() for p in network.parameters()) / 1e6
    print(f"{len(texts)} sentences, {clozes} distinct clozes, {size:.1f} M parameters, 1 thread")
    print(f"answers      : {clozes / min(ours):8.0f} clozes/s")
    print(f"encoder alone: {min(encoder) / min(ours):8.3f} of the fastest bare loop")
    ratio = min(head) / min(ours)
    print(f"encoder, head: {ratio:8.3f} of the fastest bare loop; goal {GOAL}: {verdict(ratio)}")
    through = min(head) / min(first for first, _ in asked)
    print(f"asked        : {through:8.3f} of it, through the answer cache")
    again = min(second for _, second in asked)
    print(f"from the cache: {len(queries) / again:7.0f} sentences/s; {again / min(ours):.3f} of it")
    print(f"naive        : {slow / fast:8.1f} times as fast; answers differ by {apart:.1e} at most")


def verdict(value):
    return "reached" if value >= GOAL else "MISSED"


def report_memory(source):
    few, many = memory(source, 20, length=18), memory(source, 80, length=18)
    long, longer = memory(source, 1, length=500), memory(source, 4, length=500)
    print(f"memory       : {few} MB with 20 sentences of 18 tokens, {many} MB with 80")
    print(f"               {long} MB with 1 sentence of 500 tokens, {longer} MB with 4")


if __name__ == "__main__":
    main()
