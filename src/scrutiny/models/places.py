"""Where models are kept that were made here: beside the cache of answers."""

import os
from pathlib import Path


def models_folder() -> Path:
    """Folder of converted and fine-tuned models, in ``SCRUTINY_CACHE_DIR`` or the user's cache."""
    given = os.environ.get("SCRUTINY_CACHE_DIR")
    if given:
        return Path(given).expanduser() / "models"
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "scrutiny" / "models"
