"""Versions of what affects a run's numbers."""

import platform
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final

_PACKAGES: Final = (
    "scrutiny",
    "numpy",
    "scipy",
    "pyarrow",
    "scikit-learn",
    "rapidfuzz",
    "lemminflect",
    "torch",
    "transformers",
    "tokenizers",
    "spacy",
)


@cache
def environment() -> Mapping[str, str]:
    """Versions of Python, the platform and the packages that affect numbers."""
    found = {"python": sys.version.split()[0], "platform": platform.platform()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
