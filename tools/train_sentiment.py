"""Train the five replicates of ``builtin:sentiment`` and write them as integer arrays.

    python tools/train_sentiment.py            trains, measures, writes; one minute of one core
    python tools/train_sentiment.py --tune     the split on which the settings below were chosen

Texts: ``movie_reviews`` and ``product_reviews_1`` (both CC BY 4.0), found under SCRUTINY_DATA.
Sentences that stand in SST-2 dev or test are left out. Held out and never trained on: the last of
the ten folds of the film reviews and one of the five products; with ``--tune`` another fold and two
other products. Nothing was chosen on SST-2, which is measured once, at the end.

Sentences of a film review bear the review's label, which is wrong or empty for most of them (they
tell the plot). A sentence weighs (p / 0.6)^2, p being the probability of its label in a logistic
regression that was fitted to the other half of the film reviews. The sentences about products were
labeled by people one by one; they weigh 30 times as much, and both labels equally.
"""

import argparse
import json
import math
import os
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import sklearn
import torch
from scipy.sparse import csr_matrix, diags
from sentiment_texts import Split, read_corpus
from sklearn.linear_model import LogisticRegression
from torch.nn import functional

from scrutiny.models.builtin.builtin_families import FAMILIES
from scrutiny.models.builtin.builtin_features import of_words
from scrutiny.models.builtin.builtin_network import BuiltinNetwork

ROOT = Path(__file__).resolve().parents[1]
FAMILY = FAMILIES["sentiment"]
REPLICATES = FAMILY.replicates


@dataclass(frozen=True)
class Settings:
    features: int = 20_000
    least_documents: int = 3
    dimension: int = 12
    hidden: int = 16
    epochs: int = 4
    batch: int = 256
    learning_rate: float = 2e-3
    penalty: float = 0.1  # on the squared embeddings, for each batch
    feature_dropout: float = 0.3
    first_embedding_sd: float = 0.02
    chunk: int = 4  # sentences
    document_weight: float = 5.0
    product_weight: float = 30.0
    label_trust: float = 0.6
    crossfit_c: float = 0.1


TUNE = Split(
    held_out_folds=(8, 9),
    measured_folds=(8,),
    held_out_products=(
        "Nokia_6610",
        "Apex_AD2600_Progressive_scan_DVD player",
        "Nikon_coolpix_4300",
    ),
    measured_products=("Nokia_6610", "Apex_AD2600_Progressive_scan_DVD player"),
)
FINAL = Split(
    held_out_folds=(9,),
    measured_folds=(9,),
    held_out_products=("Nikon_coolpix_4300",),
    measured_products=("Nikon_coolpix_4300",),
)


# --- features --------------------------------------------------------------------------------


def bags(texts, read=of_words):
    """Feature hashes of all texts in one array, and where each text begins, (text + 1)."""
    groups = read([t.text for t in texts])
    hashes, owner = (np.concatenate(part) for part in zip(*groups, strict=True))
    order = np.argsort(owner, kind="stable")
    return hashes[order], np.searchsorted(owner[order], np.arange(len(texts) + 1))


def association(hashes, starts, texts):
    """Features, documents with each, and the z of their share of positive documents."""
    whole = [i for i, t in enumerate(texts) if t.kind in ("document", "product")]
    sets = [np.unique(hashes[starts[i] : starts[i + 1]]) for i in whole]
    labels = np.repeat([texts[i].label for i in whole], [len(s) for s in sets])
    feature, inverse, count = np.unique(
        np.concatenate(sets), return_inverse=True, return_counts=True
    )
    positive = np.bincount(inverse, weights=labels)
    base = np.mean([texts[i].label for i in whole])
    excess = np.abs(positive - base * count)
    return feature, count, excess, np.sqrt(count * base * (1 - base))


def choose_vocabulary(hashes, starts, texts, settings):
    """The features that go with the labels most (sorted), and the absolute z of each."""
    feature, count, excess, sd = association(hashes, starts, texts)
    score = np.where(count >= settings.least_documents, (excess - 0.5) / sd, -np.inf)
    best = np.lexsort((feature, -score))[: settings.features]
    best = np.sort(best[np.isfinite(score[best])])
    return feature[best], (excess / sd)[best]


def rows_of(hashes, starts, vocabulary):
    """Known features as rows of the vocabulary, and where each text begins."""
    row = np.searchsorted(vocabulary, hashes)
    row[row == len(vocabulary)] = 0
    known = vocabulary[row] == hashes
    return row[known], np.concatenate([[0], np.cumsum(known)])[starts]


# --- weights of the texts --------------------------------------------------------------------


