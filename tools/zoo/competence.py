"""Write the competence record of every checkpoint of the zoo that lacks one.

    nice -n 5 python tools/zoo/competence.py WORK [--again] [--of FOLDER]

Text: WORK/texts/held_out, of which nothing was trained on. The 5-gram is trained on the same
training texts, in the same pieces; it takes half a minute and a gigabyte.
"""

import argparse
import time
from pathlib import Path

import torch
from train import say, texts_of

from scrutiny.training.competence.likelihood import baselines_of
from scrutiny.training.competence.masked import read_pairs
from scrutiny.training.competence.record import FILE, measure
from scrutiny.training.pretraining.corpus import read_texts
from scrutiny.training.pretraining.export import WEIGHTS, write_json
from scrutiny.training.pretraining.recipe import PretrainingRecipe
from scrutiny.training.pretraining.run import prepare


def checkpoints(runs):
    """Folders with weights, finals first."""
    folders = [path.parent for path in sorted(runs.rglob(WEIGHTS))]
    return sorted(folders, key=lambda folder: (folder.name.startswith("step-"), str(folder)))


def line(record):
    likelihood = record["likelihood"]
    return (
        f"masked accuracy {record['masked_accuracy']['value']:.3f}, pseudo-perplexity "
        f"{likelihood['pseudo_perplexity']['value']:.1f} (5-gram "
        f"{likelihood['fivegram_perplexity']['value']:.1f}, unigram "
        f"{likelihood['unigram_perplexity']['value']:.0f}), next sentence "
        f"{record['next_sentence']['accuracy']['value']:.3f}, agreement "
        f"{record['agreement']['accuracy']['value']:.3f} "
        f"[{record['agreement']['accuracy']['low']:.3f}, "
        f"{record['agreement']['accuracy']['high']:.3f}], gates {record['gates']}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("--again", action="store_true", help="Also where there is a record.")
    parser.add_argument("--of", type=Path, help="Checkpoints under this folder; WORK/runs.")
    asked = parser.parse_args()
    runs = asked.of or asked.work / "runs"
    torch.set_num_threads(1)
    wanted = [f for f in checkpoints(runs) if asked.again or not (f / FILE).exists()]
    if not wanted:
        return
    tokenizer = asked.work / "tokenizer"
    prepared = prepare(texts_of(asked.work), PretrainingRecipe(), tokenizer=tokenizer)
    baselines = baselines_of(prepared.corpus, prepared.recipe.vocabulary)
    held_out = read_texts(sorted((asked.work / "texts" / "held_out").glob("*.txt")))
    pairs = read_pairs()
    for folder in wanted:
        begun = time.monotonic()
        if not (folder / "tokenizer.json").exists():
            (folder / "tokenizer.json").write_bytes((tokenizer / "tokenizer.json").read_bytes())
        record = measure(folder, held_out, baselines, pairs=pairs)
        write_json(folder / FILE, record)
        name = folder.relative_to(runs)
        say(asked.work, f"{name}: {line(record)} ({time.monotonic() - begun:.0f} s)")
        print(name, line(record))


if __name__ == "__main__":
    main()
