"""Digest of a Python model from its code, arrays and parameters, without pickling it.

An object of the user's own code states no fingerprint of its weights. Its code, the arrays that it
holds (NumPy, torch), those that its functions refer to, and the whole state of scikit-learn
estimators can be read; files, services and plain values of its own cannot, or change while it
answers.
"""

import ast
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from scrutiny.core.boundary.json_text import length_prefixed
from scrutiny.core.model import Model

_ESTIMATORS: Final = "sklearn"
_OURS: Final = "scrutiny"
_INSTALLED: Final = {"site-packages", "dist-packages"}
_MOST: Final = 100_000  # things looked at; what is larger is read up to here
_PLAIN: Final = (str, bytes, bool, int, float, complex, type(None))
_LISTS: Final = (list, tuple, deque)


@dataclass(frozen=True, slots=True)
class ObjectReading:
    """Result of reading an object.

    Parameters
    ----------
    digest
        Of all that was read.
    is_whole
        Whether nothing else can change an answer: an estimator of scikit-learn with its state.
    """

    digest: str
    is_whole: bool


def read_object(value: Any) -> ObjectReading:
    """Reading of an object; equal objects in two processes have equal readings."""
    reader = _ObjectReader()
    reader.read(value, is_estimator=False)
    return ObjectReading(reader.state.hexdigest(), reader.is_whole)


class _ObjectReader:
    """Walks through an object, each part once."""

    def __init__(self) -> None:
        self.state = blake2b(digest_size=16)
        self.is_whole = True
        self._seen: dict[int, Any] = {}  # the objects, too: an identity lives as long as its object
        self._modules: set[str] = set()

    def read(self, value: Any, *, is_estimator: bool) -> None:
        """Add a value; plain values count if they are the state of an estimator."""
        if isinstance(value, _PLAIN):
            if is_estimator:
                self._add(type(value).__name__, repr(value))
            return
        if id(value) in self._seen or len(self._seen) >= _MOST:
            self.is_whole &= id(value) in self._seen
            return
        self._seen[id(value)] = value
        found = _array(value)
        if found is not None:
            self._add(*found)
        elif isinstance(value, (*_LISTS, set, frozenset, Mapping)):
            self._read_container(value, is_estimator=is_estimator)
        elif isinstance(value, (FunctionType, MethodType, partial, type, ModuleType)):
            self._read_code(value, is_estimator=is_estimator)
        else:
            self._read_instance(value)

    def _add(self, *parts: str | bytes) -> None:
        self.state.update(length_prefixed(*parts))

    def _read_container(self, value: Any, *, is_estimator: bool) -> None:
        """Add the contents of a container; lengths only count for estimators."""
        if is_estimator:
            self._add(type(value).__name__, str(len(value)))
        if isinstance(value, (set, frozenset)):  # their order differs from process to process
            if is_estimator:
                self._add(*sorted(map(repr, value)))
            return
        items = list(value.items()) if isinstance(value, Mapping) else [(part,) for part in value]
        for part in chain.from_iterable(items):
            self.read(part, is_estimator=is_estimator)

    def _read_instance(self, value: Any) -> None:
        kind = type(value)
        top = _top(kind.__module__)
        is_estimator = top == _ESTIMATORS
        state = None if top in sys.stdlib_module_names else _state(value, is_estimator=is_estimator)
        if state is None or top not in {_ESTIMATORS, _OURS}:
            self.is_whole = False
        for base in kind.__mro__:
            self._read_code(base, is_estimator=is_estimator)
        for name, part in state or ():
            if is_estimator:
                self._add(name)
            self.read(part, is_estimator=is_estimator)

    def _read_code(self, value: Any, *, is_estimator: bool) -> None:
        """Add a function, a class or a module; installed ones by name."""
        if isinstance(value, partial):
            for part in (value.func, value.args, value.keywords):
                self.read(part, is_estimator=is_estimator)
            return
        if isinstance(value, MethodType):
            self.read(value.__self__, is_estimator=False)
            value = value.__func__
        module = value.__name__ if isinstance(value, ModuleType) else value.__module__
        is_own = _is_own_code(module)
        if is_own or is_estimator:
            self._add("code", module or "", getattr(value, "__qualname__", ""))
        if is_own:
            self.is_whole = False
            self._read_file(module)
            for function in _functions(value):
                names = list(self._read_names(function.__code__))
                for cell in function.__closure__ or ():
                    try:
                        self.read(cell.cell_contents, is_estimator=False)
                    except ValueError:  # an empty cell: a name that is not yet bound
                        continue
                for name in names:
                    if name in function.__globals__:
                        self.read(function.__globals__[name], is_estimator=False)

    def _read_file(self, name: str) -> None:
        """Add the source of a module, without its comments and blank lines."""
        path = getattr(sys.modules.get(name), "__file__", None)
        if name in self._modules or path is None:
            return
        self._modules.add(name)
        try:
            self._add("file", _meaning(Path(path).read_bytes()))
        except (OSError, SyntaxError, ValueError, RecursionError):
            return  # the code itself is taken in

    def _read_names(self, code: CodeType) -> Iterator[str]:
        """Add code; return the names that it uses."""
        self._add("function", code.co_name, code.co_code)
        yield from code.co_names
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._read_names(constant)
            elif isinstance(constant, frozenset):
                self._add(*sorted(map(repr, constant)))
            else:
                self._add(repr(constant))


@lru_cache(maxsize=16)
def _meaning(source: bytes) -> str:
    """Code without its comments and blank lines; all models of one file have it read once."""
    return ast.dump(ast.parse(source))


def _array(value: Any) -> tuple[str, str, bytes] | None:
    """Type, shape and bytes of an array of numbers; `None` for anything else."""
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.hasobject:
            return None
        return value.dtype.str, str(value.shape), value.tobytes()
    if _top(type(value).__module__) == "torch" and hasattr(value, "untyped_storage"):
        flat = value.detach().cpu().contiguous().reshape(-1)
        data = flat.view(sys.modules["torch"].uint8).numpy().tobytes()
        return str(value.dtype), str(tuple(value.shape)), data
    return None


def _state(value: Any, *, is_estimator: bool) -> list[tuple[str, Any]] | None:
    """Attributes of an object by name, or `None` if they cannot be read."""
    found = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in {"__dict__", "__weakref__"} and hasattr(value, name):
                found.setdefault(name, getattr(value, name))
    if not found and is_estimator:  # trees are compiled: they hand out arrays
        made = value.__getstate__() if hasattr(value, "__getstate__") else None
        return list(made.items()) if isinstance(made, dict) else None
    has_attributes = hasattr(value, "__dict__") or bool(found)
    return sorted(found.items()) if has_attributes else None


def _functions(value: Any) -> Iterator[FunctionType]:
    """Functions of a class, or the function itself; none for a module."""
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, type):
        for part in vars(value).values():
            for made in (part, getattr(part, "__func__", None), getattr(part, "fget", None)):
                if isinstance(made, FunctionType):
                    yield made


def _top(module: str | None) -> str:
    """Package of a module."""
    return (module or "").partition(".")[0]


def _is_own_code(module: str | None) -> bool:
    """Whether a module is the user's own: not Python's, not installed, not ours."""
    if not module or _top(module) in {*sys.stdlib_module_names, _OURS}:
        return False
    if module == "__main__":
        return True
    path = getattr(sys.modules.get(module), "__file__", None)
    return path is not None and not _INSTALLED & set(Path(path).parts)


def reading_of(model: Model) -> ObjectReading | None:
    """Object inspection of a model without a fingerprint; ``None`` if it has one."""
    return None if model.fingerprint() is not None else read_object(model)
