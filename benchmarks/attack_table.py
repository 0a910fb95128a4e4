"""Every attack on the first 200 sentences of SST-2: success, cost, valid success; TextAttack's too.

    python benchmarks/attack_table.py --part words network --words runs/linear/seed-1 \
        --network runs/small/seed-1 --rater hf:runs/snli/seed-1 --textattack VENV/bin/python \
        --out attack-table

``--words`` is a folder of ``scrutiny train linear`` and ``--network`` one of ``scrutiny train
finetune``, both on SST-2's training set (without ``--words``, the shipped model is
attacked); ``--rater`` a classifier of entailment (``scrutiny train
finetune`` on SNLI). Word vectors are the first 40,000 of GloVe 6B (50 dimensions, length one), the
masked language model is ``--masked-lm``, a folder; TextAttack (``attack_table_peers.py``, an
environment of its own, ``NLTK_DATA`` set) is given the same. Parts: words, network, rater, chinese.
What a part finds stays in ``--out``: the tables are printed from there, and a part that is there
is not run again. ``--chinese`` is a folder of ``scrutiny train linear --pairs`` on the file that
``--part chinese-split`` writes. Without SST-2, shipped reviews are attacked.
"""

import argparse
import csv
import json
import os
import subprocess
from hashlib import sha256
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from inputs import DATA, sst2

import scrutiny
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.resources.loading import load_resource
from scrutiny.stats.intervals.interval import wilson
from scrutiny.text import wordnet
from scrutiny.text.tagger import default_tagger
from scrutiny.text.tokens import token_texts

HERE = Path(__file__).parent
BUDGETS = {"words": 300, "network": 200, "chinese": 1000}
RUN_OF = {"words": 11, "network": 3, "chinese": 2}  # attacks of one run, at most
CHARACTERS = 60  # of a Chinese text, at most: each is asked about with ten others in its place
SECONDS = 180  # of processor for each attack of TextAttack


class Line(NamedTuple):
    """An attack, what it is given, and TextAttack's recipe of the same space, if there is one."""

    attack: str
    given: str = ""
    peer: str = ""


LINES = {
    "words": (
        Line("deepwordbug", peer="deepwordbug"),
        Line("pwws"),
        Line("pwws(variant=textattack)", peer="pwws"),
        Line("pruthi", peer="pruthi"),
        Line("textbugger"),
        Line("textbugger(variant=textattack)", "vectors", "textbugger"),
        Line("textfooler"),
        Line("textfooler(variant=textattack)", "vectors", "textfooler"),
        Line("alzantot"),
        Line("alzantot", "vectors", "alzantot"),
        Line("pso", peer="pso"),
        Line("checklist", peer="checklist"),
        Line("input_reduction"),
        Line("input_reduction(variant=textattack)", peer="input_reduction"),
    ),
    "network": (
        Line("bae", "masked_lm"),
        Line("bae(variant=textattack)", "masked_lm", "bae"),
        Line("bae(mode=I)", "masked_lm"),
        Line('bae(mode="R/I")', "masked_lm"),
        Line('bae(mode="R+I")', "masked_lm"),
        Line("bert_attack", "masked_lm"),
        Line("bert_attack(variant=textattack)", "masked_lm", "bert_attack"),
        Line("clare", "masked_lm", "clare"),
        Line("a2t"),
        Line("a2t", "vectors", "a2t"),
        Line("hotflip", peer="hotflip"),
    ),
    "chinese": (Line("chinese(homophones=0)"), Line("chinese")),
}


def attacked(options):
    """(text, label) of the attacked rows."""
    dataset = load_dataset(sst2("dev"))
    rows = dataset.examples[: options.rows]
    return [(example.text, dataset.labels.index(example.gold)) for example in rows]


