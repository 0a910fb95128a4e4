"""The competence record: what a checkpoint can do, every number with its n and its interval."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from scrutiny.stats.intervals.proportion import wilson
from scrutiny.training.competence.accuracy import masked_accuracy
from scrutiny.training.competence.agreement import MinimalPair, preferences
from scrutiny.training.competence.likelihood import Baselines, likelihoods
from scrutiny.training.competence.masked import MaskedModel
from scrutiny.training.competence.passages import segment_pairs
from scrutiny.training.competence.settings import CompetenceSettings
from scrutiny.training.competence.shares import LEVEL, by_source, named, share
from scrutiny.training.pretraining.corpus import Corpus, encode
from scrutiny.training.pretraining.texts import TextFile

#: File beside the weights; `scrutiny.models.strings.competence` reads it.
FILE: Final = "competence.json"


def measure(
    folder: Path,
    held_out: Sequence[TextFile],
    baselines: Baselines,
    *,
    pairs: Sequence[MinimalPair],
    settings: CompetenceSettings | None = None,
    device: str = "cpu",
) -> dict[str, Any]:
    """Competence record of a checkpoint.

    Parameters
    ----------
    folder
        Checkpoint.
    held_out
        Texts of which nothing was trained on, one for each source.
    baselines
        Of the training text, in the same pieces.
    pairs
        Minimal pairs.
    settings
        How much is measured.
    device
        "cpu", "cuda:0".

    **Measures**: what the checkpoint learned, against counting and chance.

    **Misleads when**: the held-out text is of another kind than what a diagnostic asks about; the
    gates are lowest bars, not marks of quality.
    """
    model = MaskedModel(folder, device=device)
    how = settings or CompetenceSettings()
    how = replace(how, length=min(how.length, model.positions))
    sources = {file.name: encode([file], model.tokenizer) for file in held_out}
    likelihood = likelihoods(model, sources, baselines, how)
    agreement = _agreement(model, pairs)
    follows = _next_sentence(model, sources, how)
    return {
        "format": 1,
        "gates": {
            "fivegram": likelihood["gain_over_fivegram"]["low"] > 0,
            "agreement": agreement["accuracy"]["low"] > 0.5,
            "next_sentence": min(follows["accuracy"]["low"], follows["wilson"]["low"]) > 0.5,
        },
        "masked_accuracy": masked_accuracy(
            model, sources, how, commonest=int(np.argmax(baselines.unigram))
        ),
        "likelihood": likelihood,
        "next_sentence": follows,
        "agreement": agreement,
        "held_out": [{"name": file.name, "sha256": file.sha256} for file in held_out],
        "settings": asdict(how),
    }


def _next_sentence(
    model: MaskedModel, sources: dict[str, Corpus], how: CompetenceSettings
) -> dict[str, Any]:
    """Share of segment pairs told right; the wrong ones come from the same source."""
    rows = {}
    for number, (name, corpus) in enumerate(sources.items()):
        pairs = segment_pairs(
            corpus, length=how.length, n=how.segment_pairs, seed=how.seed + number
        )
        hits = model.says_next(pairs) == pairs.is_next
        rows[name] = (hits, named(name, pairs.document))
    found = by_source(rows)
    right = np.concatenate([hits for hits, _ in rows.values()])
    interval = wilson(int(right.sum()), len(right), level=LEVEL)
    return {
        "accuracy": {k: v for k, v in found.items() if k != "by_source"},
        "wilson": {"low": interval.low, "high": interval.high, "level": LEVEL, "n": len(right)},
        "by_source": found["by_source"],
        "chance": 0.5,
    }


def _agreement(model: MaskedModel, pairs: Sequence[MinimalPair]) -> dict[str, Any]:
    """Share of minimal pairs whose good sentence is likelier; frames are the clusters."""
    right = preferences(model, pairs)
    frames = np.array([pair.frame for pair in pairs])
    kinds = np.array([pair.construction for pair in pairs])
    numbers = np.array([pair.number for pair in pairs])
    return {
        "accuracy": share(right, frames),
        "by_construction": {
            str(kind): share(right[kinds == kind], frames[kinds == kind])
            for kind in dict.fromkeys(kinds.tolist())
        },
        "by_number": {
            str(number): share(right[numbers == number], frames[numbers == number])
            for number in dict.fromkeys(numbers.tolist())
        },
        "chance": 0.5,
    }
