"""Words with their senses: the unified evaluation of Raganato et al. (2017), beside WordNet 3.0.

A corpus is a file of XML (``NAME.data.xml``) with the right sense keys beside it
(``NAME.gold.key.txt``). WordNet's own files (``data.noun``, ``index.noun``, …) say which senses a
word has, the most frequent first, and describe them.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, ParseError

from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import existing_file, lines
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.tasks.senses import WordSenses
from scrutiny.tasks.tags import token_borders

_COLUMNS: Final = (
    "id", "text", "target", "senses", "sense", "lemma", "pos", "sentence", "document"
)  # fmt: skip
#: Names of WordNet's files, and their letter, by the part of speech of a corpus.
_FILES: Final = {
    "NOUN": ("noun", "n"),
    "VERB": ("verb", "v"),
    "ADJ": ("adj", "a"),
    "ADV": ("adv", "r"),
}
_KINDS: Final = {"n": "1", "v": "2", "a": "3", "r": "4", "s": "5"}
_DATA: Final = ".data.xml"
_KEYS: Final = ".gold.key.txt"
#: Where packages of Linux have WordNet.
_USUAL: Final = "/usr/share/wordnet"


class Sense(NamedTuple):
    """Sense of a word: its key, and what WordNet says of it."""

    key: str
    gloss: str


@takes(
    "encoding",
    wordnet="folder of WordNet 3.0's files (data.noun, index.noun, …); /usr/share/wordnet",
    keys="file of the right sense keys; beside NAME.data.xml it is NAME.gold.key.txt",
)
def read(source: DataSource) -> Table:
    """Words of a corpus with the glosses of all their senses in WordNet, and the right ones.

    A word whose sense WordNet does not have is a bad row.

    Raises
    ------
    DataError
        If it is no such file, or WordNet's files or those of the keys are not there.
    """
    name = source.path.name
    beside = name.removesuffix(_DATA) + _KEYS
    keys = source.beside(source.option("keys") or beside)
    right = {first: rest for first, *rest in (line.split() for line in lines(keys)) if rest}
    wordnet = Glosses(Path(source.option("wordnet", _USUAL)).expanduser())
    try:
        root = ElementTree.parse(existing_file(source)).getroot()
    except ParseError as error:
        raise DataError(f"{source.target} is no XML: {error}.") from None
    sentences = [(text, one) for text in root.iter("text") for one in text.iter("sentence")]
    if not sentences:
        raise DataError(f"{source.target} has no sentences in texts, as the corpora of senses do.")
    return corpus_table(source, WordSenses.name, _COLUMNS, _rows(sentences, right, wordnet))


def _rows(
    sentences: Sequence[tuple[Element, Element]],
    right: Mapping[str, Sequence[str]],
    wordnet: "Glosses",
) -> Iterator[RawRow]:
    number = 0
    for text, sentence in sentences:
        words = [word.text or "" for word in sentence]
        borders = token_borders(words)
        for place, word in zip(borders, sentence, strict=True):
            if word.tag != "instance":
                continue
            number += 1
            shared = {
                "text": " ".join(words),
                "target": list(place),
                "sentence": sentence.get("id", ""),
                "document": text.get("id", ""),
            }
            yield _row(number, word, right, wordnet, shared)


def _row(
    number: int,
    word: Element,
    right: Mapping[str, Sequence[str]],
    wordnet: "Glosses",
    shared: Mapping[str, Any],
) -> RawRow:
    """Row of one word."""
    name, lemma, pos = (word.get(key, "") for key in ("id", "lemma", "pos"))
    senses = wordnet.senses(lemma, pos)
    keys = [sense.key for sense in senses]
    wanted = right.get(name, ())
    if not wanted or not set(wanted) <= set(keys):
        return RawRow(number, {}, f"{name}: WordNet has no sense {', '.join(wanted) or lemma}")
    return RawRow(
        number,
        {
            **shared,
            "id": name,
            "senses": [sense.gloss for sense in senses],
            "sense": [keys.index(key) for key in wanted],
            "lemma": lemma,
            "pos": _FILES[pos][1],
        },
    )


class Glosses:
    """Senses of words, from the files of WordNet.

    Parameters
    ----------
    folder
        Where they are.

    Raises
    ------
    DataError
        If they are not there.
    """

    def __init__(self, folder: Path) -> None:
        self._index: dict[tuple[str, str], list[str]] = {}
        self._lines: dict[tuple[str, str], str] = {}
        try:
            for pos, (name, _) in _FILES.items():
                for line in _entries(folder / f"index.{name}"):
                    lemma, _, count, *rest = line.split()
                    self._index[lemma, pos] = rest[-int(count) :]
                for line in _entries(folder / f"data.{name}"):
                    self._lines[pos, line[:8]] = line
        except (OSError, ValueError) as error:
            raise DataError(
                f"{folder} has no files of WordNet 3.0 (data.noun, index.noun, …): {error}. Its "
                "dict folder, or Debian's package wordnet-base, has them: #wordnet=FOLDER."
            ) from None

    def senses(self, lemma: str, pos: str) -> list[Sense]:
        """Senses of a word, the most frequent first; none of what WordNet does not have."""
        low = lemma.lower()
        offsets = self._index.get((low, pos), [])
        return [self._sense(low, pos, self._lines[pos, offset]) for offset in offsets]

    def _sense(self, lemma: str, pos: str, line: str) -> Sense:
        """Sense of a word in a line of a data file, which has its words and then pointers."""
        before, _, gloss = line.partition(" | ")
        fields = before.split()
        words = _words(fields)
        number = next(lex for word, lex in words if word == lemma)
        head = ":"
        if fields[2] == "s":  # an adjective that is near another one is named after it, too
            pointers = fields[5 + 2 * len(words) :]
            offset = pointers[pointers.index("&") + 1]
            first = _words(self._lines[pos, offset].partition(" | ")[0].split())[0]
            head = f"{first[0]}:{first[1]:02d}"
        key = f"{lemma}%{_KINDS[fields[2]]}:{fields[1]}:{number:02d}:{head}"
        return Sense(key, gloss.strip())


def _words(fields: Sequence[str]) -> list[tuple[str, int]]:
    """Words of a line of a data file in lower case, each with its number in its file."""
    size = int(fields[3], 16)
    names, numbers = fields[4 : 4 + 2 * size : 2], fields[5 : 5 + 2 * size : 2]
    return [
        (name.partition("(")[0].lower(), int(number, 16))
        for name, number in zip(names, numbers, strict=True)
    ]


def _entries(path: Path) -> Iterator[str]:
    """Lines of a file of WordNet behind its license."""
    with path.open(encoding="utf-8") as file:
        yield from (line for line in file if not line.startswith("  "))
