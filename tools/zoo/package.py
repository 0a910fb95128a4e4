"""Put the finished zoo into packages/scrutiny-zoo, and write its index.

    python tools/zoo/package.py DIR

Folders of the runs are shipped as they are, in half precision with the records that were measured
on just these weights; what shipped before is removed. Nothing is touched before all runs are there.
"""

import argparse
import hashlib
import json
import shutil
import sys
from pathlib import Path

import numpy as np
from card import write_on_card
from goals import goals_of, stated
from recipe import FIRST, LARGE, Edition, folder_of, prepared_for

from scrutiny.models.strings.training_records import HASHES
from scrutiny.training.competence.competence_record import FILE as COMPETENCE
from scrutiny.training.pretraining.checkpoint_files import (
    RECORD,
    write_json,
    write_pretraining_hashes,
)

OUT = Path(__file__).resolve().parents[2] / "packages/scrutiny-zoo/src/scrutiny_zoo/weights"
MOST_MB = 100


def shipped(work, edition):
    """(folder, path in the package) of all that ships: finals, and steps of the larger size."""
    for family, seed in edition.runs():
        if family == FIRST:
            continue
        folder, path = folder_of(work, family, seed), f"{family}/seed-{seed}"
        yield folder, path
        if family == LARGE and seed in edition.with_checkpoints:
            for step in edition.checkpoints:
                yield folder / f"step-{step}", f"{path}/step-{step}"


def copy(source, target, family, goals):
    """Files of a checkpoint; its card and its record say whether the goals are reached."""
    target.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        if path.is_file():
            shutil.copyfile(path, target / path.name)
    record = json.loads((target / COMPETENCE).read_text())
    write_on_card(target, record, goals)
    write_json(target / COMPETENCE, {**record, "family": family, "goals": stated(goals)})


def entry(out, path):
    folder = out / path
    record = json.loads((folder / RECORD).read_text())
    return {
        "path": path,
        "seed": record["seeds"]["init_seed"],
        "step": record["step"],
        "is_final": "/step-" not in path,
        "files": {
            p.name: hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(folder.iterdir())
            if p.is_file()
        },
        "gates": json.loads((folder / COMPETENCE).read_text())["gates"],
    }


def package(work, edition, out):
    """Write the folder of weights anew; its checkpoints.

    Raises
    ------
    FileNotFoundError
        If a run is not finished, or not measured.
    """
    wanted = list(shipped(work, edition))
    for folder, path in wanted:
        if not ((folder / RECORD).exists() and (folder / COMPETENCE).exists()):
            raise FileNotFoundError(f"{path} is not finished.")
    goals = goals_of(work, edition)
    shutil.rmtree(out, ignore_errors=True)
    families = {}
    for folder, path in wanted:
        name = path.split("/")[0]
        copy(folder, out / path, name, goals)
        made = entry(out, path)
        family = families.setdefault(name, {"seeds": [], "checkpoints": []})
        family["checkpoints"].append(made)
        if made["is_final"]:
            family["seeds"].append(made["seed"])
    write_pretraining_hashes(prepared_for(work), out)
    texts = json.loads((work / "texts" / "texts.json").read_text())
    index = {"format": 1, "families": families, "goals": goals, "texts": texts}
    write_json(out / "index.json", index)
    return wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    asked = parser.parse_args()
    try:
        wanted = package(asked.work, Edition(), OUT)
    except FileNotFoundError as error:
        sys.exit(str(error))
    size = sum(p.stat().st_size for p in OUT.rglob("*") if p.is_file()) / 1e6
    hashes = len(np.load(OUT / HASHES))
    print(f"{len(wanted)} checkpoints, {hashes} hashes, {size:.1f} MB of at most {MOST_MB}")


if __name__ == "__main__":
    main()
