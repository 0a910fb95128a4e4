"""Checks before a command begins: names, strings of models, files for output.

A mistyped model is answered at once, wherever it stands: behind ``--model`` and ``--reference``, or
in a plan. Flags that a plan would pass over are refused.
"""

import errno
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

import click

from scrutiny.core.errors import PlanError
from scrutiny.core.registry import registry
from scrutiny.models.strings.model_families import must_lead_somewhere
from scrutiny.store.files import is_of_a_run

_PLANS: Final = (".toml", ".json", ".yaml", ".yml")
#: What a name of a model gets where two strings have the same name.
_NUMBERED: Final = re.compile(r" \(\d+\)$")
#: Flags by name, which a plan has its own of.
_OF_PLANS: Final = {
    "models": "--model",
    "data": "--data",
    "suites": "--suite",
    "task": "--task",
    "params": "-P",
    "transformations": "--with",
}


def is_plan(what: str) -> bool:
    """Whether what a command is to run is the file of a plan, not a diagnostic's name."""
    return what.endswith(_PLANS) or Path(what).is_file()


def must_be_diagnostics(names: Iterable[str]) -> None:
    """Refuse a mistyped diagnostic, before anything heavy is imported.

    Raises
    ------
    UnknownNameError
        For the first; near names are in the message.
    """
    for name in names:
        registry().resolve("diagnostic", name)


def must_lead(flags: Mapping[str, Any], plan: Path | None, *, has_reference: bool = False) -> None:
    """Refuse models that are not there, and flags beside a plan that it would pass over.

    Parameters
    ----------
    flags
        Of the command.
    plan
        The plan that it names, or nothing.
    has_reference
        Whether the plan says what its references are, so that another is none of it.

    Raises
    ------
    ScrutinyError
        For the first.
    """
    names = {text.partition("#")[0] for text in flags.get("models", ())}
    if plan is not None:
        own = {**_OF_PLANS, **({"reference": "--reference"} if has_reference else {})}
        beside = [flag for name, flag in own.items() if flags.get(name)]
        if beside:
            raise PlanError(
                f"{str(plan)!r} is a plan with its own models, data and parameters, so {beside[0]} "
                "would be passed over: write it into the plan, or leave it out."
            )
        # names and strings of the models of a plan, every one of which leads somewhere
        from scrutiny.run.planning.plan_file import read_plan

        whole = read_plan(plan)
        for model in whole.models:
            must_lead_somewhere(model.source, random=model.random, seeds=model.seeds)
        trained = (node.name for node in whole.train)
        names = {*trained, *(text for model in whole.models for text in (model.name, model.source))}
    reference = flags.get("reference") or ""
    asked = {*names, *flags.get("models", ())}  # a reference may be one that is asked anyway
    if reference and not asked & {reference, _NUMBERED.sub("", reference)}:
        must_lead_somewhere(reference)


class OutputFile(click.Path):
    """Path of a file that is written at the end."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Path of a name.

        Raises
        ------
        click.BadParameter
            If no file can be written there.
        """
        wrong = what_is_wrong(str(value))
        if wrong:
            self.fail(wrong, param, ctx)
        return super().convert(value, param, ctx)


def what_is_wrong(name: str) -> str:
    """Reason why a file cannot be written, as far as known in advance; empty if it can.

    Examples
    --------
    >>> what_is_wrong(" ")
    'the name is empty; name a file.'
    """
    path = Path(name)
    if not name.strip():
        return "the name is empty; name a file."
    if path.is_dir() or name.endswith(os.sep):
        return f"{name!r} is a folder: name a file, such as {path / 'out'}."
    if path.is_symlink() and _is_a_circle(path):
        return f"{name!r} is a link that leads to itself."
    file = next((parent for parent in path.parents if parent.is_file()), None)
    if file is not None:
        return f"{str(file)!r} is a file, and cannot hold {path.name!r}."
    if is_of_a_run(path):
        return f"{name!r} is a file of the run in that folder; name another one."
    if path.exists() and not path.is_file():
        return ""  # a device
    there = next(parent for parent in path.absolute().parents if parent.is_dir())
    try:
        with TemporaryFile(dir=there):
            return ""
    except OSError as error:
        return f"nothing can be written to {str(there)!r}: {error.strerror}."


def must_be_beside(path: Path | None, out: Path | None) -> None:
    """Refuse a page that would overwrite a run's folder, or one of its files.

    Raises
    ------
    PlanError
        If it would.
    """
    if path is None or out is None:
        return
    if path.absolute() == out.absolute():
        raise PlanError(f"--html {str(path)!r} is the run folder: name a file, such as {out}.html.")
    if path.parent.absolute() == out.absolute() and is_of_a_run(path, is_run=True):
        raise PlanError(f"--html {str(path)!r} is a file of the run; name another one.")


def _is_a_circle(path: Path) -> bool:
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False
