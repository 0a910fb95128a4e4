"""Objects of the user's own code, found by name: ``module:object`` and ``./file.py:object``."""

import sys
import traceback
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import UserError


def named_object(target: str, *, said: str, error: type[UserError]) -> Any:
    """Object of ``module:object`` or ``./file.py:object``; dots access attributes.

    Parameters
    ----------
    target
        Where it is.
    said
        What its user wrote, for messages.
    error
        What is raised.

    Raises
    ------
    UserError
        If the module or the object is not there, with near names.
    """
    place, colon, path = target.rpartition(":")
    if not colon or not place or not path:
        raise error(
            f"{said!r} must name a module and an object: python:my_module:model or "
            "python:./my_model.py:model."
        )
    is_file = place.endswith(".py")
    module = _import_file(Path(place), said, error) if is_file else _import(place, said, error)
    found: Any = module
    for name in path.split("."):
        if not hasattr(found, name):
            names = sorted(n for n in dir(found) if not n.startswith("_"))
            near = get_close_matches(name, names, n=3, cutoff=0.5)
            if near:
                hint = "Did you mean " + " or ".join(repr(n) for n in near) + "?"
            else:
                hint = f"It has: {', '.join(names[:12]) or 'nothing'}."
            raise error(f"{said!r}: {place} has no {name!r}. {hint}")
        found = getattr(found, name)
    return found


def must_be_a_file(path: Path, *, said: str, error: type[UserError]) -> None:
    """Refuse a Python file that does not exist.

    Raises
    ------
    UserError
        With the Python files of the folder.
    """
    full = path.expanduser().resolve()
    if path.suffix == ".py" and not full.is_file():
        near = sorted(p.name for p in full.parent.glob("*.py")) if full.parent.is_dir() else []
        hint = f" Python files there: {', '.join(near[:12])}." if near else ""
        raise error(f"{said!r}: there is no file {str(path)!r}.{hint}")


def _import(name: str, said: str, error: type[UserError]) -> ModuleType:
    """Module of this name, also from the working folder, as with ``python -m``."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(name)
    except ModuleNotFoundError as lacking:
        own = lacking.name
        if own is None or not (name == own or name.startswith(f"{own}.")):
            raise error(
                f"{said!r}: the module {name} needs {own}, which is not installed."
            ) from lacking
        raise error(
            f"{said!r}: there is no module {own!r} in this environment or in the "
            "working folder. A file is named with its ending: python:./my_model.py:model."
        ) from lacking
    except Exception as raised:
        raise error(_does_not_import(said, raised)) from raised


def _import_file(path: Path, said: str, error: type[UserError]) -> ModuleType:
    """Module of a Python file, imported once in a process; its folder is importable from it."""
    must_be_a_file(path, said=said, error=error)
    full = path.expanduser().resolve()
    name = f"scrutiny_user_{full.stem}_{digest(str(full), size=4)}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise error(f"{said!r}: {str(path)!r} cannot be imported.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    if str(full.parent) not in sys.path:
        sys.path.insert(0, str(full.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException as raised:
        del sys.modules[name]
        if isinstance(raised, Exception):
            raise error(_does_not_import(said, raised)) from raised
        raise
    return module


def _does_not_import(said: str, error: Exception) -> str:
    """Message for a module that raises an error while it is imported, with the line."""
    if isinstance(error, SyntaxError):
        place = f"{error.filename}:{error.lineno}"
    else:
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{frames[-1].filename}:{frames[-1].lineno}"
    why = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{said!r} cannot be imported: {type(error).__name__} at {place}: {why}."
