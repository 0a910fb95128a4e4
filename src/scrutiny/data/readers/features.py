"""Features of a data set as `datasets` writes them: names of numbered classes, by column."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json

#: Files that state them beside files of rows; a folder of several configurations has neither.
_FILES: Final = ("dataset_info.json", "features.json")


def feature_names(features: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Names of classes by column, from a description of features as plain dicts.

    Examples
    --------
    >>> feature_names({"label": {"_type": "ClassLabel", "names": ["no", "yes"]}})
    {'label': ('no', 'yes')}
    """
    return {
        column: tuple(map(str, names)) for column, f in features.items() if (names := _names(f))
    }


def _names(feature: Any) -> list[Any]:
    """Class names of a feature, or of a list of it: ``{"feature": {…}}``, formerly ``[{…}]``."""
    if isinstance(feature, list):
        return _names(feature[0]) if feature else []
    if not isinstance(feature, Mapping):
        return []
    return list(feature.get("names") or _names(feature.get("feature")))


def names_beside(path: Path) -> dict[str, tuple[str, ...]]:
    """Names of classes by column, from the description beside a file of rows; empty without one."""
    for name in _FILES:
        beside = path.with_name(name)
        if beside == path or not beside.is_file():
            continue
        try:
            stated = parse_json(beside.read_bytes())
            features = stated.get("features", stated)
            return feature_names(features)
        except (OSError, ValueError, AttributeError, TypeError):
            continue
    return {}
