"""Suites as templates: sentences with slots, lexicons that fill them, and what is expected.

A file is TOML with ``suite = 1`` (the format), the ``task``, ``lexicons``, ``tests`` and, as it is
changed, a ``version`` that runs keep::

    [lexicons]
    job = ["baker", "engineer"]
    person = [{name = "Ada", she = "she"}, {name = "Emil", she = "he"}]

    [[tests]]
    capability = "coreference"
    test = "who does what"
    expect = "gold"
    cases = [{text = "{person.name} is {a job}, and {person.she} likes it.", label = "positive"}]

In a text, ``{job}`` is an entry of the lexicon *job*, the same wherever it stands in a case, and
``{job2}`` is another one. ``{Job}`` begins with a capital, ``{a job}`` has its article, and
``{job:NNS}`` is inflected (a tag of the Penn Treebank: NNS, VBZ, VBD, VBG, VBN, JJR, JJS). Entries
may be tables, whose fields are named behind a dot. ``{{`` and ``}}`` are braces that are no slot.
``{wordnet = "synonyms", of = [...]}`` makes a lexicon of tables ``word`` and ``other`` from
WordNet's most frequent sense.

A ``base`` holds the texts of the item that a case changes; what it does not name, the label too, is
as in the case.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeGuard

from scrutiny.core.errors import DataError, UnknownNameError
from scrutiny.core.example import PERTURBATION
from scrutiny.data.readers.files import lines
from scrutiny.data.slots import Lexicons, SlotFilling, lexicons_of
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, reader_defaults
from scrutiny.tasks.tasks import load_task

_FORMAT: Final = 1
_OF_FILE: Final = ("suite", "version", "task", "lexicons", "tests")
_CASES: Final = 50
#: Draws in a row without a new case after which a template has no more.
_TRIES: Final = 200
#: What a test has, as messages say it.
_OF_TEST: Final[Mapping[str, str]] = {
    "test": "a text, its name",
    "expect": "a text, as gold or same",
    "cases": 'a list of tables, as [{text = "...", label = "..."}]',
    "capability": "a text",
    "n": "the number of its cases, a whole number from 1 on",
}
#: Columns that a case may have beside those of its task.
_OF_CASE: Final = ("base", "expect", "group", PERTURBATION.removeprefix("a_"))


class TemplateTest(NamedTuple):
    """Test of a file: its templates take turns until there are as many different cases."""

    capability: str
    name: str
    expect: str
    cases: Sequence[Mapping[str, Any]]
    n: int


def read(source: DataSource) -> Table:
    """Cases made of the templates of a TOML file: see ``docs/suites.md``. The same at each reading.

    Raises
    ------
    DataError
        If it is no such file, or its templates give too few different cases.
    """
    place = source.target
    try:
        given = tomllib.loads("".join(lines(source)))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{place} is no TOML: {error}.") from None
    if given.get("suite") != _FORMAT:
        raise DataError(f"{place} states suite = {given.get('suite')!r}; this reads suite = 1.")
    for name in given:
        if name not in _OF_FILE:
            raise DataError(f"{place}: {UnknownNameError('part of a suite', name, _OF_FILE)}")
    version = given.get("version", 1)
    if type(version) is not int or version < 1:
        raise DataError(f"{place}: version is {version!r:.60}; it is a whole number from 1 on.")
    if not isinstance(given.get("task"), str):
        raise DataError(f'{place} names no task, as in task = "text-classification".')
    task, written = load_task(given["task"]), given.get("lexicons", {})
    if not isinstance(written, Mapping):
        raise DataError(f"{place}: lexicons is {written!r:.60}; it is a table, [lexicons].")
    lexicons = lexicons_of(written, place)
    if not _is_tables(given.get("tests")):
        raise DataError(f"{place} has no [[tests]], the tables of its tests.")
    columns = tuple(role.name for role in task.roles)
    rows: list[RawRow] = []
    named: dict[tuple[str, str], int] = {}
    keys: set[str] = set()
    for number, one in enumerate(given["tests"], 1):
        here = f"{place}: test {number}"
        test = _test(one, here, columns)
        before = named.setdefault((test.capability, test.name), number)
        if before != number:
            same = f"the name of test {before}, {test.name!r}"
            raise DataError(f"{here} has {same}: give it another one.")
        key = re.sub(r"\W+", "-", f"{test.capability}-{test.name}").strip("-").lower()
        while key in keys:  # names that differ in signs alone
            key = f"{key}-{number}"
        keys.add(key)
        rows += (RawRow(number, row) for row in _rows_of(test, key, lexicons, here))
    there = [name for name in columns if any(name in row.values for row in rows)]
    full = [row._replace(values={**dict.fromkeys(there), **row.values}) for row in rows]
    defaults = {**reader_defaults(task.name, there), "id": "id", "unlabeled": "keep"}
    notes = (f"The suite is of version {version}.",) if "version" in given else ()
    return Table(
        ("id", *there),
        iter(full),
        place,
        defaults=defaults,
        is_suite=True,
        numbers="test",
        notes=notes,
    )


def _is_tables(given: object) -> TypeGuard[Sequence[Mapping[str, Any]]]:
    """Whether it is a list of tables, at least one."""
    return isinstance(given, list) and given != [] and all(isinstance(one, dict) for one in given)


def _test(given: Mapping[str, Any], place: str, columns: Sequence[str]) -> TemplateTest:
    """Test as it is written.

    Raises
    ------
    DataError
        If it lacks something, has something that no test has, or anything of another type.
    """
    lacks = [name for name in ("test", "expect", "cases") if not given.get(name)]
    odd = [name for name in given if name not in _OF_TEST]
    if lacks or odd:
        said = f"has no {lacks[0]!r}" if lacks else f"has {odd[0]!r}, which is nothing of a test"
        raise DataError(f"{place} {said}; a test has {', '.join(sorted(_OF_TEST))}.")
    n, cases = given.get("n", _CASES), given["cases"]
    fits = {name: isinstance(given.get(name, ""), str) for name in ("test", "expect", "capability")}
    fits |= {"cases": _is_tables(cases), "n": type(n) is int and n >= 1}
    wrong = next((name for name, is_right in fits.items() if not is_right), None)
    if wrong is not None:
        raise DataError(f"{place}: {wrong} is {given[wrong]!r:.60}; it is {_OF_TEST[wrong]}.")
    for case in cases:
        base = case.get("base", {})
        if not isinstance(base, Mapping):
            raise DataError(f'{place}: base is {base!r:.60}; it is a table, as {{text = "..."}}.')
        for kind, one, allowed in (("case", case, (*columns, *_OF_CASE)), ("base", base, columns)):
            for name in one:
                if name not in allowed:
                    unknown = UnknownNameError(f"column of a {kind}", name, allowed)
                    raise DataError(f"{place}: {unknown}")
    return TemplateTest(given.get("capability", ""), given["test"], given["expect"], cases, n)


def _rows_of(
    test: TemplateTest, key: str, lexicons: Lexicons, place: str
) -> Iterator[Mapping[str, Any]]:
    """Rows of a test: cases, each behind the item that it changes, if it names one.

    Templates take turns; one that has no more cases leaves its turn to the others.
    """
    rng = random.Random(f"{test.capability}/{test.name}")
    made: set[str] = set()
    templates, tries = [*test.cases], 0
    while len(made) < test.n:
        if not templates:
            raise DataError(
                f"{place}: the templates of the test {test.name!r} give {len(made)} different "
                f"cases, and n = {test.n}: add templates or entries of lexicons, or state a "
                "smaller n."
            )
        template = templates[len(made) % len(templates)]
        filling = SlotFilling(lexicons, rng, f"{place}: {test.name}")
        filled = {name: filling.put(value) for name, value in template.items()}
        base = filled.pop("base", None)
        is_unchanged = base is not None and base.items() <= filled.items()
        told, tries = str(sorted(filled.items())), tries + 1
        if is_unchanged or told in made:  # a case that changes nothing tells nothing of any model
            if tries >= _TRIES:
                templates.remove(template)
                tries = 0
            continue
        made.add(told)
        tries = 0
        name = f"{key}-{len(made)}"
        case = {
            "capability": test.capability,
            "test": test.name,
            "expect": filled.pop("expect", "") or test.expect,
        }
        if base is not None:
            yield {**filled, **base, "id": f"{name}-base"}
            case["of"] = f"{name}-base"
        yield {**filled, **case, "id": name}
