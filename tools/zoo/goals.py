"""What the zoo was to show, and whether it does: sizes and the student, paired; agreement.

    nice -n 19 python tools/zoo/goals.py DIR

Two models are asked for the same hidden pieces of the held-out text. The larger size is above the
smaller if the interval over seeds is above zero; each seed has an interval over documents, too.
"""

import argparse
import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from card import AIM, signed
from recipe import LARGE, SMALL, STUDENT, Edition, folder_of, held_out_of

from scrutiny.stats.intervals.one_factor import t_over_replicates
from scrutiny.training.competence.competence_record import FILE, masked_hits
from scrutiny.training.competence.masked import CompetenceSettings, MaskedModel
from scrutiny.training.competence.perplexity import share
from scrutiny.training.pretraining.corpus import encode, read_texts


@lru_cache(maxsize=2)
def hits_of(work, family, seed):
    """(hidden piece,) whether it was told right, and its document."""
    model = MaskedModel(folder_of(work, family, seed))
    sources = {file.name: encode([file], model.tokenizer) for file in read_texts(held_out_of(work))}
    how = CompetenceSettings()
    how = how if model.positions >= how.length else CompetenceSettings(length=model.positions)
    told = masked_hits(model, sources, how).values()
    return tuple(np.concatenate([row[part] for row in told]) for part in range(2))


def gain(work, family, seed):
    """By how much a model's masked accuracy is above that of the smaller size with its seed."""
    (own, owner), (small, _) = (hits_of(work, f, seed) for f in (family, SMALL))
    found = share(own.astype(float) - small, owner)
    return {name: found[name] for name in ("value", "low", "high", "n", "n_units")}


def goals_of(work, edition):
    """Goals by name: what was found, and whether they are reached."""
    by_seed = {seed: gain(work, LARGE, seed) for seed in edition.seeds}
    over = t_over_replicates([found["value"] for found in by_seed.values()])
    student = gain(work, STUDENT, edition.seeds[0])
    finals = [(f, s) for f, s in edition.runs() if f in (SMALL, LARGE, STUDENT)]
    agreement = {
        f"{family}/seed-{seed}": json.loads((folder_of(work, family, seed) / FILE).read_text())[
            "agreement"
        ]["accuracy"]["value"]
        for family, seed in finals
    }
    return {
        "larger_above_smaller": {
            "over_seeds": {"value": over.point, "low": over.low, "high": over.high},
            "by_seed": by_seed,
            "is_reached": over.low > 0,
        },
        "student_above_smaller": {**student, "is_reached": student["low"] > 0},
        "agreement": {"aim": AIM, "values": agreement, "is_reached": min(agreement.values()) > AIM},
    }


def stated(goals):
    """Goals as competence records have them, for plans: what contrasts presuppose which."""
    larger, student = goals["larger_above_smaller"], goals["student_above_smaller"]
    return [
        {
            "name": "larger above smaller",
            "of": LARGE,
            "beside": [SMALL],
            "is_reached": larger["is_reached"],
            "found": f"masked accuracy of four layers less that of two, over seeds "
            f"{signed(larger['over_seeds'])}",
        },
        {
            "name": "student above smaller",
            "of": STUDENT,
            "beside": [SMALL, LARGE],
            "is_reached": student["is_reached"],
            "found": f"masked accuracy of the student less that of two layers, {signed(student)}",
        },
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    print(json.dumps(goals_of(asked.work, Edition()), indent=1))


if __name__ == "__main__":
    main()
