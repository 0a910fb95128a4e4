"""Write the texts that the zoo is trained on, and those held out, as plain text files.

    python tools/zoo/texts.py OUT        under SCRUTINY_DATA, by default ../shared/data

One paragraph a line, a blank line between documents; a document of one sentence stands alone.
Only texts whose license lets weights be shipped: Standard Ebooks (CC0), film and product reviews,
sentence_polarity, subjectivity, WNUT-17 and wikigold (CC BY 4.0), SemEval-2010 task 8 (CC BY 3.0),
WikiText-2 (CC BY-SA 3.0), EWT (CC BY-SA 4.0). Held out, whole documents: the test part of
WikiText-2 and the last of the ten folds of the film reviews.

A sentence is left out if its letters are those of an SST-2 text of any split (12 letters or more)
or of a held-out sentence, or if an SST-2 dev or test sentence or a held-out one of 32 letters or
more stands inside it.
"""

import argparse
import hashlib
import json
import os
import re
import zipfile
from pathlib import Path

from scrutiny.data.overlap import find_contained
from scrutiny.text.letters import letters
from scrutiny.text.tokens import sentences

BOOK_PART_WORDS = 2000  # a book is cut into parts of about this length, at paragraph ends
LEAST_LETTERS = 12  # shorter sentences coincide without being copied
COPY = 5  # a film review that shares so many sentences with a held-out one is left out

Document = list[str]  # paragraphs


def wikitext(path):
    """Articles; marks of the tokenization undone, <unk> as the tokenizer's own [UNK]."""
    documents = []
    for raw in path.read_text(encoding="utf-8").splitlines():
        line = re.sub(r" @([-,.])@ ", r"\1", raw.strip()).replace("<unk>", "[UNK]")
        if re.fullmatch(r"= [^=].*[^=] =", line):
            documents.append([])
        elif line and not line.startswith("=") and documents:
            documents[-1].append(line)
    return [d for d in documents if d]


def books(folder):
    documents = []
    for path in sorted(folder.glob("*.txt")):
        part, words = [], 0
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                part.append(line.strip())
                words += len(line.split())
            if words >= BOOK_PART_WORDS:
                documents.append(part)
                part, words = [], 0
        if part:
            documents.append(part)
    return documents


def stored(path):
    """Names and texts in a zip file, by name.

    All are read as Latin-1, which garbles the accents of sentence_polarity and subjectivity (8 and
    1 % of their sentences): the zoo was trained on that, so it stays.
    """
    with zipfile.ZipFile(path) as file:
        for name in sorted(file.namelist()):
            if not name.endswith("/") and "README" not in name:
                yield name, file.read(name).decode("latin-1")


def film_reviews(corpora):
    """(fold, document) of every review."""
    for name, text in stored(corpora / "movie_reviews.zip"):
        found = re.search(r"/cv(\d)\d\d_", name)
        if found:
            yield int(found[1]), [s for line in text.splitlines() if (s := line.strip())]


def single_lines(path):
    lines = [line.strip() for _, text in stored(path) for line in text.splitlines()]
    return [[line] for line in lines if line]


def product_reviews(path):
    """Reviews between [t] lines; the annotations before ## are dropped."""
    documents = []
    for _, text in stored(path):
        documents.append([])
        for line in text.splitlines():
            if line.startswith("[t]"):
                documents.append([])
            marks, found, sentence = line.partition("##")
            if found and sentence.strip() and not marks.startswith("*"):
                documents[-1].append(sentence.strip())
    return [d for d in documents if d]


def column(path, separator):
    """Sentences of a CoNLL file as lists of words; None at a document's start."""
    words = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("-DOCSTART-"):
            yield None
        elif line.strip():
            words.append(line.split(separator)[0])
        elif words:
            yield words
            words = []


def wikigold(path):
    documents = [[]]
    for words in column(path, " "):
        if words is None:
            documents.append([])
        else:
            documents[-1].append(" ".join(words))
    return [d for d in documents if d]


def semeval(path):
    found = re.findall(r'^\d+\t"(.*)"\s*$', path.read_text(encoding="utf-8"), re.MULTILINE)
    return [[re.sub(r"</?e[12]>", "", sentence)] for sentence in found]


def treebank(path):
    """Documents of EWT: sentences as they were written, a paragraph a line."""
    documents = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# newdoc"):
            documents.append([])
        elif line.startswith("# newpar") and documents:
            documents[-1].append("")
        elif line.startswith("# text = "):
            if not documents[-1]:
                documents[-1].append("")
            documents[-1][-1] = f"{documents[-1][-1]} {line[9:]}".strip()
    return [[p for p in d if p] for d in documents]


