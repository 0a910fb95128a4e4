"""Files of a fine-tuning run: its state after each epoch, and the finished checkpoint.

A checkpoint has weights, tokenizer, training record, and model card.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.models.hf.checkpoint import quiet
from scrutiny.models.strings.training_records import COMPETENCE_FILE as COMPETENCE
from scrutiny.store.files import storage_errors, write_atomically, write_text
from scrutiny.training.finetuning.encoders import Parted

_PROGRESS: Final = "progress.json"


@dataclass(frozen=True, slots=True)
class Epoch:
    """One epoch: its mean loss, dev score (None without a dev part), and duration.

    ``changed`` counts texts that were seen in a changed form.
    """

    epoch: int
    loss: float
    dev: float | None
    changed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class History:
    """Completed epochs of a run.

    Parameters
    ----------
    identity
        Digest of the run.
    epochs
        In order.
    """

    identity: str
    epochs: tuple[Epoch, ...] = ()

    def chosen(self) -> int:
        """Epoch with the best dev score, the first of ties; the last one without a dev part."""
        scored = [e for e in self.epochs if e.dev is not None]
        if not scored:
            return len(self.epochs)
        return max(scored, key=lambda e: (e.dev or 0.0, -e.epoch)).epoch

    def is_over(self, *, epochs: int, patience: int | None) -> bool:
        """Whether all epochs are done, or patience has run out since the best one."""
        done = len(self.epochs)
        is_late = patience is not None and done > 0 and done - self.chosen() >= patience
        return done >= epochs or (is_late and self.epochs[-1].dev is not None)


def read_history(folder: Path, identity: str) -> History:
    """History stored in a folder; empty if the folder belongs to another run."""
    try:
        found = json.loads((folder / _PROGRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return History(identity)
    epochs = found["epochs"] if found.get("identity") == identity else ()
    return History(identity, tuple(Epoch(**epoch) for epoch in epochs))


def keep_epoch(folder: Path, history: History, parted: Parted, optimizer: Any) -> None:
    """Save weights and optimizer state of the last epoch, and weights of the chosen one.

    The history is written last, so that every epoch in it is on disk.

    Raises
    ------
    StorageError
        If the disk refuses.
    """
    last = history.epochs[-1].epoch
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    weights = dict(parted.network.named_parameters())
    moments = {
        f"{name}/{key}": value
        for name, parameter in weights.items()
        for key, value in optimizer.state.get(parameter, {}).items()
    }
    _save(_file(folder, "weights", last), weights)
    _save(_file(folder, "moments", last), moments)
    write_text(folder / _PROGRESS, canonical_json(asdict(history)))
    kept = {last, history.chosen()}
    _remove(p for p in folder.glob("weights-*.safetensors") if _number(p) not in kept)
    _remove(p for p in folder.glob("moments-*.safetensors") if _number(p) != last)


def restore_last(folder: Path, history: History, parted: Parted, optimizer: Any) -> None:
    """Restore weights and optimizer state of the last epoch, in place."""
    import torch
    from safetensors.torch import load_file

    last = history.epochs[-1].epoch
    restore_weights(folder, last, parted)
    moments = load_file(_file(folder, "moments", last))
    for name, parameter in parted.network.named_parameters():
        if f"{name}/step" in moments:  # a weight that no text needed has none
            device = parameter.device
            optimizer.state[parameter] = {
                key: moments[f"{name}/{key}"].to(device=device, dtype=torch.float32)
                for key in ("step", "exp_avg", "exp_avg_sq")
            }


def restore_weights(folder: Path, epoch: int, parted: Parted) -> None:
    """Restore the weights of an epoch, in place."""
    import torch
    from safetensors.torch import load_file

    weights = load_file(_file(folder, "weights", epoch))
    with torch.no_grad():
        for name, parameter in parted.network.named_parameters():
            parameter.copy_(weights[name])


def _save(path: Path, tensors: dict[str, Any]) -> None:
    from safetensors.torch import save_file

    plain = {name: t.detach().cpu().contiguous() for name, t in tensors.items()}
    write_atomically(path, lambda temporary: save_file(plain, temporary))


def _file(folder: Path, what: str, epoch: int) -> Path:
    return folder / f"{what}-{epoch}.safetensors"


def _number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink()


def _card_of(record: Mapping[str, Any]) -> str:
    """Model card in Markdown, from ``training.json``."""
    base, data, recipe = record["base"], record["data"], record["recipe"]
    who = ", ".join(f"{name} {value}" for name, value in record["factors"].items())
    held_out, chance = [], []
    if "held_out" in data:
        n = data["held_out"]["n"]
        held_out = [f"| held out | {n:,} texts, which `competence.json` scores |"]
    if record["dev_chance"] is not None:
        chance = [f"Without skill: {record['dev_chance']:.4f}.", ""]
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
        f"| task | {': '.join(filter(None, (record['task'], ', '.join(record['labels']))))} |",
        f"| trained on | {data['train']['n']:,} texts of `{data['train']['source']}` |",
        f"| chosen on | {data['dev']['n']:,} texts, `{data['dev']['source']}` |",
        *held_out,
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
        *chance,
        "The dev score chose the epoch, so it is too good by a little: report scores on other "
        "data. Hashes of the training texts (letters and numbers) are in `training_hashes.npy`.",
        *(f"\nNote: {note}" for note in data["notes"]),
        "",
        "The license is that of the base and of the data.",
    ]
    return "\n".join(lines) + "\n"


def _epoch_line(epoch: Mapping[str, Any]) -> str:
    dev = "–" if epoch["dev"] is None else f"{epoch['dev']:.4f}"
    return f"| {epoch['epoch']} | {epoch['loss']:.4f} | {dev} | {epoch['changed']:,} |"


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, (list, tuple)) else str(value)


def write_checkpoint(
    parted: Parted, record: Mapping[str, Any], competence: Mapping[str, Any] | None, made: Path
) -> None:
    """Write network, tokenizer and model card into a folder.

    Parameters
    ----------
    parted
        Network and tokenizer.
    record
        Content of ``training.json``.
    competence
        Score on held-out examples, for claims that presuppose skill.
    made
        The folder.
    """
    with quiet():
        parted.network.save_pretrained(made)
        parted.tokenizer.save_pretrained(made)
    write_text(made / "README.md", _card_of(record))
    if competence is not None:
        write_text(made / COMPETENCE, json.dumps(competence, indent=1) + "\n")


def library_versions() -> dict[str, str]:
    """Versions of the libraries that fine-tuned weights can depend on."""
    return {name: version(name) for name in ("scrutiny", "torch", "transformers", "tokenizers")}
