"""Which checkpoints are below the gates of their own competence records."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from scrutiny.core.model import Family
from scrutiny.models.strings.competence import read_competence
from scrutiny.models.strings.lineage import checkpoint_folder


def refusal(family: Family, within: Mapping[str, str], gates: Collection[str]) -> str:
    """Why claims about these replicates are refused whatever the numbers say, or an empty text.

    Parameters
    ----------
    family
        The models.
    within
        Condition of the replicates that are meant.
    gates
        Names of the gates that a diagnostic presupposes; others may be failed.
    """
    below: dict[str, list[str]] = {}
    for replicate in family.replicates:
        if replicate.condition == within:
            for name, passed in _gates(replicate.source).items():
                if name in gates and not passed:
                    below.setdefault(name, []).append(replicate.key or replicate.source)
    return "; ".join(
        f"below the gate {name!r} of the competence record: {', '.join(who)}"
        for name, who in below.items()
    )


def on_record(family: Family, within: Mapping[str, str], gates: Collection[str]) -> tuple[str, ...]:
    """Gates that the records of all these replicates speak of, in the order given."""
    records = [_gates(r.source) for r in family.replicates if r.condition == within]
    return tuple(name for name in gates if records and all(name in each for each in records))


@lru_cache(maxsize=256)
def _gates(source: str) -> Mapping[str, Any]:
    """Gates of a checkpoint's record; none where it has no record, or is no checkpoint."""
    folder = checkpoint_folder(source)
    record = None if folder is None else read_competence(folder)
    return {} if record is None else dict(record["gates"])
