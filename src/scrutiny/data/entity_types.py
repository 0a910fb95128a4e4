"""Types of entities in two tag sets: which of them probably mean the same, as a suggestion.

OntoNotes has PERSON, GPE, NORP and fifteen others, CoNLL-2003 PER, LOC, ORG and MISC. Nothing is
matched by these words: a user states the map, and gets one to check.
"""

from collections.abc import Sequence
from typing import Final

from scrutiny.core.boundary.printable import quoted
from scrutiny.data.labels import quoted_name
from scrutiny.tasks.tags import PENN, UNIVERSAL
from scrutiny.text.entities import entity_label

#: What data sets call the entities that are none of the three, and what else a tagger may tell.
_OTHERS: Final = frozenset({"MISC", "MISCELLANEOUS", "OTHER"})
_AMONG_OTHERS: Final = frozenset(
    "NORP PRODUCT EVENT WORK_OF_ART LAW LANGUAGE MISC MISCELLANEOUS CREATIVE-WORK OTHER".split()
)
_PLACES: Final = frozenset({"FAC", "FACILITY"})
_MOST: Final = 24


def suggested_types(model: Sequence[str], data: Sequence[str]) -> dict[str, str]:
    """Type of the data that each type of a model may stand for; others are left out.

    Examples
    --------
    >>> suggested_types(["PERSON", "GPE", "LOC", "DATE", "NORP"], ["LOC", "MISC", "PER"])
    {'PERSON': 'PER', 'GPE': 'LOC', 'LOC': 'LOC', 'NORP': 'MISC'}
    """
    found = {name: _alike(name, data) for name in model}
    return {name: other for name, other in found.items() if other is not None}


def types_differ(source: str, model: Sequence[str], data: Sequence[str]) -> str:
    """Paragraph for a tagger whose types are not those of the data, with the map to state."""
    there, own = quoted(data, _MOST), quoted(model, _MOST)
    layers = (("upos", UNIVERSAL), ("xpos", PENN))
    layer = next((name for name, tags in layers if tags.issuperset(data)), "")
    if source.startswith("spacy:") and layer:
        return (
            f"The data has parts of speech ({there}), and {source} was asked for entities: "
            f"add layer={layer} behind the model string, or -M layer={layer}."
        )
    how = (
        "rename the types that the object answers with"
        if source.startswith("python:object:")
        else "state which type is which behind the model string, or as -M types=…"
    )
    return (
        f"The types of {source} are not those of the data. The data has {there}; the model "
        f"has {own}. An entity is right only if its type is: {how}: "
        f"types={written_types(suggested_types(model, data), data)} (the model's type before each "
        "colon), after checking that each pair means the same. Types of the model that it does not "
        "name are left out of the answers; -:NAME says that it has none for NAME."
    )


def written_types(suggested: dict[str, str], data: Sequence[str]) -> str:
    """Map of types as ``types=`` reads it; a type of the data that none leads to has ``-``.

    Where all others have equal names, only these are stated.

    Examples
    --------
    >>> written_types({"PERSON": "PER"}, ["PER", "MISC"])
    'PERSON:PER|-:MISC'
    >>> written_types({"PER": "PER"}, ["PER", "MISC"])
    '-:MISC'
    """
    nothing = [("-", name) for name in data if name not in suggested.values()]
    are_equal = bool(nothing) and all(name == other for name, other in suggested.items())
    pairs = nothing if are_equal else [*suggested.items(), *nothing]
    return "|".join(f"{quoted_name(name)}:{quoted_name(other)}" for name, other in pairs)


def _alike(name: str, data: Sequence[str]) -> str | None:
    """Type of the data with the same name or meaning."""
    same = [other for other in data if other.casefold() == name.casefold()]
    if same:
        return same[0]
    kind = "LOC" if name.upper() in _PLACES else entity_label(name)
    if kind is not None:
        return next((other for other in data if entity_label(other) == kind), None)
    if name.upper() in _AMONG_OTHERS:
        return next((other for other in data if other.upper() in _OTHERS), None)
    return None
