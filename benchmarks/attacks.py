"""DeepWordBug, PWWS and Pruthi beside TextAttack 0.3.11: success, texts asked, sentences a second.

    python benchmarks/attacks.py --textattack VENV/bin/python

The victim is TF-IDF of single words with a logistic regression, fitted on NLTK's sentence polarity
(``SCRUTINY_DATA/nltk_data``) but for 1,000 snippets; the attacked texts are 200 of those, of 5 to
25 words. Without that corpus they are shipped reviews. The victim is the same plain Python on both
sides. TextAttack runs in an environment of its own
(``--textattack`` or ``SCRUTINY_TEXTATTACK_PYTHON``), with ``NLTK_DATA`` set; without one, the table
says so. Pins that install: textattack==0.3.11, flair==0.15.1, datasets<4.5, torch==2.13.0. CPU
seconds of one process, the best of a few runs on each side; no answer is cached between runs.
"""

import argparse
import json
import os
import subprocess
import zipfile
from pathlib import Path
from time import process_time

from attack_peers import LinearVictim, summary
from inputs import DATA, SHIPPED

from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.recipes.attack import given_to_attacks, parse_attack
from scrutiny.perturb.search.problem import Settings, Victim
from scrutiny.perturb.search.running import search_all

HERE = Path(__file__).parent
LABELS = ("negative", "positive")
ATTACKS = {
    "deepwordbug": "deepwordbug",
    "pwws": "pwws(variant=textattack)",
    "pwws as published": "pwws",
    "pruthi": "pruthi",
}


def snippets():
    """(text, label) of the corpus in an order of its own: every other one positive."""
    corpus = DATA / "nltk_data" / "corpora" / "sentence_polarity.zip"
    if not corpus.is_file():
        return [(row.text, LABELS.index(row.gold)) for row in load_dataset(SHIPPED).examples]
    with zipfile.ZipFile(corpus) as archive:
        sides = [
            archive.read(f"sentence_polarity/rt-polarity.{side}").decode("latin-1").splitlines()
            for side in ("neg", "pos")
        ]
    rows = []
    for pair in zip(*sides, strict=True):
        rows += [(text.strip(), label) for label, text in enumerate(pair)]
    return rows


def fitted(rows):
    """Weights by word as (idf, coefficient), and the bias."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = TfidfVectorizer(min_df=2)
    matrix = vectorizer.fit_transform([text for text, _ in rows])
    model = LogisticRegression(max_iter=1000, C=4.0).fit(matrix, [label for _, label in rows])
    words = vectorizer.get_feature_names_out().tolist()
    pairs = zip(vectorizer.idf_.tolist(), model.coef_[0].tolist(), strict=True)
    return dict(zip(words, pairs, strict=True)), float(model.intercept_[0])


def own(name, task):
    """What we find, and what it took."""
    victim = LinearVictim(task["weights"], task["bias"])

    def ask(examples):
        found = victim.positive([e.fields["text"] for e in examples])
        return [Prediction(LABELS[p > 0.5], (1 - p, p)) for p in found]

    examples = [
        Example(str(i), {"text": text}, gold=LABELS[label])
        for i, (text, label) in enumerate(zip(task["texts"], task["labels"], strict=True))
    ]
    search = parse_attack(name).search(given_to_attacks([]))
    begin = process_time()
    results = list(search_all(examples, search, victim=Victim(ask, LABELS), settings=Settings()))
    seconds = process_time() - begin
    failed = [r for r in results if r.status == "failed"]
    if failed:
        return f"{len(failed)} searches failed: {failed[0].reason}"
    tried = [r for r in results if r.status == "ok"]
    won = [r for r in tried if r.is_success]
    shares = [r.state.words_changed / r.state.origin.word_count for r in won]
    return summary(
        victim,
        success=len(won),
        attacked=len(tried),
        queries=sum(r.n_asked for r in tried),
        changed=sum(shares) / max(1, len(shares)),
        seconds=seconds,
    )


def theirs(python, task):
    """TextAttack's numbers by recipe, or one line that says why there are none."""
    if not python:
        return "not run: no environment given (--textattack PYTHON)"
    command = [python, str(HERE / "attack_peers.py")]
    done = subprocess.run(command, input=json.dumps(task), capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if any(map(str.isalpha, line))]
        return f"not run: {said[-1].strip() if said else 'it ended without a word'}"
    return json.loads(done.stdout)


def shown(name, side, found, texts):
    """Line of the table."""
    if isinstance(found, str):
        return f"| {name} | {side} | {found} |"
    rate, attacked = found["success"] / found["attacked"], found["attacked"]
    cells = [
        f"{attacked} ({texts - attacked})",
        f"{found['success']} = {rate:.1%}",
        f"{found['queries'] / attacked:.1f}",
        f"{found['queries']:,} -> {found['sent']:,}",
        f"{found['sent'] / found['calls']:.1f}",
        f"{found['changed']:.0%}",
        f"{texts / found['seconds']:,.0f}",
        f"{found['sent'] / found['seconds']:,.0f}",
        f"{found['in_victim'] / found['seconds']:.0%}",
    ]
    return f"| {name} | {side} | {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("SCRUTINY_TEXTATTACK_PYTHON", "")
    parser.add_argument("--textattack", default=default, help="its Python")
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--held-out", type=int, help="texts; default: 1,000, at most a third")
    options = parser.parse_args()
    rows = snippets()
    held_out = options.held_out or min(1000, len(rows) // 3)
    weights, bias = fitted(rows[:-held_out])
    victim = LinearVictim(weights, bias)
    held = rows[-held_out:]
    said = victim.positive([text for text, _ in held])
    hits = [(p > 0.5) == label for p, (_, label) in zip(said, held, strict=True)]
    chosen = [row for row in held if 5 <= len(row[0].split()) <= 25][: options.texts]
    task = {
        "weights": weights,
        "bias": bias,
        "texts": [text for text, _ in chosen],
        "labels": [label for _, label in chosen],
        "recipes": ["deepwordbug", "pwws", "pruthi"],
        "repeats": options.repeats,
    }
    words = sum(len(text.split()) for text, _ in chosen) / len(chosen)
    print(
        f"{len(weights):,} words, held-out accuracy {sum(hits) / len(hits):.3f}; "
        f"{len(chosen)} texts of {words:.1f} words on average\n"
    )
    peers = theirs(options.textattack, task)
    print(
        "| attack | side | attacked (skipped) | success | texts asked, mean | as counted -> sent | "
        "texts per call | words changed | sentences per CPU-s | texts per CPU-s | in the victim |"
    )
    print("|---" * 11 + "|")
    for name, written in ATTACKS.items():
        runs = [own(written, task) for _ in range(options.repeats)]
        best = runs[0] if isinstance(runs[0], str) else min(runs, key=lambda r: r["seconds"])
        print(shown(name, "scrutiny", best, len(chosen)))
        if name in task["recipes"]:
            found = peers if isinstance(peers, str) else peers[name]
            print(shown(name, "TextAttack 0.3.11", found, len(chosen)))


if __name__ == "__main__":
    main()