def label_probabilities(row, starts, texts, weight, settings):
    """Probability of each film text's label by a model fitted to the folds of other parity."""
    data = np.ones(len(row))
    x = csr_matrix((data, row, starts), shape=(len(texts), row.max() + 1))
    x = diags(4 / np.sqrt(np.maximum(1, np.diff(starts)))) @ x
    y, fold = np.array([t.label for t in texts]), np.array([t.fold for t in texts])
    p = np.ones(len(texts))
    for parity in (0, 1):
        out = (fold >= 0) & (fold % 2 == parity)
        model = LogisticRegression(C=settings.crossfit_c, max_iter=1000)
        model.fit(x[~out], y[~out], sample_weight=weight[~out])
        p[out] = model.predict_proba(x[out])[np.arange(out.sum()), y[out]]
    return p


def text_weights(row, starts, texts, settings):
    kind, y = np.array([t.kind for t in texts]), np.array([t.label for t in texts])
    part = (kind == "sentence") | (kind == "chunk")
    weight = np.ones(len(texts))
    weight[kind == "document"] = settings.document_weight
    weight[kind == "product"] = 3.0
    p = label_probabilities(row, starts, texts, weight, settings)
    weight[part] = (p[part] / settings.label_trust) ** 2
    for label in (0, 1):
        product = (kind == "product") & (y == label)
        share = product.sum() / (kind == "product").sum()
        weight[product] = settings.product_weight * 0.5 / share
    return weight


# --- the network -----------------------------------------------------------------------------


class Network(torch.nn.Module):
    """Sum of embeddings over the root of their number, two layers of ReLU, two logits."""

    def __init__(self, z, settings):
        super().__init__()
        self.embedding = torch.nn.Parameter(torch.empty(len(z), settings.dimension))
        torch.nn.init.normal_(self.embedding, std=settings.first_embedding_sd)
        # Features that go with the labels learn faster and are held back less.
        self.register_buffer(
            "gain", torch.tensor(np.clip(z / 2, 0.1, 4), dtype=torch.float32)[:, None]
        )
        self.bias = torch.nn.Parameter(torch.zeros(settings.dimension))
        self.hidden = torch.nn.Linear(settings.dimension, settings.hidden)
        self.output = torch.nn.Linear(settings.hidden, 2)

    def forward(self, row, starts, count):
        total = functional.embedding_bag(row, self.embedding * self.gain, starts, mode="sum")
        x = total * 4 / torch.sqrt(count.clamp(min=1).float())[:, None]
        return self.output(torch.relu(self.hidden(torch.relu(x + self.bias))))


def gather(row, starts, chosen, *, dropout, generator):
    """Features of the chosen texts after dropout: rows, starts, counts."""
    begin, count = starts[chosen], starts[chosen + 1] - starts[chosen]
    first = torch.cumsum(count, 0) - count
    place = torch.repeat_interleave(begin - first, count) + torch.arange(int(count.sum()))
    owner = torch.repeat_interleave(torch.arange(len(chosen)), count)
    keep = torch.rand(len(place), generator=generator) >= dropout
    count = torch.bincount(owner[keep], minlength=len(chosen))
    return row[place[keep]], torch.cumsum(count, 0) - count, count


def train(row, starts, y, *, weight, z, seed, settings):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    network = Network(z, settings)
    row, starts, y = (torch.as_tensor(a, dtype=torch.int64) for a in (row, starts, y))
    weight = torch.as_tensor(weight, dtype=torch.float32)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    steps = settings.epochs * math.ceil(len(y) / settings.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    for _ in range(settings.epochs):
        for chosen in torch.randperm(len(y), generator=generator).split(settings.batch):
            batch = gather(
                row, starts, chosen, dropout=settings.feature_dropout, generator=generator
            )
            loss = functional.cross_entropy(network(*batch), y[chosen], reduction="none")
            loss = (loss * weight[chosen]).mean()
            loss = loss + settings.penalty / settings.batch * network.embedding.square().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return network


def quantize(network):
    """Integer arrays of a network, in the units of ``scrutiny.models.builtin.builtin_network``.

    ReLU passes positive factors through, so each dimension and each hidden unit has a scale of its
    own, which the layer above takes in.
    """
    with torch.no_grad():
        e = (network.embedding * network.gain).double().numpy()
        w1, b1 = network.hidden.weight.double().numpy(), network.hidden.bias.double().numpy()
        w2, b2 = network.output.weight.double().numpy(), network.output.bias.double().numpy()
        b0 = network.bias.double().numpy()
    unit0 = np.abs(e).max(axis=0) / 127  # (dimension)
    sum_unit = unit0 / 2**6  # 14 bits of scale less 2 for its factor of 4, less 6 shifted away
    w1 = w1 * sum_unit
    unit1 = np.abs(w1).max(axis=1) / 32767  # (unit)
    logit_unit = 2.0**-24
    arrays = {
        "embedding": (e / unit0, np.int8),
        "embedding_bias": (b0 / sum_unit, np.int32),
        "hidden": (w1 / unit1[:, None], np.int16),
        "hidden_bias": (b1 / unit1, np.int64),
        "output": (w2 * unit1 * 2**12 / logit_unit, np.int64),
        "output_bias": (b2 / logit_unit, np.int64),
    }
    return {name: np.rint(value).astype(kind) for name, (value, kind) in arrays.items()}


# --- measuring -------------------------------------------------------------------------------


def integer_models(vocabulary, arrays):
    return [
        BuiltinNetwork.from_arrays(FAMILY.name, vocabulary.astype(np.uint32), a, replicate=r)
        for r, a in zip(REPLICATES, arrays, strict=True)
    ]


def float_agreement(network, model, texts, vocabulary):
    """Share of texts to which the integer network gives the label of the one it was made from."""
    row, starts = rows_of(*bags(texts), vocabulary)
    row, starts = torch.as_tensor(row), torch.as_tensor(starts)
    with torch.no_grad():
        logits = network(row, starts[:-1], starts.diff()).numpy()
    p = model.predict_proba([t.text for t in texts])
    return float(np.mean(p.argmax(axis=1) == logits.argmax(axis=1)))


def measure(models, parts):
    """Accuracy of each replicate on each part, and the share of texts on which pairs agree."""
    out = {}
    for name, texts in parts.items():
        answers = [m.predict_proba([t.text for t in texts]).argmax(axis=1) for m in models]
        labels = np.array([t.label for t in texts])
        agree = [float(np.mean(a == b)) for a, b in combinations(answers, 2)]
        out[name] = {
            "n": len(texts),
            "share_positive": round(float(labels.mean()), 4),
            "accuracy": [round(float(np.mean(a == labels)), 4) for a in answers],
            "agreement_of_pairs": [round(min(agree), 4), round(max(agree), 4)],
        }
    return out


# --- writing ---------------------------------------------------------------------------------


def write(out, vocabulary, arrays, hashes, record):
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "vocabulary.npy", vocabulary.astype(np.uint32))
    np.save(out / "training_hashes.npy", hashes)
    for replicate, values in enumerate(arrays, start=1):
        np.savez_compressed(out / f"replicate-{replicate}.npz", **values)
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    (out / "training.json").write_text(text, encoding="utf-8")


