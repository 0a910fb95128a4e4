"""Importing the object that a ``python:`` string names."""

import sys
import traceback
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from scrutiny.core.boundary.canonical import digest
from scrutiny.core.errors import ModelError
from scrutiny.models.strings.source import ModelSource

_PICKLES: Final = {".joblib", ".pkl", ".pickle", ".pt", ".pth"}


def find_object(source: ModelSource) -> Any:
    """Object of ``module:object`` or ``./file.py:object``; dots access attributes.

    Raises
    ------
    ModelError
        If the module or the object is not there, with near names.
    """
    place, colon, path = source.target.rpartition(":")
    if Path(source.target).suffix in _PICKLES or Path(place).suffix in _PICKLES:
        raise ModelError(
            f"{source.text!r} is a pickle, which scrutiny never loads: unpickling runs whatever "
            "code is in it. Load it yourself in a Python file and name the object: "
            "python:./my_model.py:model."
        )
    if not colon or not place or not path:
        raise ModelError(
            f"{source.text!r} must name a module and an object: python:my_module:model or "
            "python:./my_model.py:model."
        )
    module = _import_file(Path(place), source) if place.endswith(".py") else _import(place, source)
    found: Any = module
    for name in path.split("."):
        if not hasattr(found, name):
            raise ModelError(_no_such_name(found, name, place, source))
        found = getattr(found, name)
    return found


def file_must_be_there(source: ModelSource) -> None:
    """Refuse an object of the user's in a Python file that does not exist.

    Raises
    ------
    ModelError
        With the Python files of the folder.
    """
    path = Path(source.target.rpartition(":")[0])
    full = path.expanduser().resolve()
    if path.suffix == ".py" and not full.is_file():
        near = sorted(p.name for p in full.parent.glob("*.py")) if full.parent.is_dir() else []
        hint = f" Python files there: {', '.join(near[:12])}." if near else ""
        raise ModelError(f"{source.text!r}: there is no file {str(path)!r}.{hint}")


def _import(name: str, source: ModelSource) -> ModuleType:
    """Module of this name, also from the working folder, as with ``python -m``."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise ModelError(
                f"{source.text!r}: the module {name} needs {error.name}, which is not installed."
            ) from error
        raise ModelError(
            f"{source.text!r}: there is no module {error.name!r} in this environment or in the "
            "working folder. A file is named with its ending: python:./my_model.py:model."
        ) from error
    except Exception as error:
        raise ModelError(_does_not_import(source, error)) from error


def _import_file(path: Path, source: ModelSource) -> ModuleType:
    """Module of a Python file, imported once in a process; its folder is importable from it."""
    file_must_be_there(source)
    full = path.expanduser().resolve()
    name = f"scrutiny_user_{full.stem}_{digest(str(full), size=4)}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise ModelError(f"{source.text!r}: {str(path)!r} cannot be imported.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    if str(full.parent) not in sys.path:
        sys.path.insert(0, str(full.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, Exception):
            raise ModelError(_does_not_import(source, error)) from error
        raise
    return module


def _does_not_import(source: ModelSource, error: Exception) -> str:
    """Message for a module that raises an error while it is imported, with the line."""
    if isinstance(error, SyntaxError):
        place = f"{error.filename}:{error.lineno}"
    else:
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{frames[-1].filename}:{frames[-1].lineno}"
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{source.text!r} cannot be imported: {type(error).__name__} at {place}: {said}."


def _no_such_name(found: Any, name: str, place: str, source: ModelSource) -> str:
    """Message for an attribute that does not exist."""
    names = sorted(n for n in dir(found) if not n.startswith("_"))
    near = get_close_matches(name, names, n=3, cutoff=0.5)
    if near:
        hint = "Did you mean " + " or ".join(repr(n) for n in near) + "?"
    else:
        hint = f"It has: {', '.join(names[:12]) or 'nothing'}."
    return f"{source.text!r}: {place} has no {name!r}. {hint}"
