"""Data strings: ``scheme:target#option=value,option=value``, and the options that they may state.

::

    csv:dev.csv#text=sentence,label=label       hf:glue/sst2:validation[:200]@main#text=sentence
    conll:dev.conll#token=0,tag=-1              builtin:reviews

The options after ``#`` name columns: those of a task (its roles: ``text``, ``label``, ``tokens``,
``more``), and those that any may have (``id``, ``unit``, ``group``). `OPTIONS` also says how to
read; those in `READING` are of the readers that look at them, and readers bring their own options.
Several columns are separated by ``|``; a comma, a bar or a percent sign in a column's name is
written ``%2C``, ``%7C``, ``%25``.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from scrutiny.core.errors import DataError, UnknownNameError
from scrutiny.core.registry import registry
from scrutiny.data.readers.formats import other_format

_SUFFIXES: Final = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".ann": "brat",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".conll": "conll",
    ".conllu": "conllu",
    ".xlsx": "xlsx",
    ".iob2": "conll",
    ".toml": "suite",
}
#: Suffixes of compressed files, behind that of what they hold.
_PACKED: Final = (".gz", ".bz2", ".xz")
#: Scheme of a table that was given in Python: the plan has the name of its type alone.
HANDED_OVER: Final = "object"


@dataclass(frozen=True, slots=True)
class DataSource:
    """Parsed data string.

    Parameters
    ----------
    scheme
        Which reader: ``csv``, ``jsonl``, ``hf``, …
    target
        Path, name on the hub, or name of a sample.
    options
        Options after ``#``, percent signs still encoded.
    """

    scheme: str
    target: str
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """The data string."""
        options = ",".join(f"{key}={value}" for key, value in self.options.items())
        target = self.target.replace("#", "%23")
        return f"{self.scheme}:{target}" + (f"#{options}" if options else "")

    @property
    def path(self) -> Path:
        """Target as a path, with ``~`` expanded."""
        return Path(self.target).expanduser()

    def inside(self, name: str) -> "DataSource":
        """Return the source of a file in this folder."""
        return replace(self, target=f"{self.target.rstrip('/')}/{name}")

    def beside(self, name: str) -> "DataSource":
        """Return the source of another file; a name without a folder is of one beside this."""
        place = self.path.parent / name if Path(name).name == name else Path(name)
        return replace(self, target=str(place))

    def option(self, name: str, default: str = "") -> str:
        """Value of an option, percent-decoded."""
        return unquote(self.options.get(name, default))

    def stating(self, columns: Mapping[str, str | Sequence[str]]) -> "DataSource":
        """Return the source with these columns stated as options; several of a role in a list."""
        quoted = {
            role: _quoted(name) if isinstance(name, str) else "|".join(map(_quoted, name))
            for role, name in columns.items()
        }
        return replace(self, options={**self.options, **quoted})

    def columns(self, name: str) -> tuple[str, ...]:
        """Columns listed by an option, separated by bars."""
        return tuple(unquote(part) for part in self.options.get(name, "").split("|") if part)


def parse_source(text: str) -> DataSource:
    """Parse a data string; for a bare path, the suffix decides the reader.

    Raises
    ------
    DataError
        For an unknown scheme or option, or an option without ``=``.

    Examples
    --------
    >>> parse_source("csv:dev.csv#text=sentence,label=y").options
    {'text': 'sentence', 'label': 'y'}
    >>> parse_source("reviews/dev.tsv").scheme
    'tsv'
    """
    place, _, after = text.strip().partition("#")
    place = place.replace("%23", "#")  # a path may hold one
    scheme, colon, target = place.partition(":")
    if not colon or len(scheme) < 2:  # one letter before the colon is a Windows drive
        scheme = _scheme_of_path(place)
        return DataSource(scheme, place, _parse_options(after, where=text, scheme=scheme))
    known = schemes()
    if scheme == HANDED_OVER:
        return DataSource(scheme, target, _parse_options(after, where="columns="))
    if scheme not in known:
        raise DataError(_unknown_scheme(text, scheme, known))
    if not target:
        raise DataError(f"The data string {text!r} has no path or name after {scheme + ':'!r}.")
    return DataSource(scheme, target, _parse_options(after, where=text, scheme=scheme))


def handed_over(text: str) -> str:
    """Type of the object that stands for data given in Python; nothing for a data string.

    Examples
    --------
    >>> handed_over("object:DataFrame#text=review"), handed_over("csv:dev.csv")
    ('DataFrame', '')
    """
    scheme, _, rest = text.partition(":")
    return rest.partition("#")[0] if scheme == HANDED_OVER else ""


def _quoted(name: str) -> str:
    """Name of a column as a value of an option."""
    return name.replace("%", "%25").replace(",", "%2C").replace("|", "%7C")


def _parse_options(text: str, *, where: str, scheme: str = "") -> dict[str, str]:
    """Options of the part after ``#``; ``scheme`` names the reader whose own are allowed.

    Raises
    ------
    DataError
        For an unknown or repeated option, or one without ``=``.
    """
    options: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        name = name.strip()
        if not equals:
            raise DataError(
                f"In the data string {where!r}, {part!r} is no option: options are written "
                "name=value and separated by commas (a comma inside a name is %2C)."
            )
        if name in options:
            raise DataError(f"In the data string {where!r}, the option {name!r} occurs twice.")
        check_reader_option(name, where=where, scheme=scheme)
        options[name] = value.strip()
    return options


def _scheme_of_path(place: str) -> str:
    path = Path(place)
    suffix = (path.with_suffix("") if path.suffix.lower() in _PACKED else path).suffix.lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    with suppress(OSError, ValueError):
        if path.is_file() and (said := other_format(path, place)):
            raise DataError(f"{place} {said}.")
    scheme = "csv"
    if suffix == ".txt":
        scheme = "brat" if path.with_suffix(".ann").is_file() else "text"
    raise DataError(
        f"The data string {place!r} has neither a known scheme nor a known suffix. Write "
        f"scheme:path, with one of: {', '.join(schemes())} (for example "
        f"{scheme}:{place or 'dev.csv'})."
    )


def _unknown_scheme(text: str, scheme: str, known: list[str]) -> str:
    if scheme in ("http", "https", "s3", "gs", "ftp"):
        return (
            f"The data string {text!r} is an address. scrutiny fetches no files: download it and "
            "give its path, as in csv:dev.csv."
        )
    near = UnknownNameError("reader", scheme, known).near
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    return (
        f"The data string {text!r} starts with the unknown scheme {scheme!r}. {hint}"
        f"Schemes are: {', '.join(known)}."
    )


#: Options that all tasks have, with their meanings; those of one task are its roles.
OPTIONS: Final[Mapping[str, str]] = {
    "id": "column of unique identifiers; empty for hashes of the content",
    "unit": "columns whose rows belong together (clusters)",
    "group": "columns to compare groups by",
    "labels": "new names of labels, 0:negative|1:positive",
    "names": "names of the classes that the file numbers from 0, no|yes",
    "unlabeled": "keep or skip: what to do with rows whose label is empty; skip by default",
    "task": "name of the task",
    "language": "language code of the texts, or the column that holds it",
    "quote": "none or double: how fields with separators are written",
    "encoding": "of the file; utf-8 by default",
    "header": "none for a file without a first line of names",
    "delimiter": "one character, or comma, semicolon, tab, space",
    "field": "key of the list of rows inside a JSON object",
    "token": "column of the tokens in a CoNLL file, counted from 0",
    "tag": "column of the tags in a CoNLL file; -1 is the last",
    "config": "configuration of a data set of the hub",
    "perplexity": "language model whose perplexity is an attribute: smollm2, ngram:TEXT FILE",
    "permute": "seed of a random exchange of the items' labels: a null",
}
#: Options that name a model, by the attributes that it gives all items.
OF_MODELS: Final = ("perplexity",)
#: Options about reading; each reader has only those that it uses.
READING: Final = frozenset(
    {"quote", "encoding", "header", "delimiter", "field", "token", "tag", "config"}
)


def check_reader_option(name: str, *, where: str, scheme: str = "") -> None:
    """Raise for an option that no reader of data takes; the message lists similar names."""
    if name in OPTIONS and name not in READING:
        return
    known = known_options(scheme)
    if name not in known:
        near = get_close_matches(name, known, n=2, cutoff=0.6)
        hint = f"Did you mean {' or '.join(near)}? " if near else ""
        of_others = f" of {scheme}:" if scheme and name in OPTIONS else ""
        raise DataError(
            f"In {where!r}, there is no option {name!r}{of_others}. {hint}There are: "
            f"{', '.join(one for one in known if one in OPTIONS)}; and the columns of the task, "
            "which docs/data.md lists."
        )


def known_options(scheme: str = "") -> dict[str, str]:
    """All options with their meanings: shared ones, those of tasks, those of one reader."""
    from scrutiny.tasks.tasks import role_options

    reading = _marked(scheme, "reading", ())
    common = {k: said for k, said in OPTIONS.items() if k not in READING or k in reading}
    return {**role_options(), **common, **reader_options(scheme)}


def reader_options(scheme: str) -> Mapping[str, str]:
    """Options of the reader of this scheme; empty for an unknown one."""
    brought: Mapping[str, str] = _marked(scheme, "options", {})
    return brought


def reading_options(scheme: str) -> frozenset[str]:
    """Options that say how a reader reads, and none of what its columns mean."""
    own = {name for name in known_options(scheme) if name in READING}
    return frozenset(own | {*reader_options(scheme)})


def _marked(scheme: str, what: str, default: Any) -> Any:
    """Attribute of the reader of a scheme; the default if reader or attribute is unknown."""
    if scheme not in schemes():
        return default
    return getattr(registry().load("reader", scheme), what, default)


def schemes() -> list[str]:
    """Schemes of all readers, built-in and plugged in."""
    return sorted({name.partition("@")[0] for name in registry().names("reader")})