def fit_all(texts, settings):
    """Vocabulary, networks and integer arrays of all replicates."""
    hashes, starts = bags(texts)
    vocabulary, z = choose_vocabulary(hashes, starts, texts, settings)
    row, starts = rows_of(hashes, starts, vocabulary)
    weight = text_weights(row, starts, texts, settings)
    y = np.array([t.label for t in texts])
    networks = [
        train(row, starts, y, weight=weight, z=z, seed=seed, settings=settings)
        for seed in REPLICATES
    ]
    return vocabulary, networks, [quantize(n) for n in networks]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("SCRUTINY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(data))
    out = ROOT / "src" / "scrutiny" / "models" / "builtin" / "data" / "sentiment"
    parser.add_argument("--out", type=Path, default=out)
    parser.add_argument(
        "--tune", action="store_true", help="measure on the tuning split, write nothing"
    )
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="other settings")
    return parser.parse_args()


def record_of(corpus, fitted, settings):
    """What ``training.json`` says."""
    vocabulary, networks, arrays = fitted
    models = integer_models(vocabulary, arrays)
    kinds = [t.kind for t in corpus.texts]
    chunks = corpus.held_out["movie_reviews chunks"]
    return {
        "name": "builtin:sentiment",
        "features": FAMILY.features,
        "made_by": "tools/train_sentiment.py",
        "versions": {
            "torch": torch.__version__,
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "settings": asdict(settings),
        "seeds": list(REPLICATES),
        "replicates_differ_in": ["first weights", "order of the examples", "features dropped"],
        "data_sha256": corpus.sha256,
        "texts": {k: kinds.count(k) for k in ("document", "chunk", "sentence", "product")},
        "vocabulary": len(vocabulary),
        "held_out": {
            "movie_reviews_folds": FINAL.held_out_folds,
            "products": FINAL.held_out_products,
        },
        "left_out": corpus.left_out,
        "measured": measure(models, {**corpus.held_out, "sst2 dev": corpus.sst_dev}),
        "same_label_as_before_rounding": [
            round(float_agreement(n, m, chunks, vocabulary), 4)
            for n, m in zip(networks, models, strict=True)
        ],
        "fingerprints": [m.fingerprint() for m in models],
    }


def main():
    torch.set_num_threads(1)
    args = arguments()
    changes = (pair.split("=") for pair in args.set)
    settings = replace(Settings(), **{k: type(getattr(Settings, k))(v) for k, v in changes})
    corpus = read_corpus(args.data, TUNE if args.tune else FINAL, chunk=settings.chunk)
    fitted = fit_all(corpus.texts, settings)
    if args.tune:
        measured = measure(integer_models(fitted[0], fitted[2]), corpus.held_out)
        print(json.dumps({"settings": asdict(settings), "held_out": measured}, indent=1))
        return
    record = record_of(corpus, fitted, settings)
    write(args.out, fitted[0], fitted[2], corpus.hashes, record)
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
