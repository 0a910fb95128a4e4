"""Split study: the same trainings on many splits, as a plan, and the names its page goes by."""

from collections.abc import Mapping, Sequence
from typing import Final

#: Split that results were published on, or the file as it stands; the others are drawn.
STANDARD: Final = "split-0"
_ON: Final = "-on-"


def split_name(number: int | str) -> str:
    """Name of the test part of a split in the plan, and of its folder."""
    return f"split-{number}"


def trained_on(system: str, split: str) -> str:
    """Name of a system that was trained on a split.

    Examples
    --------
    >>> trained_on("linear", "split-3"), system_of("linear-on-split-3", "split-3")
    ('linear-on-split-3', 'linear')
    """
    return f"{system}{_ON}{split}"


def system_of(subject: str, split: str) -> str:
    """System that was trained on a split, by the name of its model; empty for another model."""
    name, on, trained = subject.rpartition(_ON)
    return name if on and trained == split else ""


def study_plan(splits: Sequence[Mapping[str, str]], systems: Sequence[str], *, seed: int) -> str:
    """Plan (TOML) that trains each system once on each split, and measures it on the test part.

    Parameters
    ----------
    splits
        Data strings of the parts of each split, by name; the first is the standard one.
    systems
        Trainers by name. A system with other parameters is another node of the same form.
    seed
        Of each training.
    """
    lines = [
        "# A split study: each system is trained on each split and measured on its test part.",
        "# split-0 is the standard split. Models are called SYSTEM-on-SPLIT: the page goes by it.",
        f"seed = {seed}",
        "",
    ]
    for number, strings in enumerate(splits):
        name = split_name(number)
        lines += [f"[data.{name}]", f"source = {_quoted(strings['test'])}", ""]
        for system in systems:
            lines += [
                "[[train]]",
                f"name = {_quoted(trained_on(system, name))}",
                f"trainer = {_quoted(system)}",
                f"data = {_quoted(strings['train'])}",
                *([f"dev = {_quoted(strings['dev'])}"] if "dev" in strings else []),
                f"seeds = [{seed + 1}]",
                "",
            ]
        models = ", ".join(_quoted(trained_on(system, name)) for system in systems)
        lines += [
            "[[measure]]",
            f'id = "level-{number}"',
            'diagnostic = "performance"',
            f"models = [{models}]",
            f"data = [{_quoted(name)}]",
            "",
        ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """String of TOML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
