"""Cache folders: answers, and models that were trained or converted here."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Cache folder of all runs: ``SCRUTINY_CACHE_DIR``, or the user's cache folder."""
    given = os.environ.get("SCRUTINY_CACHE_DIR")
    if given:
        return Path(given).expanduser()
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "scrutiny"


def cache_file() -> Path:
    """Answer cache: file with the answers of models."""
    return cache_folder() / "answers.sqlite"


def models_folder() -> Path:
    """Cache folder of converted, fine-tuned and trained models."""
    return cache_folder() / "models"
