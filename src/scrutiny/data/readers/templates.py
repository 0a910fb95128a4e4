"""Suites as templates: sentences with slots, lexicons that fill them, and what is expected.

A file is TOML with ``suite = 1``, the ``task``, ``lexicons`` and ``tests``::

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
from typing import Any, Final, NamedTuple, TypeGuard, cast

from scrutiny.core.errors import DataError, UnknownNameError
from scrutiny.core.example import PERTURBATION
from scrutiny.data.readers.files import lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, reader_defaults
from scrutiny.tasks.tasks import load_task
from scrutiny.text.inflection import indefinite_article, inflect
from scrutiny.text.wordnet import antonyms, hypernyms, synonyms

#: Braces that are doubled, a slot, and a brace that is neither.
_BRACES: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SLOT: Final = re.compile(r"(?:(an?|An?) )?(\w+)(?:\.(\w+))?(?::(\w+))?")
_FORMS: Final = ("NNS", "VBZ", "VBD", "VBG", "VBN", "JJR", "JJS")
_FORMAT: Final = 1
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
_WORDNET: Final = {"synonyms": synonyms, "antonyms": antonyms, "hypernyms": hypernyms}
Entry = str | Mapping[str, str]
Lexicons = Mapping[str, Sequence[Entry]]


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
    if not isinstance(given.get("task"), str):
        raise DataError(f'{place} names no task, as in task = "text-classification".')
    task, written = load_task(given["task"]), given.get("lexicons", {})
    if not isinstance(written, Mapping):
        raise DataError(f"{place}: lexicons is {written!r:.60}; it is a table, [lexicons].")
    lexicons = {name: _entries(one, name, place) for name, one in written.items()}
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
    return Table(
        ("id", *there), iter(full), place, defaults=defaults, is_suite=True, numbers="test"
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


class SlotFilling:
    """Entries that the slots of one case take.

    Parameters
    ----------
    lexicons
        Entries by name.
    rng
        What draws them.
    place
        What messages call the test.
    """

    def __init__(self, lexicons: Lexicons, rng: random.Random, place: str) -> None:
        self._lexicons, self._rng, self._place = lexicons, rng, place
        self._taken: dict[str, dict[str, Entry]] = {}

    def put(self, value: Any) -> Any:
        """Texts with their slots filled, in lists and tables as well; numbers as they are."""
        if isinstance(value, str):
            return _BRACES.sub(self._put_one, value)
        if isinstance(value, list):
            return [self.put(one) for one in value]
        if isinstance(value, Mapping):
            return {name: self.put(one) for name, one in value.items()}
        return value

    def _put_one(self, found: re.Match[str]) -> str:
        """Text that replaces a slot, or a doubled brace."""
        if found[0] in ("{{", "}}"):
            return found[0][0]
        slot = _SLOT.fullmatch(found[1] or "")
        if slot is None:
            raise DataError(
                f"{self._place}: {found[0]!r} is no slot: one is {{name}}, {{a name}}, "
                "{name.field} or {name:NNS}, and a brace that is no slot is written twice."
            )
        return self._word(*slot.groups())

    def _word(self, article: str | None, given: str, field: str | None, form: str | None) -> str:
        """Word of a slot."""
        own, number = self._lexicon(given)
        entry = self._entry(own, number)
        if isinstance(entry, Mapping) != bool(field) or (field and field not in entry):
            raise DataError(
                f"{self._place}: {{{given}}} names "
                f"{f'the field {field!r}' if field else 'no field'} of {entry!r:.80}."
            )
        word = entry[field] if isinstance(entry, Mapping) and field else str(entry)
        if form:
            if form not in _FORMS:
                raise DataError(
                    f"{self._place}: {form} is no form; a form is one of {', '.join(_FORMS)}."
                )
            formed = _inflected(word, form) if word else None
            if formed is None:
                raise DataError(f"{self._place}: {word!r} has no form {form}.")
            word = formed
        if article:
            made = indefinite_article(word)
            word = f"{made.capitalize() if article[0] == 'A' else made} {word}"
        return word if given.startswith(own) else word[:1].upper() + word[1:]

    def _lexicon(self, given: str) -> tuple[str, str]:
        """Lexicon that a slot names, and its number: a name may end in digits itself."""
        for end in range(len(given), len(given.rstrip("0123456789")) - 1, -1):
            for name in (given[:end], given[:1].lower() + given[1:end]):
                if name in self._lexicons:
                    return name, given[end:]
        named = ", ".join(sorted(self._lexicons)) or "none"
        name = given.rstrip("0123456789") or given
        raise DataError(f"{self._place}: there is no lexicon {name!r}; there are {named}.")

    def _entry(self, name: str, number: str) -> Entry:
        """Entry of a slot: drawn once, and another one for each number."""
        taken = self._taken.setdefault(name, {})
        if number not in taken:
            free = [one for one in self._lexicons[name] if one not in taken.values()]
            if not free:
                raise DataError(f"{self._place}: the lexicon {name!r} has no other entry.")
            taken[number] = self._rng.choice(free)
        return taken[number]


def _inflected(phrase: str, form: str) -> str | None:
    """Phrase whose head is inflected: the last word of a noun phrase, the first one of others.

    Examples
    --------
    >>> _inflected("big box of chocolates", "NNS"), _inflected("give up", "VBD")
    ('big boxes of chocolates', 'gave up')
    """
    if form[0] == "N":
        noun, of, rest = phrase.partition(" of ")
        before, space, head = noun.rpartition(" ")
    else:
        before, space = "", ""
        head, of, rest = phrase.partition(" ")
    formed = inflect(head, form)
    return None if formed is None else f"{before}{space}{formed}{of}{rest}"


def _entries(given: Any, name: str, place: str) -> Sequence[Entry]:
    """Entries of a lexicon, written or looked up; a number is the word as it is written.

    Raises
    ------
    DataError
        If it is none.
    """
    if isinstance(given, Mapping):
        kind, of, pos = given.get("wordnet"), given.get("of"), given.get("pos", "a")
        is_asked = isinstance(of, list) and all(isinstance(one, str) for one in of)
        if is_asked and kind in [*_WORDNET] and pos in [*_POS]:
            found = [
                {"word": word, "other": other}
                for word in of or ()
                for other in _WORDNET[kind](word, pos, senses=1)[:1]
            ]
            if found:
                return found
            words = ", ".join(of or ())
            raise DataError(f"{place}: {name}: WordNet has no {kind} of {words}.")
    if isinstance(given, list) and given:
        entries = [
            {field: _written(word) for field, word in one.items()}
            if isinstance(one, Mapping)
            else _written(one)
            for one in given
        ]
        if all(None not in (one.values() if isinstance(one, dict) else (one,)) for one in entries):
            return cast("Sequence[Entry]", entries)
    raise DataError(
        f"{place}: the lexicon {name!r} is no list of words or of tables of words, and not "
        f'{{wordnet = "{"|".join(_WORDNET)}", pos = "{"|".join(_POS)}", of = [words]}}.'
    )


_POS: Final = "nvar"


def _written(word: object) -> str | None:
    """Word of an entry; None for what is neither a text nor a number."""
    is_number = isinstance(word, int | float) and not isinstance(word, bool)
    return str(word) if is_number or isinstance(word, str) else None
