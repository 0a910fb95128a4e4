"""Syntax of recipes, ``contraction+typos@1(share=0.2,mode=swap)``, and the values of parameters.

::

    recipe  step ("+" step)*
    step    name ["@" version] ["(" [key "=" value ("," key "=" value)*] ")"]
    value   none | true | false | number | bare word | quoted text | value ("|" value)+

A quoted text stands in double quotes, as in JSON, or in single ones.

A value that no table has would change nothing and say nothing; it is refused with what is allowed.
Choices are those of a ``Literal``, and what a transformation names itself: its class attribute
``allowed`` maps a parameter to the values that its tables have.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import inf
from types import NoneType, UnionType
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from scrutiny.core.boundary.given import refuse_odd_values
from scrutiny.core.boundary.parameters import Value, known
from scrutiny.core.errors import PlanError
from scrutiny.core.transformation import Transformation

_NAME = re.compile(r"[A-Za-z_][\w.-]*(?:@(?:py-[0-9a-f]+|\d+))?")
_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_LONGEST = 300
_BARE = re.compile(r"[^\s\"(),+|=]+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"' "|" r"'(?:[^'\\]|\\.)*'")
_WORDS: Mapping[str, Value] = {"none": None, "true": True, "false": False}


class Written(NamedTuple):
    """A step as written: a name and its parameters."""

    name: str
    parameters: dict[str, Value]


def read_recipe(text: str, *, words: Collection[str] = ()) -> list[Written]:
    """Steps of a written recipe.

    Parameters
    ----------
    text
        The recipe.
    words
        Names of parameters whose values are texts, also where they look like numbers: labels.

    Raises
    ------
    PlanError
        With the place where it stops to read.

    Examples
    --------
    >>> read_recipe("contraction + typos(share=0.2)")
    [Written(name='contraction', parameters={}), Written(name='typos', parameters={'share': 0.2})]
    >>> read_recipe("is(label=01)", words=("label",))
    [Written(name='is', parameters={'label': '01'})]
    """
    steps: list[Written] = []
    place = 0
    while True:
        step, place = _read_step(text, _skip_space(text, place), words)
        steps.append(step)
        place = _skip_space(text, place)
        if place == len(text):
            return steps
        if text[place] != "+":
            raise _unreadable(text, place, "'+' between steps, or the end")
        place += 1


def _read_step(text: str, place: int, words: Collection[str]) -> tuple[Written, int]:
    found = _NAME.match(text, place)
    if found is None:
        raise _unreadable(text, place, "the name of a transformation")
    place = _skip_space(text, found.end())
    parameters: dict[str, Value] = {}
    if text[place : place + 1] != "(":
        return Written(found[0], parameters), found.end()
    place = _skip_space(text, place + 1)
    while text[place : place + 1] != ")":
        key = _KEY.match(text, place)
        if key is None:
            raise _unreadable(text, place, "a parameter such as share=0.2, or ')'")
        if key[1] in parameters:
            raise PlanError(f"The recipe {text!r} gives {key[1]!r} twice.")
        value = _read_value(text, key.end())
        if key[1] in words and not isinstance(value[0], str):
            value = text[key.end() : value[1]].strip(), value[1]
        parameters[key[1]], place = value
        place = _skip_space(text, place)
        if text[place : place + 1] == ",":
            place = _skip_space(text, place + 1)
        elif text[place : place + 1] != ")":
            raise _unreadable(text, place, "',' or ')'")
    return Written(found[0], parameters), place + 1


def _read_value(text: str, place: int) -> tuple[Value, int]:
    value, place = _read_single(text, place)
    values = [value]
    while text[place : place + 1] == "|":
        value, place = _read_single(text, place + 1)
        values.append(value)
    return tuple(values) if len(values) > 1 else value, place


def _read_single(text: str, place: int) -> tuple[Value, int]:
    quoted = _STRING.match(text, place)
    if quoted is not None:
        if quoted[0][0] == "'":
            return re.sub(r"\\(.)", r"\1", quoted[0][1:-1]), quoted.end()
        try:
            return json.loads(quoted[0]), quoted.end()
        except ValueError as error:
            raise _unreadable(text, place, "a JSON string") from error
    number = _NUMBER.match(text, place)
    found = _BARE.match(text, place)
    if number is not None and (found is None or found.end() <= number.end()):
        written = number[0]  # "1e+5" has a plus sign, which no bare word has
        if len(written) > _LONGEST:
            raise _unreadable(text, place, f"a number of at most {_LONGEST} characters")
        read = int(written) if written.lstrip("+-").isdigit() else float(written)
        refuse_odd_values(read, where=f"{written} in the recipe {text!r}")
        return read, number.end()
    if found is None:
        raise _unreadable(text, place, "a value")
    return _WORDS.get(found[0], found[0]), found.end()


def _skip_space(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _unreadable(text: str, place: int, wanted: str) -> PlanError:
    return PlanError(
        f"The recipe {text!r} cannot be read at character {place + 1}: expected {wanted}. "
        'Recipes look like "contraction+typos(share=0.2)".'
    )


def write_value(value: Any) -> str:
    """Value in the form that `read_recipe` reads back.

    Raises
    ------
    PlanError
        For a type that has none.
    """
    if isinstance(value, tuple):
        return "|".join(write_value(v) for v in value)
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if not isinstance(value, str):
        raise PlanError(
            f"A parameter of type {type(value).__name__} has no written form; recipes know "
            "numbers, words, true, false, none, and several of these."
        )
    is_plain = _BARE.fullmatch(value) and not _NUMBER.fullmatch(value) and value not in _WORDS
    return value if is_plain else json.dumps(value, ensure_ascii=False)


#: Least and largest number by the name of a parameter, in every transformation of our own.
LIMITS: Final = {
    "count": (1, inf),
    "draws": (1, inf),
    "least_cosine": (-1.0, 1.0),
    "least_probability": (0.0, 1.0),
    "least_tokens": (0, inf),
    "least_zipf": (0.0, inf),
    "longest": (1, inf),
    "most_alike": (1, inf),
    "senses": (1, inf),
    "shortest": (0, inf),
    "times": (1, inf),
    "top": (1, inf),
}


def check_parameters(transformation: Transformation) -> None:
    """Refuse invalid values of a transformation's parameters.

    Raises
    ------
    UnknownNameError
        For a word that is no choice of the parameter; near ones, or all, are in the message.
    PlanError
        For a number that is out of range.

    Examples
    --------
    >>> from scrutiny.perturb.characters.surface import WordCase
    >>> check_parameters(WordCase(case="upper"))
    """
    if not is_dataclass(transformation):
        return
    name = transformation.id
    kind: Any = type(transformation)
    own = kind.__module__.startswith("scrutiny.")
    for key, choices in _choices(kind):
        value = getattr(transformation, key)
        if value is not None:
            each = value if isinstance(value, tuple) else (value,)
            known(f"choice of {key!r} of {name}", each, choices)
    for key in [f.name for f in fields(transformation) if own and f.name in LIMITS]:
        value, (low, high) = getattr(transformation, key), LIMITS[key]
        if value is not None and not low <= value <= high:
            most = "" if high == inf else f" and at most {high:g}"
            raise PlanError(f"{key!r} of {name} must be at least {low:g}{most}, not {value}.")


@cache
def _choices(kind: Any) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Parameters with a fixed set of choices, each with all of them."""
    hints = get_type_hints(kind)
    found = {f.name: tuple(kind.allowed.get(f.name, ())) for f in fields(kind)}
    for name in [name for name, choices in found.items() if not choices]:
        hint = hints[name]
        several = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        parts = [part for part in several if part is not NoneType]
        if all(get_origin(part) is Literal for part in parts):
            found[name] = tuple(choice for part in parts for choice in get_args(part))
    return tuple((name, choices) for name, choices in found.items() if choices)
