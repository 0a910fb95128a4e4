"""Copy what is finished into packages/scrutiny-zoo, in half precision, and write its index.

    python tools/zoo/package.py WORK

Then measure the copies, `tools/zoo/competence.py WORK --of FOLDER` with the package's folder of
weights, and run this again, which puts the gates into the index and leaves copies as they are.
"""

import argparse
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from card import write_on_card
from distill import STUDENT, job_of_student
from train import FAMILIES, WITH_CHECKPOINTS, job_of, prepared_for
from transformers import BertForPreTraining

from scrutiny.training.competence.record import FILE as COMPETENCE
from scrutiny.training.pretraining.export import save_weights, write_json
from scrutiny.training.pretraining.writing import (
    HASHES,
    RECORD,
    write_checkpoint,
    write_training_hashes,
)

PACKAGE = Path(__file__).resolve().parents[2] / "packages" / "scrutiny-zoo"
OUT = PACKAGE / "src" / "scrutiny_zoo" / "weights"
SHIPPED_STEPS = {"bert-4x128": (2500, 5000)}  # of the seeds that keep any: more is over 60 MB
MOST_MB = 60


def wanted(work):
    """(folder of the run, path in the package, step) of what is finished and ships."""
    for family in (*FAMILIES, STUDENT):
        for run in sorted((work / "runs" / family).glob("seed-*")):
            if not (run / RECORD).exists():
                continue
            yield run, f"{family}/{run.name}", None
            seed = int(run.name.removeprefix("seed-"))
            for step in SHIPPED_STEPS.get(family, ()) if seed in WITH_CHECKPOINTS else ():
                yield run / f"step-{step}", f"{family}/{run.name}/step-{step}", step


def copy(source, target, job, step):
    network = BertForPreTraining.from_pretrained(source, dtype=torch.float32)
    half = replace(job, precision="fp16")
    sha256 = save_weights(network, target, "fp16")
    log = json.loads((source / RECORD).read_text())["losses"] if step is None else []
    at = step or job.prepared.recipe.steps
    write_checkpoint(target, half, sha256=sha256, step=at, log=log)


def entry(path):
    folder = OUT / path
    record, competence = json.loads((folder / RECORD).read_text()), folder / COMPETENCE
    if competence.exists():
        write_on_card(folder, json.loads(competence.read_text()))
    files = {
        p.name: hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.iterdir())
        if p.is_file()
    }
    return {
        "path": path,
        "seed": record["seeds"]["init_seed"],
        "step": record["step"],
        "is_final": "/step-" not in path,
        "files": files,
        "gates": json.loads(competence.read_text())["gates"] if competence.exists() else None,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    work = parser.parse_args().work
    paths = []
    for source, path, step in wanted(work):
        paths.append(path)
        if (OUT / path / RECORD).exists():
            continue
        family, seed = path.split("/")[:2]
        is_student = family == STUDENT
        number = int(seed.removeprefix("seed-"))
        job = job_of_student(work) if is_student else job_of(work, family, number)
        copy(source, OUT / path, job, step)
    if not (OUT / HASHES).exists():
        write_training_hashes(prepared_for(work, "bert-4x128"), OUT)
    families = {}
    for path in paths:
        made = entry(path)
        family = families.setdefault(path.split("/")[0], {"seeds": [], "checkpoints": []})
        family["checkpoints"].append(made)
        if made["is_final"]:
            family["seeds"].append(made["seed"])
    texts = json.loads((work / "texts" / "texts.json").read_text())
    write_json(OUT / "index.json", {"format": 1, "families": families, "texts": texts})
    size = sum(p.stat().st_size for p in OUT.rglob("*") if p.is_file()) / 1e6
    hashes = len(np.load(OUT / HASHES))
    print(f"{len(paths)} checkpoints, {hashes} hashes, {size:.1f} MB of at most {MOST_MB}")


if __name__ == "__main__":
    main()
