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
may be tables, whose fields are named behind a dot. ``{wordnet = "synonyms", of = [...]}`` makes a
lexicon of tables ``word`` and ``other`` from WordNet's most frequent sense.

A ``base`` holds the texts of the item that a case changes; what it does not name is as in the case.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, reader_defaults
from scrutiny.tasks.tasks import load_task
from scrutiny.text.inflection import indefinite_article, inflect
from scrutiny.text.wordnet import antonyms, hypernyms, synonyms

_SLOT: Final = re.compile(r"\{(?:(an?|An?) )?(\w+?)(\d*)(?:\.(\w+))?(?::([A-Z]+\$?))?\}")
_FORMAT: Final = 1
_CASES: Final = 50
#: Draws for each case that is wanted, after which its templates are too few.
_TRIES: Final = 200
_OF_TEST: Final = frozenset({"capability", "test", "expect", "cases", "n"})
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
    lexicons = {name: _entries(one, name, place) for name, one in given["lexicons"].items()}
    task = load_task(given["task"])
    columns = tuple(role.name for role in task.roles)
    rows: list[RawRow] = []
    for number, one in enumerate(given.get("tests", ()), 1):
        test = _test(one, f"{place}: test {number}")
        rows += (RawRow(number, row) for row in rows_of(test, lexicons, place))
    if not rows:
        raise DataError(f"{place} has no [[tests]].")
    there = [name for name in columns if any(name in row.values for row in rows)]
    full = [row._replace(values={**dict.fromkeys(there), **row.values}) for row in rows]
    defaults = {**reader_defaults(task.name, there), "id": "id", "unlabeled": "keep"}
    return Table(("id", *there), iter(full), place, defaults=defaults, is_suite=True)


def _test(given: Mapping[str, Any], place: str) -> TemplateTest:
    lacks = [name for name in ("test", "expect", "cases") if not given.get(name)]
    odd = [name for name in given if name not in _OF_TEST]
    if lacks or odd:
        said = f"has no {lacks[0]!r}" if lacks else f"has {odd[0]!r}, which is nothing of a test"
        raise DataError(f"{place} {said}; a test has {', '.join(sorted(_OF_TEST))}.")
    own = given.get("capability", ""), given["test"], given["expect"], given["cases"]
    return TemplateTest(*own, n=given.get("n", _CASES))


def rows_of(test: TemplateTest, lexicons: Lexicons, place: str) -> Iterator[Mapping[str, Any]]:
    """Rows of a test: cases, each behind the item that it changes, if it names one."""
    rng = random.Random(f"{test.capability}/{test.name}")
    key = re.sub(r"\W+", "-", f"{test.capability}-{test.name}").strip("-").lower()
    made: set[str] = set()
    tries = 0
    while len(made) < test.n:
        tries += 1
        if tries > _TRIES * test.n:
            raise DataError(
                f"{place}: the templates of the test {test.name!r} give {len(made)} different "
                f"cases, and n = {test.n}: add templates or entries of lexicons, or state a "
                "smaller n."
            )
        template = test.cases[len(made) % len(test.cases)]
        filling = SlotFilling(lexicons, rng, f"{place}: {test.name}")
        filled = {name: filling.put(value) for name, value in template.items()}
        base = filled.pop("base", None)
        is_unchanged = base is not None and base.items() <= filled.items()
        if is_unchanged or str(sorted(filled.items())) in made:
            continue  # a case that changes nothing tells nothing of any model
        made.add(str(sorted(filled.items())))
        name = f"{key}-{len(made)}"
        case = {
            "capability": test.capability,
            "test": test.name,
            "expect": filled.pop("expect", ""),
        }
        case["expect"] = case["expect"] or test.expect
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
        """Texts with their slots filled, in lists and tables as well."""
        if isinstance(value, str):
            return _SLOT.sub(lambda found: self._word(*found.groups()), value)
        if isinstance(value, list):
            return [self.put(one) for one in value]
        return {name: self.put(one) for name, one in value.items()}

    def _word(self, article: str | None, name: str, number: str, field: str, form: str) -> str:
        """Word of a slot."""
        own = name if name in self._lexicons else name[0].lower() + name[1:]
        if own not in self._lexicons:
            known = ", ".join(sorted(self._lexicons))
            raise DataError(f"{self._place}: there is no lexicon {name!r}; there are {known}.")
        entry = self._entry(own, number)
        if isinstance(entry, Mapping) != bool(field) or (field and field not in entry):
            raise DataError(
                f"{self._place}: {{{name}{number}}} names "
                f"{f'the field {field!r}' if field else 'no field'} of {entry!r:.80}."
            )
        word = entry[field] if isinstance(entry, Mapping) else entry
        if form:
            formed = _inflected(word, form)
            if formed is None:
                raise DataError(f"{self._place}: {word!r} has no form {form}.")
            word = formed
        if article:
            made = indefinite_article(word)
            word = f"{made.capitalize() if article[0] == 'A' else made} {word}"
        return word[0].upper() + word[1:] if own != name else word

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
    """Entries of a lexicon, written or looked up.

    Raises
    ------
    DataError
        If it is none.
    """
    if isinstance(given, Mapping) and given.get("wordnet") in _WORDNET:
        find, pos = _WORDNET[given["wordnet"]], given.get("pos", "a")
        found = [
            {"word": word, "other": other}
            for word in given.get("of", ())
            for other in find(word, pos, senses=1)[:1]
        ]
        if found:
            return found
        words = ", ".join(given.get("of", ()))
        raise DataError(f"{place}: {name}: WordNet has no {given['wordnet']} of {words}.")
    if isinstance(given, list) and given and all(isinstance(one, str | dict) for one in given):
        return given
    raise DataError(
        f"{place}: the lexicon {name!r} is no list of words or of tables, and not "
        f'{{wordnet = "{"|".join(_WORDNET)}", of = [...]}}.'
    )
