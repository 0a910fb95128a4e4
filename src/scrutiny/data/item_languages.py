"""Languages of items: as the data state them, else as the texts tell.

This is the only place that decides. The first texts that are read say which language is the
commonest; each later item is in it unless its own text is clearly in another.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from typing import Any, Final, TypeVar

from scrutiny.core.columns.coded import Coded, coded
from scrutiny.core.columns.item_packing import ItemBlock
from scrutiny.core.example import Example
from scrutiny.core.languages import UNKNOWN, counted, is_english, name_of
from scrutiny.text.language_detection import READ, Main, evidence, main_language

#: Items by which the commonest language is decided.
_FIRST: Final = 1_000
Key = TypeVar("Key")


@dataclass(slots=True)
class Languages:
    """Languages of the items of one source, filled while they are read.

    Parameters
    ----------
    counts
        How many items are in each.
    n_found
        How many of them had their language found, because it is not stated.
    """

    counts: dict[str, int] = field(default_factory=dict)
    n_found: int = 0

    def given(self, pairs: Iterable[tuple[Example, Key]]) -> Iterator[tuple[Example, Key]]:
        """The items with their languages; one whose language is empty gets the one found."""
        rest = iter(pairs)
        first = list(islice(rest, _FIRST))
        main = _main(_text_of(example) for example, _ in first if not example.language)
        for example, key in chain(first, rest):
            found = example
            if not example.language:
                found = example.with_language(main.of_text(_text_of(example)))
                self.n_found += 1
            self.counts[found.language] = self.counts.get(found.language, 0) + 1
            yield found, key

    def told(self, blocks: Iterable[tuple[ItemBlock, Key]]) -> Iterator[tuple[ItemBlock, Key]]:
        """The same for items side by side."""
        rest, first = iter(blocks), list[tuple[ItemBlock, Key]]()
        while sum(len(block.ids) for block, _ in first) < _FIRST and (pair := next(rest, None)):
            first.append(pair)
        known = chain.from_iterable(
            zip(block.texts(), block.languages.each(), strict=True) for block, _ in first
        )
        main = _main(text for text, language in islice(known, _FIRST) if not language)
        for block, keys in chain(first, rest):
            if "" in block.languages.values:
                block.languages = self._found(block, main)
            for language, count in block.languages.counts().items():
                self.counts[language] = self.counts.get(language, 0) + count
            yield block, keys

    def _found(self, block: ItemBlock, main: Main) -> Coded:
        """Languages of a block: those that are stated, and those that are found."""
        stated = block.languages.each()
        self.n_found += stated.count("")
        pairs = zip(stated, block.texts(), strict=True)
        return coded(language or main.of_text(text) for language, text in pairs)

    @property
    def note(self) -> str:
        """Sentence about languages that were found; empty where they are stated, or all English."""
        is_plain = not self.n_found or all(map(is_english, self.counts))
        return "" if is_plain or self.warning else found_note(self.counts)

    @property
    def warning(self) -> str:
        """Paragraph that asks for the language where it could not be told of most texts."""
        unknown = {c: n for c, n in self.counts.items() if c.partition("-")[0] == UNKNOWN}
        if 2 * sum(unknown.values()) <= sum(self.counts.values()):
            return ""
        return unknown_warning(max(unknown, key=unknown.__getitem__))

    @property
    def stated(self) -> Mapping[str, str]:
        """Option of the data string that would state what was found, if it is one language."""
        known = [code for code in self.counts if not code.startswith(UNKNOWN)]
        is_one = self.n_found and len(self.counts) == 1 and known and not is_english(known[0])
        return {"language": known[0]} if is_one else {}


def _main(texts: Iterable[str]) -> Main:
    """Language of most of the first texts; unknown where all of them say theirs."""
    return _main_of(tuple([text[:READ] for text in texts]))


@lru_cache(maxsize=4)  # the same data are read for one model after the other
def _main_of(texts: tuple[str, ...]) -> Main:
    return main_language(list(map(evidence, texts)), texts) if texts else Main(UNKNOWN)


def with_languages(examples: Iterable[Example]) -> list[Example]:
    """Examples of one source, each with the language that its text tells."""
    pairs = ((example.with_language(""), None) for example in examples)
    return [example for example, _ in Languages().given(pairs)]


def found_note(counts: Mapping[str, int]) -> str:
    """Sentence about the languages of data that do not state them.

    Examples
    --------
    >>> found_note({"de": 120})[:69]
    'The texts are in German (de), as their script and words tell. If they'
    """
    how = "as their script and words tell. If they are not, state it: #language=CODE, or a column."
    if len(counts) > 1:
        return f"The texts are in several languages ({counted(counts)}), {how}"
    return f"The texts are in {name_of(*counts)}, {how}"


def unknown_warning(language: str) -> str:
    """Paragraph that asks for the language of data.

    Examples
    --------
    >>> unknown_warning("und-Latn")[:63]
    'The language of the texts, in Latin letters, could not be told.'
    """
    letters = name_of(language).partition("unknown")[2].partition(" (")[0]
    which = f"texts,{letters}," if letters else "texts"
    return (
        f"The language of the {which} could not be told. State it behind the data string, "
        "#language=en, or name its column: until then, changes, attacks and slices that know "
        "only some languages leave these texts alone."
    )


def _text_of(example: Example) -> str:
    """Texts of an item in a row."""
    fields: Any = example.fields.values()
    return " ".join(fields) if len(fields) > 1 else next(iter(fields), "")
