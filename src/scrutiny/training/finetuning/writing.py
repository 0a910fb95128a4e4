"""A finished run on disk: weights, tokenizer, what it was trained on, and its model card."""

import json
import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from scrutiny.core.example import Example
from scrutiny.data.letters import training_hashes
from scrutiny.models.hf.parts import quiet
from scrutiny.models.strings.competence import FILE as COMPETENCE
from scrutiny.models.strings.lineage import HASHES
from scrutiny.store.files import storage_errors, write_text
from scrutiny.training.finetuning.card import card_of
from scrutiny.training.finetuning.network import Parted

#: What a checkpoint's folder says of its training.
RECORD: Final = "training.json"


def write_checkpoint(
    working: Path,
    folder: Path,
    parted: Parted,
    *,
    record: Mapping[str, Any],
    texts: Sequence[Example],
    competence: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write a checkpoint beside its place, move it there as a whole, and drop the working folder.

    Parameters
    ----------
    working
        Folder of the run in the making.
    folder
        Where the checkpoint goes.
    parted
        Network and tokenizer.
    record
        What ``training.json`` says; it is returned.
    texts
        The training part.
    competence
        What it scores on held-out examples, for claims that presuppose skill.

    Raises
    ------
    StorageError
        If the disk refuses.
    """
    made = working / "checkpoint"
    with storage_errors(folder):
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        with quiet():
            parted.network.save_pretrained(made)
            parted.tokenizer.save_pretrained(made)
        _save_hashes(made / HASHES, texts)
        write_text(made / "README.md", card_of(record))
        if competence is not None:
            write_text(made / COMPETENCE, json.dumps(competence, indent=1) + "\n")
        write_text(made / RECORD, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        folder.parent.mkdir(parents=True, exist_ok=True)
        made.rename(folder)
        shutil.rmtree(working, ignore_errors=True)
    return dict(record)


def versions() -> dict[str, str]:
    """Versions of what a weight can depend on."""
    return {name: version(name) for name in ("scrutiny", "torch", "transformers", "tokenizers")}


def _save_hashes(path: Path, texts: Sequence[Example]) -> None:
    import numpy as np

    fields = (text for example in texts for text in example.fields.values())
    np.save(path, training_hashes(fields), allow_pickle=False)
