"""Finished run on disk: weights, tokenizer, training record, and model card."""

import json
import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.data.letters import training_hashes
from scrutiny.models.hf.parts import quiet
from scrutiny.models.strings.competence import FILE as COMPETENCE
from scrutiny.models.strings.lineage import HASHES
from scrutiny.store.files import storage_errors, write_text
from scrutiny.training.finetuning.network import Parted


def read_record(folder: Path, identity: str) -> dict[str, Any]:
    """Record of an existing folder.

    Raises
    ------
    PlanError
        If it holds something else.
    """
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        record = {}
    if not isinstance(record, dict) or record.get("identity") != identity:
        raise PlanError(
            f"{str(folder)!r} holds something else (another base, recipe, seed or other data). "
            "Choose another folder, or remove it to train anew."
        )
    return record


def card_of(record: Mapping[str, Any]) -> str:
    """Model card in Markdown, from ``training.json``."""
    base, data, recipe = record["base"], record["data"], record["recipe"]
    who = ", ".join(f"{name} {value}" for name, value in record["factors"].items())
    lines = [
        f"# {record['task']} from {base['source']}, {who}",
        "",
        "Fine-tuned by `scrutiny train finetune`: one replicate of a recipe. Findings on it "
        "alone hold for this checkpoint; several seeds tell about the recipe.",
        "",
        "| | |",
        "| --- | --- |",
        f"| base | `{base['source']}` ({base['fingerprint']}) |",
        f"| seed of the fine-tuning | {record['seed']} |",
        f"| task | {record['task']}: {', '.join(record['labels'])} |",
        f"| trained on | {data['train']['n']:,} texts of `{data['train']['source']}` |",
        f"| chosen on | {data['dev']['n']:,} texts, `{data['dev']['source']}` |",
        *_held_out_line(data),
        f"| digest of both | {data['digest']} |",
        *(f"| {name} | {_shown(value)} |" for name, value in recipe.items() if value is not None),
        f"| computed in | {record['network']['precision']}, {record['network']['device']} |",
        f"| parameters | {record['network']['parameters']:,} |",
        "",
        f"## Epochs (chosen: {record['chosen_epoch']}, {record['chosen_by']})",
        "",
        f"| epoch | loss | dev {record['metric']} | texts changed |",
        "| ---: | ---: | ---: | ---: |",
        *(_epoch_line(epoch) for epoch in record["epochs"]),
        "",
        *_chance_line(record),
        "The dev score chose the epoch, so it is too good by a little: report scores on other "
        "data. Hashes of the training texts (letters only) are in `training_hashes.npy`.",
        *(f"\nNote: {note}" for note in data["notes"]),
        "",
        "The licence is that of the base and of the data.",
    ]
    return "\n".join(lines) + "\n"


def _held_out_line(data: Mapping[str, Any]) -> list[str]:
    if "held_out" not in data:
        return []
    held = data["held_out"]["n"]
    return [f"| held out | {held:,} texts, which `competence.json` scores |"]


def _epoch_line(epoch: Mapping[str, Any]) -> str:
    dev = "–" if epoch["dev"] is None else f"{epoch['dev']:.4f}"
    return f"| {epoch['epoch']} | {epoch['loss']:.4f} | {dev} | {epoch['changed']:,} |"


def _chance_line(record: Mapping[str, Any]) -> list[str]:
    if record["dev_chance"] is None:
        return []
    return [f"Without skill: {record['dev_chance']:.4f}.", ""]


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, (list, tuple)) else str(value)


#: Training record in a checkpoint's folder.
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
    """Write a checkpoint to a temporary folder, move it into place, delete the working folder.

    Parameters
    ----------
    working
        Folder of the run in the making.
    folder
        Folder of the checkpoint.
    parted
        Network and tokenizer.
    record
        Content of ``training.json``; it is returned.
    texts
        The training part.
    competence
        Score on held-out examples, for claims that presuppose skill.

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
    """Versions of the libraries that weights can depend on."""
    return {name: version(name) for name in ("scrutiny", "torch", "transformers", "tokenizers")}


def _save_hashes(path: Path, texts: Sequence[Example]) -> None:
    import numpy as np

    fields = (text for example in texts for text in example.fields.values())
    np.save(path, training_hashes(fields), allow_pickle=False)
