"""Families: one string with placeholders that names all replicates of a recipe.

A pattern is matched against the names that an adapter knows, or against paths on disk.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from glob import escape, glob
from pathlib import Path
from typing import Final

from scrutiny.core.errors import ModelError
from scrutiny.core.model import Family, Replicate
from scrutiny.models.strings.adapters import adapter, known_targets
from scrutiny.models.strings.model_strings import (
    UNTRAINED,
    ModelSource,
    captures,
    fill_captures,
    parse,
    split_captures,
)

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


def match_names(pattern: str, names: Iterable[str]) -> list[dict[str, str]]:
    """Values of the placeholders in each matching name, in natural order."""
    # Regular expression of a pattern; placeholders match no slash, repeated ones match alike.
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
    regex = re.compile("".join(pieces))
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


_LOCAL: Final = ("./", "../", "/", "~")
_IS_FOLDER: Final = {"hf": True, "python": False, "predictions": False}


def expand(
    source: str,
    *,
    random: Sequence[str] = (),
    name: str,
    role: str = "measured",
    seeds: Sequence[int | str] = (),
) -> Family:
    """Family of all models that a string with placeholders names, in natural order.

    Parameters
    ----------
    source
        ``hf:./runs/seed-{seed}/step-{step}``: each capture is looked for on the disk, or among
        the names that the adapter knows, or filled from ``seeds``. Without captures it is a
        single model with no factors, unless the adapter knows replicates of it
        (``builtin:sentiment``) or ``seeds`` are given, which are then passed on as ``#seed=``.
        ``untrained:`` of a family is of its first member's architecture, with as many seeds.
    random
        Captures that make replicates of one recipe; the others are conditions. A lone ``{seed}``
        is random without being named.
    name, role
        Of the family.
    seeds
        Values of ``{seed}`` to keep, or to fill_captures in where nothing can be looked up.

    Raises
    ------
    ModelError
        If nothing matches (what is there is listed), or a random factor is no capture.
    """
    given = tuple(str(seed) for seed in seeds)
    parsed, given = _of_one_architecture(parse(source), given)
    pattern = _with_implied_seed(parsed, given)
    names = captures(pattern)
    chosen = _random_factors(source, names, tuple(random))
    replicates = tuple(
        Replicate(
            source=fill_captures(pattern, found),
            random={n: found[n] for n in names if n in chosen},
            condition={n: found[n] for n in names if n not in chosen},
        )
        for found in _assignments(parsed, pattern, given)
    )
    return Family(name=name, source=source, replicates=replicates, role=role)


def must_lead_somewhere(
    source: str, *, random: Sequence[str] = (), seeds: Sequence[int | str] = ()
) -> None:
    """Refuse a model string that names no model, before anything heavy is imported.

    ``random`` and ``seeds`` are those of `expand`.

    Raises
    ------
    ModelError, UnknownNameError
        As `expand` does, or where a target is not there.
    """
    for replicate in expand(source, random=random, name=source, seeds=seeds).replicates:
        parsed = parse(replicate.source)
        adapter(parsed.scheme).must_be_there(parsed)


def _of_one_architecture(
    parsed: ModelSource, seeds: tuple[str, ...]
) -> tuple[ModelSource, tuple[str, ...]]:
    """``untrained:`` of a family: the first member's architecture, with the family's seeds.

    All members have one architecture, and what their captures tell apart is in the weights.
    """
    if parsed.scheme != UNTRAINED:
        return parsed, seeds
    is_on_hub = captures(parsed.target) == ("seed",) and members(parse(parsed.target))[0] is None
    inner = expand(parsed.target, name="trained", seeds=seeds if is_on_hub else ()).replicates
    factors = [{**member.condition, **member.random} for member in inner]
    own = dict.fromkeys(found["seed"] for found in factors if "seed" in found)
    _, hash_, tail = parsed.text.partition("#")
    return parse(f"{UNTRAINED}:{inner[0].source}{hash_}{tail}"), seeds or tuple(own)


def _with_implied_seed(parsed: ModelSource, seeds: tuple[str, ...]) -> str:
    """Model string with the ``{seed}`` that a bare family name or given seeds imply."""
    text = parsed.text
    if captures(text):
        return text
    head, hash_, tail = text.partition("#")
    if match_names(f"{parsed.target}/seed-{{seed}}", known_targets(parsed.scheme)):
        return f"{head}/seed-{{seed}}{hash_}{tail}"
    if seeds:
        return f"{head}#{tail}{',' if tail else ''}seed={{seed}}"
    return text


def _random_factors(source: str, names: tuple[str, ...], random: tuple[str, ...]) -> set[str]:
    """Placeholders that are random factors, checked."""
    if not random:
        return {"seed"} if names == ("seed",) else set()
    unknown = [n for n in random if n not in names]
    if unknown:
        there = ", ".join("{" + n + "}" for n in names) or "none"
        raise ModelError(
            f"random names {unknown[0]!r}, which is no capture of {source!r}. Captures: {there}."
        )
    return set(random)


def _assignments(
    parsed: ModelSource, pattern: str, seeds: tuple[str, ...]
) -> list[Mapping[str, str]]:
    """Values of the placeholders for each member of the family."""
    names = captures(pattern)
    if not names:
        return [{}]
    if seeds and "seed" not in names:
        raise ModelError(f"seeds were given, but {parsed.text!r} has no capture {{seed}}.")
    found, place = members(parse(pattern))
    if found is None:
        if not seeds or names != ("seed",):
            raise ModelError(
                f"{parsed.text!r} is no path on this disk, so its captures cannot be looked up. "
                "Write it with ./ in front if it is one; else use {seed} alone and give seeds."
            )
        return [{"seed": seed} for seed in seeds]
    if not found:
        raise ModelError(f"Nothing matches {parsed.text!r}. {place}")
    shown = f"{parsed.text!r}"
    if not seeds:
        return list(found)
    there = {match["seed"] for match in found}
    missing = [seed for seed in seeds if seed not in there]
    if missing:
        raise ModelError(f"{shown} has no seed {', '.join(missing)}. {place}")
    return [match for match in found if match["seed"] in seeds]


def members(source: ModelSource) -> tuple[list[dict[str, str]] | None, str]:
    """Models that match a model string with placeholders, or `None` if there is no place to look.

    Each match has the values of the placeholders; the sentence beside them says what exists there.

    Raises
    ------
    UserError
        If the place cannot be looked into.
    """
    names = captures(source.text)
    listed = adapter(source.scheme).matches(source) if names else None
    if listed is not None:
        return listed
    known = known_targets(source.scheme)
    if known:
        return match_names(source.target, known), f"There are: {', '.join(known)}."
    path = _path_part(source)
    if captures(path) != names or not _is_local(path):
        return None, ""
    return match_paths(path, is_folder=_IS_FOLDER.get(source.scheme)), describe_place(path)


def _path_part(source: ModelSource) -> str:
    """The part of a target that can be a path; in ``python:`` an object follows it."""
    if source.scheme == "python":
        path, _, _ = source.target.rpartition(":")
        return path if path.endswith(".py") else ""
    return source.target


def _is_local(path: str) -> bool:
    """Whether a path is local: it says so, or its first folder exists."""
    first = path.partition("{")[0].rpartition("/")[0]
    has_file_ending = Path(path).suffix in {".py", ".jsonl", ".csv", ".parquet"}
    return path.startswith(_LOCAL) or has_file_ending or bool(first and Path(first).is_dir())
