"""Patterns with placeholders, matched against names or paths on disk."""

import re
from collections.abc import Iterable
from glob import escape, glob
from pathlib import Path
from typing import Final

from scrutiny.models.strings.source import split_captures

_DIGITS: Final = re.compile(r"(\d+)")
_SHOWN: Final = 12


def natural_key(text: str) -> tuple[tuple[int, str, int], ...]:
    """Sort key of model strings that puts 2 before 10.

    Examples
    --------
    >>> sorted(["seed-10", "seed-2"], key=natural_key)
    ['seed-2', 'seed-10']
    """
    parts = _DIGITS.split(text)
    return tuple((0, "", int(p)) if p.isdecimal() else (1, p, 0) for p in parts if p)


def _as_regex(pattern: str) -> re.Pattern[str]:
    """Regular expression of a pattern; placeholders match no slash, repeated ones match alike."""
    pieces = []
    seen: set[str] = set()
    for index, part in enumerate(split_captures(pattern)):
        if index % 2 == 0:
            pieces.append(re.escape(part))
        elif part in seen:
            pieces.append(f"(?P={part})")
        else:
            seen.add(part)
            pieces.append(f"(?P<{part}>[^/]+)")
    return re.compile("".join(pieces))


def match_names(pattern: str, names: Iterable[str]) -> list[dict[str, str]]:
    """Values of the placeholders in each matching name, in natural order."""
    regex = _as_regex(pattern)
    matches = (regex.fullmatch(name) for name in names)
    found = [match.groupdict() for match in matches if match]
    return sorted(found, key=lambda values: [natural_key(values[n]) for n in regex.groupindex])


def match_paths(pattern: str, *, is_folder: bool | None = None) -> list[dict[str, str]]:
    """Values of the placeholders in each matching path on disk, in natural order.

    ``is_folder`` keeps folders only, files only, or both.
    """
    expanded = str(Path(pattern).expanduser()) if pattern.startswith("~") else pattern
    parts = split_captures(expanded)
    wild = "".join("*" if i % 2 else escape(part) for i, part in enumerate(parts))
    found = glob(wild)  # noqa: PTH207 - keeps "./", which pathlib drops
    return match_names(
        expanded, (p for p in found if is_folder is None or Path(p).is_dir() == is_folder)
    )


def describe_place(pattern: str) -> str:
    """Sentence that lists what exists where the first placeholder was looked for."""
    literal = split_captures(pattern)[0].rpartition("/")[0] or "."
    folder = Path(literal).expanduser()
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    names = sorted((p.name for p in folder.iterdir()), key=natural_key)
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return f"{str(folder)!r} holds: {shown}." if names else f"{str(folder)!r} is empty."
