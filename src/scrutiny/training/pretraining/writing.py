"""What stands beside the weights: tokenizer, machine-readable recipe, model card."""

from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from scrutiny.data.letters import training_hashes
from scrutiny.models.strings.lineage import HASHES
from scrutiny.store.files import write_text
from scrutiny.training.pretraining.card import card_of
from scrutiny.training.pretraining.export import write_json
from scrutiny.training.pretraining.job import Prepared, PretrainingJob
from scrutiny.training.pretraining.vocabulary import save_tokenizer

#: What a checkpoint's folder says of its training.
RECORD: Final = "training.json"


def write_checkpoint(
    folder: Path, job: PretrainingJob, *, sha256: str, step: int, log: list[dict[str, float]]
) -> None:
    """Write tokenizer, card and, last of all, ``training.json``."""
    record = record_of(job, sha256=sha256, step=step, log=log)
    save_tokenizer(job.prepared.tokenizer, folder, job.prepared.recipe.positions)
    write_text(folder / "README.md", card_of(record))
    write_json(folder / RECORD, record)


def record_of(
    job: PretrainingJob, *, sha256: str, step: int, log: list[dict[str, float]]
) -> dict[str, Any]:
    """What ``training.json`` says of a checkpoint."""
    teacher = job.teacher
    corpus = job.prepared.corpus
    return {
        "replicates_of": "pre-training",
        "digest": job.digest(),
        "recipe": job.prepared.recipe.to_json(),
        "seeds": {"init_seed": job.seeds.init, "data_seed": job.seeds.data},
        "step": step,
        "texts": [{"name": f.name, "sha256": f.sha256} for f in job.prepared.files],
        "pieces": len(corpus.pieces),
        "documents": int(corpus.document[-1]) + 1,
        "distilled_from": None
        if teacher is None
        else {
            "name": teacher.name,
            "identity": teacher.identity(),
            "weight": teacher.weight,
            "temperature": teacher.temperature,
        },
        "license": job.stated.license,
        "attribution": list(job.stated.attribution),
        "weights": {"sha256": sha256, "precision": job.precision},
        "losses": log,
        "versions": {n: version(n) for n in ("scrutiny", "torch", "transformers", "tokenizers")},
    }


def write_training_hashes(prepared: Prepared, folder: Path) -> Path:
    """Write the hashes of all training sentences, paragraphs lost: one file for a family."""
    import numpy as np

    texts = (s for file in prepared.files for document in file.documents for s in document)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / HASHES, training_hashes(texts), allow_pickle=False)
    return folder / HASHES
