"""What an attack on a neural classifier costs beyond asking it, and beside TextAttack 0.3.11.

    python benchmarks/attack_model_speed.py [hf:runs/m/minilm/seed-1] --textattack VENV/bin/python

For every attack, in the same process and over the same texts, several times in turn:

whole    the attack, from the first question to the last answer
bare     the network alone over exactly the texts that were asked, tokenized, sorted by length and
         padded beforehand; of several batch sizes the one that was fastest in a first round
share    bare / whole (goal: 0.85 or more); the rest is tokenizing, padding that sorting all texts
         together would have spared, and the search itself
network  time inside the network during the attack, of the whole
search   time outside of the model during the attack, of the whole

Shares are of processor time (and of wall time behind it), each the median of the repeats. The ratio
to TextAttack is of attacked sentences per processor second, with the same folder in its
`HuggingFaceModelWrapper`; without its environment the table says so. That wrapper pads every text
to as many tokens as the tokenizer allows (512); ``--longest`` spares it that (0: leave it). One
thread on both sides. The rows are the first of SST-2's development set
(``SCRUTINY_DATA/sst2/dev.tsv``), or shipped reviews. Without a model, one with random weights is
made: it can be attacked all the same.
"""

import argparse
import os
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import torch
from attacks import theirs
from hf_throughput import bare_batches, run_bare
from inputs import classifier, sst2

from scrutiny.data.dataset import load_dataset
from scrutiny.models.strings.model_loading import load_model
from scrutiny.perturb.recipes.attack import given_to_attacks, parse_attack
from scrutiny.perturb.search.problem import Settings, Victim
from scrutiny.perturb.search.running import search_all
from scrutiny.tasks.tasks import load_task

ATTACKS = {"deepwordbug": "deepwordbug", "pwws": "pwws(variant=textattack)"}
SIZES = (16, 32, 64)


class Timed:
    """What is called, with the time spent inside."""

    def __init__(self, called):
        self.called = called
        self.cpu = self.wall = 0.0

    def __call__(self, *given, **named):
        cpu, wall = process_time(), perf_counter()
        found = self.called(*given, **named)
        self.cpu += process_time() - cpu
        self.wall += perf_counter() - wall
        return found


def timed(run):
    """What comes of it, and its processor and wall seconds."""
    once = Timed(run)
    return once(), (once.cpu, once.wall)


def attacked(name, model, examples, budget):
    """What was found, the texts asked in order, and times: whole, in the model, in its network."""
    asked = []

    def ask(batch):
        asked.extend(batch)
        return model.predict(batch)

    forward = model._forward
    network = forward.network
    search = parse_attack(name).search(given_to_attacks([], capabilities=model.capabilities))
    victim, forward.network = Timed(ask), Timed(network)
    settings = Settings(seed=0, budget=budget)
    try:
        found, whole = timed(
            lambda: list(
                search_all(examples, search, victim=Victim(victim, model.labels), settings=settings)
            )
        )
    finally:
        inside, forward.network = forward.network, network
    return found, asked, (whole, (victim.cpu, victim.wall), (inside.cpu, inside.wall))


def bare(model, asked, size):
    """Processor and wall seconds of the network alone in batches of so many texts."""
    texts = [example.text for example in asked]
    batches = bare_batches(model._tokenizer, texts, size, model.limit)
    return timed(lambda: run_bare(model._forward.network, batches))[1]


def measured(name, model, examples, *, budget, repeats):
    """Success, texts, seconds and shares of one attack."""
    shares, network, search, seconds = [], [], [], []
    _, asked, _ = attacked(name, model, examples, budget)
    size = min(SIZES, key=lambda size: bare(model, asked, size))
    for _ in range(repeats):
        found, asked, (whole, victim, inside) = attacked(name, model, examples, budget)
        alone = bare(model, asked, size)
        shares.append([a / w for a, w in zip(alone, whole, strict=True)])
        network.append(inside[0] / whole[0])
        search.append(1 - victim[0] / whole[0])
        seconds.append(whole[0])
    tried = [one for one in found if one.status == "ok"]
    return {
        "attacked": len(tried),
        "success": sum(one.is_success for one in tried),
        "queries": sum(one.n_asked for one in tried),
        "sent": len(asked),
        "share": [median(values) for values in zip(*shares, strict=True)],
        "network": median(network),
        "search": median(search),
        "seconds": median(seconds),
    }


COLUMNS = (
    *("attack", "side", "success", "texts sent", "CPU s", "rows per CPU-s", "times TextAttack's"),
    *("share", "share, wall", "in the network", "outside the model"),
)


def shown(name, side, found, *, rows, peer=None):
    """Line of the table."""
    if isinstance(found, str):
        return f"| {name} | {side} | {found} |"
    outside = found.get("search", 1 - found.get("in_victim", 0) / found["seconds"])
    cells = [
        f"{found['success']}/{found['attacked']}",
        f"{found['sent']:,}",
        f"{found['seconds']:.1f}",
        f"{rows / found['seconds']:.2f}",
        f"{peer['seconds'] / found['seconds']:.2f}" if isinstance(peer, dict) else "-",
        *(f"{share:.3f}" for share in found.get("share", ())),
        *([f"{found['network']:.3f}"] if "network" in found else ["-"] * 3),
        f"{outside:.3f}",
    ]
    return f"| {name} | {side} | {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", help="model string, hf:./folder")
    parser.add_argument("--data", default=sst2("dev"))
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--budget", type=int, default=None)
    parser.add_argument("--repeats", type=int, default=3)
    default = os.environ.get("SCRUTINY_TEXTATTACK_PYTHON", "")
    parser.add_argument("--textattack", default=default, help="its Python")
    parser.add_argument("--longest", type=int, default=64, help="tokens that it pads texts to")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=384)
    options = parser.parse_args()
    torch.set_num_threads(1)
    dataset = load_dataset(options.data)
    with TemporaryDirectory() as folder:
        made = {"layers": options.layers, "width": options.width, "labels": dataset.labels}
        options.model = options.model or classifier(folder, **made)
        measure_all(dataset, options)


def measure_all(dataset, options):
    examples = dataset.examples[: options.rows]
    model = load_model(options.model, load_task(dataset.task))
    model.predict(examples[:8])  # what is loaded on first use
    peers = theirs(
        options.textattack,
        {
            "model": options.model.removeprefix("hf:"),
            "longest": options.longest,
            "texts": [example.text for example in examples],
            "labels": [model.labels.index(example.gold) for example in examples],
            "recipes": list(ATTACKS),
            "repeats": 1,
        },
    )
    print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|")
    for name, written in ATTACKS.items():
        own = measured(written, model, examples, budget=options.budget, repeats=options.repeats)
        peer = peers if isinstance(peers, str) else peers[name]
        print(shown(name, "scrutiny", own, rows=len(examples), peer=peer))
        print(shown(name, "TextAttack 0.3.11", peer, rows=len(examples)), flush=True)


if __name__ == "__main__":
    main()
