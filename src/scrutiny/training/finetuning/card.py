"""The model card of a fine-tuned checkpoint."""

from collections.abc import Mapping
from typing import Any


def card_of(record: Mapping[str, Any]) -> str:
    """Model card in Markdown, of what ``training.json`` says."""
    base, data, recipe = record["base"], record["data"], record["recipe"]
    who = ", ".join(f"{name} {value}" for name, value in record["factors"].items())
    lines = [
        f"# {record['task']} from {base['source']}, {who}",
        "",
        "Fine-tuned by `scrutiny train finetune`: one replicate of a recipe. What is said of it "
        "alone is said of this checkpoint; several seeds say something about the recipe.",
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
