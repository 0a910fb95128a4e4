"""Of what a family's members are replicates: of pre-training, or of something cheaper."""

import json
from pathlib import Path
from typing import Final

from scrutiny.core.errors import ModelError
from scrutiny.models.adapters import as_checkpoint
from scrutiny.models.source import UNTRAINED, parse

#: File beside the weights; its key ``replicates_of`` is read here.
FILE: Final = "training.json"
KEY: Final = "replicates_of"
FINE_TUNING: Final = "fine-tuning"
INITIALIZATION: Final = "initialization"


def replicates_of(text: str) -> str | None:
    """What differs between the replicates of a recipe that this model is one of.

    ``pre-training``: everything from the first weight on. ``fine-tuning``: they share one
    pre-trained network, so their spread says nothing of how far another one would differ.
    ``initialization``: nothing was trained. Nothing where no record says it.

    Parameters
    ----------
    text
        A complete model string.

    Raises
    ------
    ModelError
        If the model is not there, or its ``training.json`` does not read.
    """
    source = parse(text)
    if source.scheme == UNTRAINED:
        return INITIALIZATION
    checkpoint = as_checkpoint(source)
    path = Path(checkpoint.target).expanduser() / FILE if checkpoint else None
    if path is None or not path.is_file():
        return None
    try:
        stated = json.loads(path.read_text(encoding="utf-8")).get(KEY)
    except (ValueError, AttributeError) as error:
        raise ModelError(f"{str(path)!r} does not read: {error}.") from error
    return str(stated) if stated is not None else None