def chinese_files(out, count):
    """Held-out short rows of the hotel reviews, chosen by their hashes, and all others."""
    with (DATA / "chnsenticorp_htl" / "ChnSentiCorp_htl_all.csv").open(encoding="utf-8-sig") as f:
        rows = {row["review"].strip(): row["label"] for row in csv.DictReader(f)}
    ranked = sorted(rows.items(), key=lambda pair: sha256(pair[0].encode()).hexdigest())
    held = [pair for pair in ranked if len(pair[0]) <= CHARACTERS][:count]
    chosen = dict(held)
    rest = [pair for pair in ranked if pair[0] not in chosen]
    paths = []
    for name, part in (("test", held), ("train", rest)):
        paths.append(out / f"chinese-{name}.csv")
        with paths[-1].open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("label", "review"), *((label, t) for t, label in part)])
    return paths


def vectors_in(out):
    """File of word vectors for both sides."""
    path = out / "vectors.txt"
    if not path.is_file():
        held = load_resource("vectors", "glove")
        words = held._words[:40_000]
        matrix = np.stack([held.vector(word) for word in words])
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        lines = (
            f"{word} {' '.join(f'{x:.6f}' for x in row)}\n"
            for word, row in zip(words, matrix, strict=True)
        )
        path.write_text("".join(lines), encoding="utf-8")
    return path


# -- our side --------------------------------------------------------------------------------------


def groups(part):
    """Lines of a part by run: what is given, and which of its runs it is."""
    found, sizes = {}, {}
    for line in LINES[part]:
        place = sizes.get(line.given, 0)
        sizes[line.given] = place + 1
        found.setdefault((line.given, place // RUN_OF[part]), []).append(line)
    return found


def own(part, options):
    """Finished run of each line of a part; of the groups that were asked for, by their numbers."""
    runs = {}
    for number, ((given, place), lines) in enumerate(groups(part).items()):
        if not options.group or number in options.group:
            name = f"{part}-{given or 'plain'}" + (f"-{place}" if place else "")
            run = scrutiny.run(plan_of(part, given, lines, options), out=options.out / name)
            runs |= dict.fromkeys(lines, run)
    return runs


def budget(part, options):
    """Most texts asked for one row and attack."""
    return options.budget or BUDGETS[part]


def plan_of(part, given, lines, options):
    """Plan of some attacks on one victim."""
    words = f"linear:{options.words}" if options.words else "builtin:sentiment"
    model, data = {
        "words": (words, sst2("dev")),
        "network": (f"hf:{options.network}", sst2("dev")),
        "chinese": (
            f"linear:{options.chinese}",
            f"csv:{options.out}/chinese-test.csv#text=review,label=label,language=zh",
        ),
    }[part]
    resources = {} if part == "chinese" or not options.rater else {"nli": options.rater}
    if given == "vectors":
        resources["vectors"] = str(vectors_in(options.out))
    elif given:
        resources[given] = f"hf:{options.masked_lm}"
    recipes = [line.attack for line in lines]
    params = {"recipes": recipes, "budget": budget(part, options), "resources": resources}
    attack = {"id": "attack", "diagnostic": "attack@1", "models": ["victim"], "data": ["rows"]}
    return {
        "data": {"rows": {"source": data, "limit": options.rows}},
        "models": {"victim": {"source": model}},
        "measure": [{**attack, "params": params}],
        "resampling": {"draws": options.draws},
    }


def numbers(run, attack):
    """Estimates of an attack by metric and role."""
    found = {}
    for estimate in run.estimates:
        recipe = str(estimate.key.condition.get("recipe", "")).replace("@1", "")
        if recipe.replace('"', "") == attack.replace('"', ""):
            found[estimate.key.metric.removesuffix("@1"), estimate.key.role] = estimate
    return found


def share(estimate, *, bounds=True):
    """A share with its interval."""
    if estimate is None or estimate.value is None:
        return "–" if estimate is None or estimate.status != "refused" else "refused"
    text = f"{estimate.value:.3f}"
    if bounds and estimate.low is not None:
        text += f" [{estimate.low:.3f}, {estimate.high:.3f}]"
    return text.replace("0.", ".")


def own_row(line, run):
    """Line of our table."""
    found = numbers(run, line.attack)
    asked = [found[f"{kind}(asked)", "measured"].value for kind in ("median", "mean")]
    changed = found["words_changed", "measured"].value
    cells = [
        line.attack,
        line.given or "–",
        share(found["attack_success", "measured"]),
        share(found["attack_success", "control"], bounds=False),
        f"{asked[0]:.0f} ({asked[1]:.0f})",
        "–" if changed is None else f"{changed:.0%}",
        share(found["valid_share", "measured"], bounds=False),
        share(found["valid_attack_success", "measured"]),
        share(found.get(("valid_success(50)", "measured")), bounds=False),
        share(found.get(("valid_success(90)", "measured")), bounds=False),
    ]
    return f"| {' | '.join(cells)} |"


OWN_HEADER = (
    "| attack | given | success | random change | texts asked, median (mean) | words changed | "
    "of which valid | valid success | valid from .5 | from .9 |"
)


# -- TextAttack's side -----------------------------------------------------------------------------


def theirs(part, options):
    """What TextAttack finds by recipe, or one line that says why nothing."""
    if not options.textattack or (part == "words" and not options.words):
        return "not run: no environment given (--textattack PYTHON), or no folder (--words)"
    kept = options.out / f"{part}-textattack.json"
    found = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    recipes = list(dict.fromkeys(line.peer for line in LINES[part] if line.peer))
    missing = [name for name in recipes if name not in found]
    if not missing:
        return found
    texts, labels = zip(*attacked(options), strict=True)
    task = {
        **({"network": options.network} if part == "network" else {"words": options.words}),
        "texts": texts,
        "labels": labels,
        "budget": budget(part, options),
        "seconds": SECONDS,
        "vectors": str(vectors_in(options.out)),
        "masked_lm": options.masked_lm,
        "recipes": missing,
    }
    done = subprocess.run(
        [options.textattack, str(HERE / "attack_table_peers.py")],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE.parent / "src")},
    )
    if done.returncode:
        return f"not run: {(done.stderr.strip() or 'it ended without a word').splitlines()[-1]}"
    found |= json.loads(done.stdout)
    kept.write_text(json.dumps(found), encoding="utf-8")
    return found


