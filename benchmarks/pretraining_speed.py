"""Pre-training steps a second: our forward pass against eager transformers, in one process.

    OMP_NUM_THREADS=1 python benchmarks/pretraining_speed.py [--layers 4] [--steps 12]

Both take the same steps on the same batches of random pieces, with bfloat16 matrix products and
the vocabulary's scores at hidden places only; the peer is `BertForPreTraining` under autocast
with the attention that transformers chooses. Steps alternate, medians are compared.
"""

import argparse
import statistics
import time

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from scrutiny.training.pretraining.batches import StepInput
from scrutiny.training.pretraining.bert import PretrainingForward, new_network
from scrutiny.training.pretraining.kept_memory import keep_memory
from scrutiny.training.pretraining.loop import (
    losses,
    on_device,
    optimizer_for,
    pretraining_step,
)
from scrutiny.training.pretraining.recipe import PretrainingRecipe

LENGTH = 64


def batch(step, rows):
    draw = np.random.default_rng(step)
    cells = rows * LENGTH
    places = np.sort(draw.permutation(cells)[: cells // 5])
    made = StepInput(
        draw.integers(5, 8192, (rows, LENGTH)),
        np.tile((np.arange(LENGTH) > 30).astype(np.int64), (rows, 1)),
        places,
        draw.integers(5, 8192, len(places)),
        draw.integers(0, 2, rows),
    )
    return on_device(made, "cpu")


def ours(network):
    forward = PretrainingForward(network, is_bf16=True)
    return lambda given: losses(forward, given, next_weight=0.3).total


def peer(network):
    def loss(given):
        with torch.autocast("cpu", torch.bfloat16):
            hidden, pooled = network.bert(
                input_ids=given.pieces, token_type_ids=given.segments, return_dict=False
            )
            at = hidden.reshape(-1, hidden.shape[-1])[given.places]
            scores = network.cls.predictions(at).float()
            follows = network.cls.seq_relationship(pooled).float()
        return cross_entropy(scores, given.answers) + 0.3 * cross_entropy(follows, given.is_next)

    return loss


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--rows", type=int, default=64)
    asked = parser.parse_args()
    keep_memory()  # for both
    recipe = PretrainingRecipe(layers=asked.layers)
    sides = {}
    for name, make in (("ours", ours), ("transformers", peer)):
        network = new_network(recipe, 0)
        sides[name] = (make(network), optimizer_for(network, recipe), [])
    for step in range(asked.steps + 2):
        given = batch(step, asked.rows)
        for loss, optimizer, seconds in sides.values():
            begun = time.process_time()
            pretraining_step(optimizer, loss(given), clip=1.0, rate=1e-3)
            seconds.append(time.process_time() - begun)
    cells = asked.rows * LENGTH
    rates = {n: cells / statistics.median(seconds[2:]) for n, (_, _, seconds) in sides.items()}
    for name, rate in rates.items():
        print(f"{name:>13} {rate:8,.0f} pieces per CPU-second")
    print(f"{'ratio':>13} {rates['ours'] / rates['transformers']:8.2f}")


if __name__ == "__main__":
    main()