def parts(line):
    return [line[a:b] for a, b in sentences(line)]


class Filter:
    """Sentences that must not be trained on, by their letters."""

    def __init__(self, sst, held_out):
        own = {letters(s) for d in held_out for line in d for s in parts(line)}
        self.held_out = {s for s in own if len(s) >= LEAST_LETTERS}
        self.equal = {s for s in map(letters, sst["all"]) if len(s) >= LEAST_LETTERS}
        self.equal |= self.held_out
        self.inside = sorted({letters(s) for s in sst["evaluation"]} | self.held_out)

    def clean(self, documents):
        """Documents without such sentences, and how many sentences were dropped."""
        flat = [
            (d, p, s)
            for d, doc in enumerate(documents)
            for p, line in enumerate(doc)
            for s in parts(line)
        ]
        bad = {i for i, (_, _, s) in enumerate(flat) if letters(s) in self.equal}
        bad |= self.containing([s for _, _, s in flat])
        bad_lines = {
            (d, p)
            for d, doc in enumerate(documents)
            for p, line in enumerate(doc)
            if letters(line) in self.equal
        }
        out, dropped = [[[] for _ in doc] for doc in documents], 0
        for i, (d, p, sentence) in enumerate(flat):
            if i in bad or (d, p) in bad_lines:
                dropped += 1
            else:
                out[d][p].append(sentence)
        kept = [[" ".join(line) for line in doc if line] for doc in out]
        return [doc for doc in kept if doc], dropped

    def containing(self, texts):
        """Indices of all texts that hold one of the sentences: asked again until none is left."""
        found = set()
        left = list(range(len(texts)))
        while left:
            hits = {left[i] for i in find_contained(self.inside, [texts[i] for i in left]).values()}
            if not hits:
                break
            found |= hits
            left = [i for i in left if i not in hits]
        return found


def read_sst(folder):
    rows = {}
    for split in ("train", "dev", "test"):
        lines = (folder / f"{split}.tsv").read_text(encoding="utf-8").splitlines()[1:]
        rows[split] = [line.split("\t")[0] for line in lines]
    return {
        "all": [text for split in rows.values() for text in split],
        "evaluation": rows["dev"] + rows["test"],
    }


def drop_copies(documents, held_out):
    seen = {letters(line) for d in held_out for line in d if len(letters(line)) >= LEAST_LETTERS}
    return [d for d in documents if sum(letters(line) in seen for line in d) < COPY]


def corpora(data):
    """Training documents by source, and held-out documents by source."""
    zips = data / "nltk_data" / "corpora"
    reviews = list(film_reviews(zips))
    held_out = {
        "wikitext2": wikitext(data / "wikitext2" / "test.txt"),
        "movie_reviews": [d for fold, d in reviews if fold == 9],
    }
    training = {
        "standard_ebooks": books(data / "standard_ebooks"),
        "wikitext2": wikitext(data / "wikitext2" / "valid.txt"),
        "movie_reviews": drop_copies([d for f, d in reviews if f != 9], held_out["movie_reviews"]),
        "product_reviews_1": product_reviews(zips / "product_reviews_1.zip"),
        "sentence_polarity": single_lines(zips / "sentence_polarity.zip"),
        "subjectivity": single_lines(zips / "subjectivity.zip"),
        "wnut17": [[" ".join(w)] for w in column(data / "wnut17" / "wnut17train.conll", "\t") if w],
        "wikigold": wikigold(data / "wikigold" / "wikigold.conll.txt"),
        "semeval2010_task8": semeval(data / "semeval2010_task8" / "TRAIN_FILE.TXT"),
        "ud_english_ewt": treebank(data / "ud_english_ewt" / "en_ewt-ud-train.rebuilt.conllu"),
    }
    return training, held_out


def write(path, documents):
    text = "\n\n".join("\n".join(d) for d in documents) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return {
        "documents": len(documents),
        "words": sum(len(line.split()) for d in documents for line in d),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    data = Path(os.environ.get("SCRUTINY_DATA", default))
    training, held_out = corpora(data)
    unwanted = Filter(read_sst(data / "sst2"), [d for part in held_out.values() for d in part])
    made = {"training": {}, "held_out": {}}
    for name, documents in training.items():
        kept, dropped = unwanted.clean(documents)
        made["training"][name] = {
            **write(out / "training" / f"{name}.txt", kept),
            "sentences_left_out": dropped,
        }
    for name, documents in held_out.items():
        made["held_out"][name] = write(out / "held_out" / f"{name}.txt", documents)
    (out / "texts.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
