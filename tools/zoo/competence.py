"""Write the competence record of every checkpoint of the zoo that lacks one.

    nice -n 19 python tools/zoo/competence.py DIR [--of FOLDER]

Text: DIR/texts/held_out, of which nothing was trained on. The 5-gram is trained on the same
training texts, in the same pieces; it takes half a minute and a gigabyte.
"""

import argparse
from functools import lru_cache
from pathlib import Path

import torch
from recipe import held_out_of, prepared_for

from scrutiny.training.competence.competence_record import FILE, measure
from scrutiny.training.competence.masked import read_pairs
from scrutiny.training.competence.perplexity import baselines_of
from scrutiny.training.pretraining.checkpoint_files import write_json
from scrutiny.training.pretraining.corpus import read_texts
from scrutiny.training.pretraining.job import WEIGHTS


def checkpoints(runs):
    """Folders with weights, finals first."""
    folders = [path.parent for path in sorted(runs.rglob(WEIGHTS))]
    return sorted(folders, key=lambda folder: (folder.name.startswith("step-"), str(folder)))


def measure_lacking(work, runs, should_stop=lambda: False):
    """Measure checkpoints in or under a folder that have no record; (name, line) of each."""
    for folder in checkpoints(runs):
        if (folder / FILE).exists():
            continue
        if should_stop():
            return
        baselines, held_out = _measured_against(work)
        record = measure(folder, held_out, baselines, pairs=read_pairs())
        write_json(folder / FILE, record)
        yield str(folder.relative_to(runs.parent)), line(record)


@lru_cache(maxsize=1)
def _measured_against(work):
    prepared = prepared_for(work)
    return baselines_of(prepared.corpus, prepared.recipe.vocabulary), read_texts(held_out_of(work))


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
    parser.add_argument("--of", type=Path, help="Checkpoints under this folder; DIR/runs.")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for name, found in measure_lacking(asked.work, asked.of or asked.work / "runs"):
        print(name, found)


if __name__ == "__main__":
    main()
