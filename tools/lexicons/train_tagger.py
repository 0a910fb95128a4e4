"""Estimate the weights of scrutiny.text.tagger from UD English EWT.

    python tools/lexicons/train_tagger.py ../shared/data/ud_english_ewt

Averaged perceptron over local features (Collins 2002), pruned and rounded to int8. Every training
sentence is seen as annotated (Penn words: "is n't") and, where it differs, in the surface words of
scrutiny.text.tokens ("isn't", tagged as its first part; "15-year", tagged as its last); every
fourth sentence in lower case as well, and of those between every second one without names.
Classes are pairs of Penn tag and universal tag.
"""

import io
import lzma
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from lemminflect import getAllInflections, getAllLemmas

from scrutiny.text import tagger as T
from scrutiny.text import wordnet
from scrutiny.text.lexicon import first_names, frequencies, listed, places, zipf
from scrutiny.text.tokens import token_texts

OUT = Path(__file__).parents[2] / "src/scrutiny/text/data/tagger.npz.xz"
EPOCHS = 8
ORDERS = 4  # perceptrons over the same data in other orders, added up: they differ by 0.2 %
MIN_PAIR = 20  # rarer (xpos, upos) pairs take the tag's most frequent upos
MIN_CLASS = 3  # words seen less often have no class of their own
MIN_FEATURE = 3
MIN_FIXED = 20  # words seen this often with one tag only are not looked at in context
MIN_ZIPF = 3.0
WORDNET_TAG = {"n": "NN", "v": "VB", "a": "JJ", "r": "RB"}
Sentence = list[tuple[str, str, str]]  # word, xpos, upos


def read_conllu(path: Path) -> list[tuple[str, Sentence, Sentence]]:
    """Per sentence: text, Penn words, surface words."""
    found = []
    text, rows = "", []
    for line in [*path.read_text(encoding="utf-8").split("\n"), ""]:
        if line.startswith("# text = "):
            text = line[9:]
        elif line and line[0].isdigit():
            rows.append(line.split("\t"))
        elif not line and rows:
            penn = [(r[1], r[4], r[3]) for r in rows if r[0].isdigit()]
            found.append((text, penn, surface_words(text, penn)))
            rows = []
    return found


def surface_words(text: str, penn: Sentence) -> Sentence:
    """Our tokens of the text, tagged; empty where they do not align with the annotated words."""
    queue, found = list(penn), []
    for token in token_texts(text):
        parts: Sentence = []
        while queue and len("".join(p[0] for p in parts)) < len(token):
            parts.append(queue.pop(0))
        joined = "".join(p[0] for p in parts)
        if joined == f"{token}." and len(parts) == 1:  # "Mr." is one word in Penn, two tokens here
            queue.insert(0, (".", ".", "PUNCT"))
        elif joined != token:
            return []
        chosen = parts[-1] if "-" in token[1:-1] else parts[0]
        found.append((token, chosen[1], chosen[2]))
    return found if not queue else []


def merge_rare_pairs(sentences: list[Sentence]) -> dict[tuple[str, str], tuple[str, str]]:
    counts = Counter((x, u) for s in sentences for _, x, u in s)
    best: dict[str, tuple[int, str]] = {}
    for (x, u), n in sorted(counts.items()):
        best[x] = max(best.get(x, (0, "")), (n, u))
    return {(x, u): (x, u) if n >= MIN_PAIR else (x, best[x][1]) for (x, u), n in counts.items()}


def tag_classes(sentences: list[Sentence]) -> dict[str, str]:
    """Up to three tags that a lower-case word takes in at least 5 % of its occurrences."""
    counts: dict[str, Counter] = defaultdict(Counter)
    for sentence in sentences:
        for word, xpos, _ in sentence:
            counts[word.lower()][xpos] += 1
    found = {}
    for word, tags in sorted(counts.items()):
        total = sum(tags.values())
        if total >= MIN_CLASS:
            ranked = sorted(tags.items(), key=lambda item: (-item[1], item[0]))
            found[word] = "|".join([t for t, n in ranked if n >= 0.05 * total][:3])
    return found


def fixed_words(sentences: list[Sentence], pairs: dict, tag_id: dict) -> dict[str, int]:
    """Words as written that take one tag in at least 99.5 % of many occurrences."""
    counts: dict[str, Counter] = defaultdict(Counter)
    for sentence in sentences:
        for word, xpos, upos in sentence:
            counts[word][tag_id[pairs[xpos, upos]]] += 1
    found = {}
    for word, tags in counts.items():
        (best, count), total = tags.most_common(1)[0], sum(tags.values())
        if total >= MIN_FIXED and count >= 0.995 * total:
            found[word] = best
    return found


def lexical_classes(known: dict[str, str]) -> dict[str, str]:
    """Tags that dictionaries allow for frequent words that the treebank knows at most as names."""
    found = {}
    for word in sorted(frequencies()):
        name = known.get(word, "")
        if name in ("", "NNP", "NNP|NNPS") and word.isalpha() and zipf(word) >= MIN_ZIPF:
            tags = {WORDNET_TAG[p] for p in WORDNET_TAG if wordnet.exists(word, p)}
            for upos, lemmas in getAllLemmas(word).items():
                for lemma in lemmas:
                    forms = getAllInflections(lemma, upos)
                    tags |= {tag for tag, words in forms.items() if word in words}
            if tags - {"VBP"}:
                found[word] = name + "~" + "|".join(sorted(tags - {"VBP"}))
    names = [*first_names("female"), *first_names("male"), *listed("last_names"), *places()]
    for name in names:
        if " " not in name and name.lower() not in known:
            found[name.lower()] = "~NNP" + found.get(name.lower(), "")
    return found


