"""A BERT in numpy and double precision, written from the paper, whose heads can be changed."""

from math import erf

import numpy as np
import torch
import transformers


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


class NumpyBert:
    """One sequence at a time.

    Parameters
    ----------
    folder
        Checkpoint of any BertFor…
    maker
        Class of transformers that loads it.
    """

    def __init__(self, folder, maker):
        network = getattr(transformers, maker).from_pretrained(folder, dtype=torch.float64).eval()
        self.heads = network.config.num_attention_heads
        self.layers = network.config.num_hidden_layers
        self.weights = {
            name.removeprefix("bert."): value.double().numpy()
            for name, value in network.state_dict().items()
        }

    def linear(self, name, x):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name, x):
        centered = x - x.mean(-1, keepdims=True)
        scaled = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def run(self, ids, change=lambda layer, weights: weights):
        """Last hidden states ``(token, unit)`` and weights ``(layer, head, token, token)``."""
        table = "embeddings.{}_embeddings.weight"
        states = self.weights[table.format("word")][list(ids)]
        states = states + self.weights[table.format("position")][: len(ids)]
        states = self.norm(
            "embeddings.LayerNorm", states + self.weights[table.format("token_type")][0]
        )
        every = []
        for layer in range(self.layers):
            states, weights = self.layer(layer, states, change)
            every.append(weights)
        return states, np.stack(every)

    def layer(self, layer, states, change):
        base = f"encoder.layer.{layer}"

        def split(name):
            found = self.linear(f"{base}.attention.self.{name}", states)
            return found.reshape(len(states), self.heads, -1).transpose(1, 0, 2)

        query, key, value = map(split, ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        weights = change(layer, softmax(scores))  # (head, token, token)
        mixed = (weights @ value).transpose(1, 0, 2).reshape(len(states), -1)
        mixed = self.linear(f"{base}.attention.output.dense", mixed)
        attended = self.norm(f"{base}.attention.output.LayerNorm", mixed + states)
        inner = self.linear(f"{base}.intermediate.dense", attended)
        inner = inner * 0.5 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))
        outer = self.linear(f"{base}.output.dense", inner)
        return self.norm(f"{base}.output.LayerNorm", outer + attended), weights

    def masked_logprobs(self, ids, position, change=lambda layer, weights: weights):
        """Log-probabilities of all words at one position."""
        states = self.run(ids, change)[0][position]
        inner = self.linear("cls.predictions.transform.dense", states)
        inner = inner * 0.5 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))
        inner = self.norm("cls.predictions.transform.LayerNorm", inner)
        logits = inner @ self.weights["cls.predictions.decoder.weight"].T
        return np.log(softmax(logits + self.weights["cls.predictions.bias"]))

    def label_scores(self, ids, change=lambda layer, weights: weights):
        """Probabilities of a sequence classifier's labels."""
        first = self.run(ids, change)[0][0]
        return softmax(self.linear("classifier", np.tanh(self.linear("pooler.dense", first))))
