"""What a run ran on: versions for the manifest and for ``doctor``."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = (
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


def environment() -> dict[str, str]:
    """Versions of Python, the platform and the packages that decide numbers."""
    found = {"python": sys.version.split()[0], "platform": platform.platform()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