def features_of(words: list[str], classes: dict[str, str]) -> list[list[str]]:
    words = [w.replace("’", "'") for w in words]
    infos = [classes.get(w.lower()) or T.guess_class(w) for w in words]
    contexts = [T.EDGE, T.EDGE, *map(T.context_of, words, infos), T.EDGE, T.EDGE]
    found = []
    for i, word in enumerate(words):
        before, after = (contexts[i + 1], contexts[i]), (contexts[i + 3], contexts[i + 4])
        found.append(
            T.word_features(word, infos[i])
            + T.context_features(
                contexts[i + 2], before, after, case=T.case_in_text(word, words[0])
            )
        )
    return found


def train(
    rows: list[np.ndarray], gold: np.ndarray, shape: tuple[int, int], *, seed: int
) -> np.ndarray:
    weights, totals = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    rng = np.random.Generator(np.random.Philox(seed))
    step = 1
    for epoch in range(EPOCHS):
        wrong = 0
        for k in rng.permutation(len(rows)):
            row, right = rows[k], gold[k]
            guess = weights[row].sum(0).argmax()
            if guess != right:
                wrong += 1
                weights[row, right] += 1
                weights[row, guess] -= 1
                totals[row, right] += step
                totals[row, guess] -= step
            step += 1
        print(f"seed {seed}, epoch {epoch + 1}: {1 - wrong / len(rows):.4f}", flush=True)
    return weights - totals / step


def quantize(weights: np.ndarray, keep: int) -> np.ndarray:
    """int8, the largest ``keep`` weights by magnitude."""
    limit = np.sort(np.abs(weights), axis=None)[-keep]
    small = np.where(np.abs(weights) < limit, 0, weights)
    scale = 127 / np.quantile(np.abs(small[small != 0]), 0.9995)
    return np.clip(np.rint(small * scale), -127, 127).astype(np.int8)


def pack(
    names: list[str],
    weights: np.ndarray,
    tags: list,
    classes: dict[str, str],
    fixed: dict[str, int],
) -> bytes:
    used = np.flatnonzero(weights.any(1))
    order = sorted(used, key=lambda i: names[i])
    matrix = weights[order]
    row, column = np.nonzero(matrix)

    def inverted(mapping: dict) -> list[str]:
        groups = defaultdict(list)
        for word, key in sorted(mapping.items()):
            groups[key].append(word)
        return [f"{key} {' '.join(words)}" for key, words in sorted(groups.items())]

    def text(lines: list[str]) -> np.ndarray:
        return np.frombuffer("\n".join(lines).encode(), np.uint8)

    arrays = {
        "tags": text([f"{x} {u}" for x, u in tags]),
        "classes": text(inverted(classes)),
        "fixed": text(inverted(fixed)),
        "features": text([names[i] for i in order]),
        "sizes": np.bincount(row, minlength=len(order)).astype(np.uint8),
        "columns": column.astype(np.uint8),
        "weights": matrix[row, column],
    }
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def report(name: str, sentences: list[Sentence], tagger: T.Tagger) -> None:
    total = xpos = upos = 0
    for sentence in sentences:
        for (_, x, u), tag in zip(sentence, tagger.tag([w for w, _, _ in sentence]), strict=True):
            total, xpos, upos = total + 1, xpos + (tag.xpos == x), upos + (tag.upos == u)
    print(f"{name}: {total} words, XPOS {xpos / total:.4f}, UPOS {upos / total:.4f}")


def main() -> None:
    root, keep = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 330_000
    corpus = read_conllu(root / "en_ewt-ud-train.rebuilt.conllu")
    penn = [p for _, p, _ in corpus]
    surface = [s for _, p, s in corpus if s and [w for w, *_ in s] != [w for w, *_ in p]]
    chosen = [*penn[::4], *(s for s in penn[2::4] if all(x[:3] != "NNP" for _, x, _ in s))]
    lower = [[(w.lower(), x, u) for w, x, u in s] for s in chosen]
    pairs, classes = merge_rare_pairs(penn), tag_classes(penn + surface)
    classes |= lexical_classes(classes)
    print(len(penn), len(surface), len(lower), "sentences")
    tags = sorted(set(pairs.values()))
    tag_id = {tag: i for i, tag in enumerate(tags)}
    fixed = fixed_words(penn, pairs, tag_id)
    data, gold, counts = [], [], Counter()
    for sentence in penn + surface + lower:
        data += features_of([w for w, *_ in sentence], classes)
        gold += [tag_id[pairs.get((x, u), (x, u))] for _, x, u in sentence]
    for features in data:
        counts.update(features)
    names = sorted(f for f, n in counts.items() if n >= MIN_FEATURE)
    row_of = {name: i for i, name in enumerate(names)}
    rows = [np.array([row_of[f] for f in fs if f in row_of], np.int32) for fs in data]
    print(len(rows), "words", len(names), "features", len(tags), "tags")
    shape, right = (len(names), len(tags)), np.array(gold)
    weights = np.sum([train(rows, right, shape, seed=seed) for seed in range(ORDERS)], axis=0)
    OUT.write_bytes(pack(names, quantize(weights, keep), tags=tags, classes=classes, fixed=fixed))
    print(OUT.stat().st_size, "bytes")
    for part in ("dev", "test"):
        held_out = read_conllu(root / f"en_ewt-ud-{part}.conllu")
        report(f"{part}, Penn words", [p for _, p, _ in held_out], T.default_tagger())
        report(f"{part}, surface words", [s for _, _, s in held_out if s], T.default_tagger())


if __name__ == "__main__":
    main()
