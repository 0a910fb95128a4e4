"""Texts that ``builtin:sentiment`` is trained on: readers, leaks taken out, parts of reviews."""

import hashlib
import re
import zipfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scrutiny.data.hashes import training_hashes as hashes_of
from scrutiny.text.letters import letters
from scrutiny.text.tokens import sentences

ZIPS = ("movie_reviews", "product_reviews_1")

LEAST_LETTERS = 12  # shorter sentences ("I loved it!") coincide without being copied
COPY = 5  # a film review that shares so many sentences with a held-out one is left out


@dataclass(frozen=True)
class Review:
    fold: int  # 0 ... 9
    label: int
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Text:
    label: int
    text: str
    kind: str  # sentence, chunk, document, product
    fold: int = -1


@dataclass(frozen=True)
class Split:
    """Parts that are not trained on, and those of them that are measured."""

    held_out_folds: tuple[int, ...]
    measured_folds: tuple[int, ...]
    held_out_products: tuple[str, ...]
    measured_products: tuple[str, ...]


@dataclass(frozen=True)
class Corpus:
    texts: list[Text]  # to train on
    held_out: dict[str, list[Text]]
    sst_dev: list[Text]
    hashes: np.ndarray  # of the sentences trained on
    left_out: dict[str, int]
    sha256: dict[str, str]


def read_sst(path):
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return [(int(line.split("\t")[1]), line.split("\t")[0]) for line in lines]


class Leaks:
    """Sentences of the evaluation data, by letters only; counts what it takes out."""

    def __init__(self, texts):
        self.exact = {letters(t) for t in texts}
        self.long = [s for s in self.exact if len(s) >= LEAST_LETTERS]
        self.equal = self.containing = 0

    def clean(self, sentence):
        own = letters(sentence)
        parts = {letters(sentence[start:end]) for start, end in sentences(sentence)}
        if (parts | {own}) & self.exact:
            self.equal += 1
            return False
        if any(s in own for s in self.long):
            self.containing += 1
            return False
        return bool(own)


def read_reviews(path, leaks):
    out = []
    with zipfile.ZipFile(path) as stored:
        for name in sorted(n for n in stored.namelist() if n.endswith(".txt")):
            lines = stored.read(name).decode("latin-1").splitlines()
            kept = tuple(s for line in lines if leaks.clean(s := line.strip()))
            fold = int(re.search(r"cv(\d)", name)[1])
            out.append(Review(fold, int("/pos/" in name), kept))
    return out


def read_products(path, leaks):
    """Sentences whose annotated opinions all have one sign, by product."""
    out = defaultdict(list)
    with zipfile.ZipFile(path) as stored:
        for name in sorted(stored.namelist()):
            if not name.endswith(".txt") or "README" in name:
                continue
            for line in stored.read(name).decode("latin-1").splitlines():
                marks, found, sentence = line.partition("##")
                signs = {m[0] for m in re.findall(r"\[([+-]\d)\]", marks)}
                if found and len(signs) == 1 and leaks.clean(sentence):
                    text = Text(int(signs == {"+"}), sentence.strip(), "product")
                    out[Path(name).stem].append(text)
    return dict(out)


def drop_copies(reviews, held_out):
    """Reviews without those that copy a held-out one, and how many these were."""
    seen = {s for r in held_out for s in r.sentences if len(letters(s)) >= LEAST_LETTERS}
    kept = [r for r in reviews if sum(s in seen for s in r.sentences) < COPY]
    return kept, len(reviews) - len(kept)


def pieces(review, size):
    """Parts of a review with its label: sentences, chunks of some sentences, the whole."""
    rows = [(s, "sentence") for s in review.sentences if len(s.split()) >= 3]
    steps = range(0, len(review.sentences), size)
    rows += [(" . ".join(review.sentences[i : i + size]), "chunk") for i in steps]
    rows.append((" . ".join(review.sentences), "document"))
    return [Text(review.label, text, kind, review.fold) for text, kind in rows]


def held_out_parts(reviews, products, chunk):
    texts = [t for r in reviews for t in pieces(r, chunk)]
    parts = {
        f"movie_reviews {k}s": [t for t in texts if t.kind == k]
        for k in ("document", "chunk", "sentence")
    }
    return {**parts, "product sentences": [t for rows in products for t in rows]}


def training_hashes(reviews, products):
    """Hashes of the reviews, their lines and their sentences, and of the product sentences."""
    whole = ["\n".join(r.sentences) for r in reviews]
    return hashes_of([*whole, *(t.text for rows in products for t in rows)])


def read_corpus(data, split, *, chunk):
    """Texts to train on and to measure on, with what was left out."""
    sst = {name: read_sst(data / "sst2" / f"{name}.tsv") for name in ("dev", "test")}
    leaks = Leaks([s for rows in sst.values() for _, s in rows])
    paths = {name: data / "nltk_data" / "corpora" / f"{name}.zip" for name in ZIPS}
    reviews = read_reviews(paths["movie_reviews"], leaks)
    products = read_products(paths["product_reviews_1"], leaks)
    measured = [r for r in reviews if r.fold in split.measured_folds]
    kept, copies = drop_copies([r for r in reviews if r.fold not in split.held_out_folds], measured)
    rated = [rows for name, rows in products.items() if name not in split.held_out_products]
    texts = [t for r in kept for t in pieces(r, chunk)] + [t for rows in rated for t in rows]
    return Corpus(
        texts=texts,
        held_out=held_out_parts(measured, [products[n] for n in split.measured_products], chunk),
        sst_dev=[Text(label, sentence, "sst") for label, sentence in sst["dev"]],
        hashes=training_hashes(kept, rated),
        left_out={
            "sentences_equal_to_sst2_dev_or_test": leaks.equal,
            "sentences_containing_one": leaks.containing,
            "reviews_copied_in_the_held_out_fold": copies,
        },
        sha256={p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in paths.values()},
    )
