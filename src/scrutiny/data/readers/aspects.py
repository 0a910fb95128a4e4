"""Aspects of reviews: SemEval-2014's XML; JSON files of objects by id of MAMS, TOWE and ARTS.

ARTS (Xing et al. 2020) is a suite: changed versions of test items of SemEval-2014. Each keeps the
aspect that is asked about (``RevTgt`` reverses what is said of it, ``RevNon`` what is said of the
others, ``AddDiff`` adds others).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from xml.etree import ElementTree
from xml.etree.ElementTree import ParseError

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.core.record import grouped
from scrutiny.data.readers.files import existing_file, lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, reader_defaults, takes
from scrutiny.tasks.aspects import AspectSentiment

_COLUMNS: Final = ("id", "text", "aspect", "place", "opinions", "others", "label", "sentence")
_TEST: Final = "aspect robustness"
#: Columns of versions: what was done, and the id that the released answers have for it.
_OF_VERSIONS: Final = ("change", "answered")
_VERSION: Final = re.compile(r"_adv(\d+)$")
#: Changes of ARTS by the number in their ids; in the released answers the third has the number 4.
_CHANGES: Final[Mapping[str, str]] = {"1": "RevTgt", "2": "RevNon", "3": "AddDiff"}
_ANSWERED: Final[Mapping[str, str]] = {"3": "4"}


@takes("encoding")
def read(source: DataSource) -> Table:
    """Aspects of SemEval-2014 (XML), or of a JSON file of objects by id: MAMS, TOWE, ARTS.

    In XML a sentence has ``aspectTerm``s; where these state ``opinion_words``, as Li et al. (2021)
    do, the places nearest to the aspect count. In JSON an object is an aspect (``sentence``,
    ``term``, ``polarity``, ``from``, ``to``), or a sentence with its ``term_list`` and the
    ``opinion_position`` of each. Aspects of one sentence are one another's ``others``. Objects with
    ids like ``ID_adv1`` are cases of a suite, changed versions of ``ID``; with ``#id=answered``
    they have the ids of the answers that ARTS released.

    Raises
    ------
    DataError
        If it is no such file.
    """
    try:
        is_xml = source.path.suffix.lower() == ".xml"
        found = [*_of_xml(source)] if is_xml else [*_aspects(parse_json("".join(lines(source))))]
    except (ParseError, ValueError, KeyError, TypeError, AttributeError) as error:
        lacks = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(
            f"{source.target} is no file of aspects: SemEval-2014's XML, or objects by id with "
            f"sentence, term, polarity, from and to, or with a term_list of such: {lacks}."
        ) from None
    sentences = grouped(((one["sentence"], one["text"]), one) for one in found)
    rows = []
    for number, one in enumerate(found, 1):
        beside = sentences[one["sentence"], one["text"]]
        others = [_other(two) for two in beside if two["id"] != one["id"]]
        rows.append(RawRow(number, {**one, "others": others}))
    is_suite = any(_VERSION.search(one["id"]) for one in found)
    columns = (*_COLUMNS, *(_OF_VERSIONS if is_suite else ()))
    defaults = reader_defaults(AspectSentiment.name, columns)
    if not is_suite:
        return Table(columns, iter(rows), source.target, defaults=defaults)
    rows = [row._replace(values={**row.values, **_case(row.values["id"])}) for row in rows]
    defaults = {**defaults, "group": _OF_VERSIONS[0]}
    return Table(columns, iter(rows), source.target, defaults=defaults, is_suite=True)


def _aspects(objects: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Aspects of a file, each with the sentence that it is of."""
    for name, one in objects.items():
        several = one.get("term_list")
        for key, term in {name: one}.items() if several is None else several.items():
            yield {
                "id": key,
                "text": one["sentence"],
                "aspect": term["term"],
                "place": [term["from"], term["to"]],
                "opinions": [*map(list, term.get("opinion_position") or ())],
                "label": term["polarity"],
                "sentence": _VERSION.sub("", key).rpartition("_")[0] or key,
            }


def _of_xml(source: DataSource) -> Iterator[dict[str, Any]]:
    """Aspects of a file of SemEval-2014, each named after its sentence and its number in it."""
    for sentence in ElementTree.parse(existing_file(source)).iter("sentence"):
        name, text = sentence.attrib["id"], sentence.findtext("text") or ""
        for number, term in enumerate(sentence.iter("aspectTerm")):
            start, end = int(term.attrib["from"]), int(term.attrib["to"])
            said = filter(None, map(str.strip, term.get("opinion_words", "").split(",")))
            opinions = (_nearest(text, words, start) for words in said)
            yield {
                "id": f"{name}_{number}",
                "text": text,
                "aspect": term.attrib["term"],
                "place": [start, end],
                "opinions": [place for place in opinions if place],
                "label": term.attrib["polarity"],
                "sentence": name,
            }


def _nearest(text: str, words: str, place: int) -> list[int]:
    """Start and end of the occurrence of words that is nearest to a place; empty without one."""
    starts = [found.start() for found in re.finditer(re.escape(words), text)]
    start = min(starts, key=lambda at: abs(at - place), default=-1)
    return [] if start < 0 else [start, start + len(words)]


def _other(one: Mapping[str, Any]) -> dict[str, Any]:
    """An aspect as another one of its sentence."""
    return {name: one[name] for name in ("place", "label", "opinions")}


def _case(name: str) -> dict[str, str]:
    """Cells of a changed version; of an original, those of no case."""
    version = _VERSION.search(name)
    if version is None:
        return {"change": "", "answered": name}
    number, original = version[1], name[: version.start()]
    return {
        "of": original,
        "expect": "gold",
        "test": _TEST,
        "change": _CHANGES.get(number, number),
        "answered": f"{original}_adv{_ANSWERED.get(number, number)}",
    }
