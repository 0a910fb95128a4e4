"""What checkpoints' own records say of the data that trained and chose them."""

import json
from collections.abc import Iterator

from scrutiny.models.lineage import FILE, checkpoint_folder
from scrutiny.run.resolved import Resolved


def chosen_by(resolved: Resolved) -> Iterator[str]:
    """A sentence for each family that was trained on, or chosen by, data that it is measured on."""
    for family, name in resolved.pairings:
        fingerprint = resolved.datasets[name].fingerprint
        members = resolved.families[family].replicates
        count = sum(fingerprint in _fingerprints(member.source) for member in members)
        if count:
            yield (
                f"{count} of {len(members)} replicates of {family} were trained on {name}, or "
                "their epoch was chosen by it: their scores on it are too good to be reported."
            )


def _fingerprints(source: str) -> list[str]:
    """Fingerprints of the data that a checkpoint's record names."""
    folder = checkpoint_folder(source)
    if folder is None:
        return []
    try:
        record = json.loads((folder / FILE).read_text(encoding="utf-8"))
        found = record["data"]["fingerprints"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return found if isinstance(found, list) else []
