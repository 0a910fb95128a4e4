"""Competence record of a checkpoint: every number with its n and its interval.

Among it masked accuracy: a fixed share of each held-out row hidden at once. For a family, the
counting is done once.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.training.competence.masked import (
    CompetenceSettings,
    MaskedModel,
    MinimalPair,
    is_open,
    passages_of,
    preferences,
    read_pairs,
    segment_pairs,
)
from scrutiny.training.competence.perplexity import (
    NgramBaselines,
    baselines_of,
    by_source,
    likelihoods,
    named,
    share,
)
from scrutiny.training.finetuning.held_out_sentences import wilson_interval
from scrutiny.training.pretraining.checkpoint_files import write_json
from scrutiny.training.pretraining.corpus import MASK, Corpus, TextFile, encode, read_texts
from scrutiny.training.pretraining.job import WEIGHTS, Prepared


def write_records(
    prepared: Prepared, folders: Sequence[Path], held_out: Sequence[Path], *, device: str = "cpu"
) -> list[Path]:
    """Write records of all checkpoints in or under the folders that lack one; their paths.

    Parameters
    ----------
    prepared
        Training text and vocabulary of the family.
    folders
        Of its runs.
    held_out
        Plain text files, one for each source, of which nothing was trained on.
    device
        "cpu", "cuda:0".

    Raises
    ------
    DataError
        If a text cannot be read.
    """
    checkpoints = sorted({path.parent for f in folders for path in f.rglob(WEIGHTS)})
    lacking = [folder for folder in checkpoints if not (folder / FILE).is_file()]
    if not lacking:
        return []
    texts, pairs = read_texts(held_out), read_pairs()
    baselines = baselines_of(prepared.corpus, prepared.recipe.vocabulary)
    for folder in lacking:
        record = measure(folder, texts, baselines, pairs=pairs, device=device)
        write_json(folder / FILE, record)
    return [folder / FILE for folder in lacking]


def masked_hits(
    model: MaskedModel, sources: dict[str, Corpus], how: CompetenceSettings
) -> dict[str, tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """By source: whether each hidden piece was told right, its document, and the piece.

    All models of one vocabulary are asked for the same pieces, so that their hits are paired.

    Parameters
    ----------
    model
        Whose answers are judged.
    sources
        Held-out text by name.
    how
        Length of rows, and the share that is hidden.
    """
    told = {}
    for number, (name, corpus) in enumerate(sources.items()):
        passages = passages_of(corpus, how.length)
        # rows with pieces masked, their flat positions, and the original pieces
        draw = np.random.default_rng((how.seed, number))
        asked = is_open(passages.pieces)
        rank = np.where(asked, draw.random(passages.pieces.shape), 2.0).argsort(axis=1)
        count = np.maximum(1, np.round(how.masked_share * asked.sum(axis=1)).astype(np.int64))
        chosen = np.zeros_like(asked)
        for row, n in enumerate(count):
            chosen[row, rank[row, :n]] = True
        chosen &= asked
        hidden = np.where(chosen, MASK, passages.pieces)
        places, answers = np.flatnonzero(chosen), passages.pieces[chosen]
        _, hits = model.log_probabilities(hidden, places, answers)
        told[name] = (hits, named(name, passages.document[places // how.length]), answers)
    return told


#: File next to the weights; `scrutiny.models.strings.training_records` reads it.
FILE: Final = "competence.json"


def measure(
    folder: Path,
    held_out: Sequence[TextFile],
    baselines: NgramBaselines,
    *,
    pairs: Sequence[MinimalPair],
    settings: CompetenceSettings | None = None,
    device: str = "cpu",
) -> dict[str, Any]:
    """Measure the competence record of a checkpoint.

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
    # accuracy on masked pieces, with that of always predicting the most frequent piece
    commonest = int(np.argmax(baselines.unigram))
    told = masked_hits(model, sources, how)
    found = by_source({name: (hits, owner) for name, (hits, owner, _) in told.items()})
    simple = by_source(
        {name: (piece == commonest, owner) for name, (_, owner, piece) in told.items()}
    )
    masked_accuracy = found | {"unigram": {k: v for k, v in simple.items() if k != "by_source"}}
    return {
        "format": 1,
        "gates": {
            "fivegram": likelihood["gain_over_fivegram"]["low"] > 0,
            "agreement": agreement["accuracy"]["low"] > 0.5,
            "next_sentence": min(follows["accuracy"]["low"], follows["wilson"]["low"]) > 0.5,
        },
        "masked_accuracy": masked_accuracy,
        "likelihood": likelihood,
        "next_sentence": follows,
        "agreement": agreement,
        "held_out": [{"name": file.name, "sha256": file.sha256} for file in held_out],
        "settings": asdict(how),
    }


def _next_sentence(
    model: MaskedModel, sources: dict[str, Corpus], how: CompetenceSettings
) -> dict[str, Any]:
    """Accuracy on segment pairs; the second segments of negatives come from the same source."""
    rows = {}
    for number, (name, corpus) in enumerate(sources.items()):
        pairs = segment_pairs(
            corpus, length=how.length, n=how.segment_pairs, seed=how.seed + number
        )
        hits = model.says_next(pairs) == pairs.is_next
        rows[name] = (hits, named(name, pairs.document))
    found = by_source(rows)
    right = np.concatenate([hits for hits, _ in rows.values()])
    return {
        "accuracy": {k: v for k, v in found.items() if k != "by_source"},
        "wilson": wilson_interval(int(right.sum()), len(right)),
        "by_source": found["by_source"],
        "chance": 0.5,
    }


def _agreement(model: MaskedModel, pairs: Sequence[MinimalPair]) -> dict[str, Any]:
    """Share of minimal pairs whose good sentence is more likely; frames are the clusters."""
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