def rated(pairs, options):
    """Mean of the smaller probability that either text entails the other."""
    if not options.rater or not pairs:
        return None
    judge = load_resource("nli", options.rater)
    one, other = (judge.entailment([tuple(p[::step]) for p in pairs]) for step in (1, -1))
    return mean(map(min, one, other))


def peer_row(line, run, found, options):
    """Line of the table of both sides."""
    ours = numbers(run, line.attack)
    if isinstance(found, str):
        return f"| {line.attack} | {share(ours['attack_success', 'measured'])} | {found} |"
    won, tried = len(found["pairs"]), found["attacked"]
    bounds, valid = wilson(won, tried), rated(found["pairs"], options)
    asked = ours["mean(asked)", "measured"].value
    rows = "" if found["rows"] == options.rows else f" (first {found['rows']} rows)"
    rows += f" ({found['raised']} raised)" if found.get("raised") else ""
    cells = [
        line.attack,
        share(ours["attack_success", "measured"]),
        f"{won / tried:.3f} [{bounds.low:.3f}, {bounds.high:.3f}]{rows}".replace("0.", "."),
        f"{asked:.0f}",
        f"{mean(found['asked']):.0f} ({mean(found['counted']):.0f})",
        f"{median(found['asked']):.0f}",
        f"{ours['words_changed', 'measured'].value:.0%}",
        f"{mean(found['changed']):.0%}" if won else "–",
        share(ours["valid_attack_success", "measured"], bounds=False),
        "–" if valid is None else f"{valid * won / tried:.3f}".replace("0.", "."),
        f"{found['seconds']:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


PEER_HEADER = (
    "| attack | success | TextAttack | texts asked, mean | TextAttack (counted) | its median | "
    "words changed | TextAttack | valid success | TextAttack | its CPU s |"
)


# -- the rater -------------------------------------------------------------------------------------


def opposite(text):
    """The text with its first word of a WordNet opposite replaced by that; nothing without one."""
    words = token_texts(text)
    for place, tag in enumerate(default_tagger().tag(words)):
        pos = wordnet.POS_OF.get("VERB" if tag.upos == "AUX" else tag.upos)
        found = wordnet.antonyms(words[place].lower(), pos) if pos else ()
        if found and " " not in found[0]:
            return text, " ".join([*words[:place], found[0], *words[place + 1 :]])
    return None


def rater(runs, options):
    """What the rater says where the answer is known."""
    for estimate in runs[LINES["words"][0]].estimates:
        if estimate.key.metric.startswith("rater_"):
            condition = dict(estimate.key.condition)
            print(f"- {estimate.key.metric} {condition}: {share(estimate)}, n {estimate.counts.n}")
    swapped = [pair for text, _ in attacked(options) if (pair := opposite(text))]
    print(f"- one word replaced by its opposite: {rated(swapped, options):.3f}, n {len(swapped)}")
    data = f"tsv:{DATA}/snli/test.tsv#text=premise,text_pair=hypothesis,label=label"
    plan = {
        "data": {"snli": {"source": data, "limit": options.snli}},
        "models": {"rater": {"source": options.rater}},
        "measure": [
            {
                "id": "performance",
                "diagnostic": "performance@1",
                "models": ["rater"],
                "data": ["snli"],
            }
        ],
    }
    found = scrutiny.run(plan, out=options.out / "rater-accuracy").estimate("accuracy")
    print(f"- accuracy on rows of SNLI's test set: {share(found)}, n {found.counts.n}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("words", "network", "masked-lm", "chinese", "rater", "textattack"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--out", type=Path, help="folder of all runs; default: none is kept")
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--budget", type=int, help="texts for a row and attack")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--snli", type=int, default=2000, help="rows that the rater is tested on")
    parser.add_argument("--group", nargs="*", type=int, help="runs of the part, counted from 0")
    parser.add_argument("--part", nargs="*", default=["words"])
    options = parser.parse_args()
    lacking = [p for p in options.part if p in ("network", "chinese") and not getattr(options, p)]
    if lacking:
        raise SystemExit(f"--part {lacking[0]} needs the folder of a model: --{lacking[0]}")
    with TemporaryDirectory() as folder:
        options.out = options.out or Path(folder)
        options.out.mkdir(parents=True, exist_ok=True)
        tables(options)


def tables(options):
    for part in options.part:
        if part == "chinese-split":
            print(*chinese_files(options.out, options.rows))
        elif part == "rater":
            rater(own("words", options), options)
        elif part == "peers":
            for victim in ("words", "network"):
                theirs(victim, options)
        else:
            runs = own(part, options)
            first = next(iter(runs.values()))
            level = next(e for e in first.estimates if e.key.metric == "accuracy@1")
            print(f"\n{part}: accuracy {share(level)}, at most {budget(part, options)} texts\n")
            print(OWN_HEADER)
            print("|---" * OWN_HEADER.count(" | ") + "|---|")
            for line, run in runs.items():
                print(own_row(line, run))
            if options.group:
                continue
            peers = theirs(part, options)
            print(f"\n{PEER_HEADER}")
            print("|---" * PEER_HEADER.count(" | ") + "|---|")
            for line in LINES[part]:
                if line.peer:
                    found = peers if isinstance(peers, str) else peers[line.peer]
                    print(peer_row(line, runs[line], found, options))


if __name__ == "__main__":
    main()
