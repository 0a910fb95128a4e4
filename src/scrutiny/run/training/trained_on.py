"""What checkpoints' own records say of the data that trained and chose them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scrutiny.data.held_out import COLUMN
from scrutiny.models.strings.lineage import FILE, checkpoint_folder
from scrutiny.run.planning.resolved import Resolved


def chosen_by(resolved: Resolved) -> Iterator[str]:
    """A sentence for each family that was trained on, or chosen by, data that it is measured on."""
    for family, name in resolved.pairings:
        dataset = resolved.datasets[name]
        members = resolved.families[family].replicates
        known = [_data_of(member.source) for member in members]
        trained = [data for data in known if dataset.fingerprint in _fingerprints(data)]
        if not trained:
            continue
        who = f"{len(trained)} of {len(members)} replicates of {family}"
        if resolved.tasks[name].scored_by is None and "held_out" in trained[0]:
            yield _probed(who, name, len(dataset), trained[0])
        else:
            yield (
                f"{who} were trained on {name}, or their epoch was chosen by it: their scores on "
                "it are too good to be reported."
            )


def _probed(who: str, name: str, n_items: int, data: Mapping[str, Any]) -> str:
    """Sentence about a probe of annotations that trained the models which are probed."""
    counts = {part: data.get(part, {}).get("n", 0) for part in ("train", "dev", "held_out")}
    return (
        f"{who} were trained on {counts['train']:,} of the {n_items:,} items of {name}, and their "
        f"epoch was chosen by {counts['dev']:,}; {counts['held_out']:,} were held out "
        f"({COLUMN} = yes). What is probed on all of them is no score of the task: the gain on the "
        "held-out ones says what holds for sentences that were not trained on."
    )


def _data_of(source: str) -> Mapping[str, Any]:
    """What a checkpoint's record says of the data that trained it."""
    folder = checkpoint_folder(source)
    if folder is None:
        return {}
    try:
        data = json.loads((folder / FILE).read_text(encoding="utf-8"))["data"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return data if isinstance(data, dict) else {}


def _fingerprints(data: Mapping[str, Any]) -> list[str]:
    """Fingerprints of the data sets that a record names."""
    found = data.get("fingerprints")
    return found if isinstance(found, list) else []
