"""Target words of association-test sentences: find the word that a sentence is about.

Sentences of SEAT put a word into a template ("This is a flower."). The tests give the sentences
alone; the word is found again by the list of words that the test was made from, in any of the
forms that the templates need. May, Wang, Bordia, Bowman and Rudinger 2019.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

_WORD: Final = re.compile(r"\w+")
_IRREGULAR: Final[Mapping[str, str]] = {
    **(pairs := {"man": "men", "woman": "women", "child": "children"}),
    **{plural: singular for singular, plural in pairs.items()},
}


class FoundWord(NamedTuple):
    """Word of a list, and its code points in a sentence."""

    word: str
    start: int
    end: int


class WordIndex:
    """Index of one set's words, to find them in sentences.

    Parameters
    ----------
    words
        As the word-level test lists them; entries may be phrases.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._entries: dict[str, list[tuple[str, tuple[frozenset[str], ...]]]] = {}
        for word in words:
            parts = tuple(_forms(part) for part in _WORD.findall(word.lower()))
            for first in sorted(parts[0]) if parts else ():
                self._entries.setdefault(first, []).append((word, parts))

    def find(self, sentence: str) -> FoundWord | None:
        """Longest match in a sentence; ties go to the unchanged word, then to the first."""
        tokens = [(m.group().lower(), m.start(), m.end()) for m in _WORD.finditer(sentence)]
        best: tuple[tuple[int, bool, int], FoundWord] | None = None
        for i, (token, start, _) in enumerate(tokens):
            for word, parts in self._entries.get(token, ()):
                there = tokens[i : i + len(parts)]
                if len(there) < len(parts):
                    continue
                if all(t[0] in part for t, part in zip(there, parts, strict=True)):
                    end = there[-1][2]
                    is_same = sentence[start:end].lower() == word.lower()
                    rank = (end - start, is_same, -start)
                    if best is None or rank > best[0]:
                        best = rank, FoundWord(word, start, end)
        return best[1] if best else None


@lru_cache(maxsize=4096)
def _forms(word: str) -> frozenset[str]:
    """Singular and plural forms of a lower-case word, the word included.

    Examples
    --------
    >>> sorted(_forms("ladies"))
    ['ladi', 'ladie', 'ladies', 'ladieses', 'ladiess', 'lady']
    """
    found = {word, word + "s", word + "es"}
    if word.endswith("y"):
        found.add(word[:-1] + "ies")
    if word.endswith("ies"):
        found.add(word[:-3] + "y")
    if word.endswith("es"):
        found.add(word[:-2])
    if word.endswith("s"):
        found.add(word[:-1])
    if word in _IRREGULAR:
        found.add(_IRREGULAR[word])
    return frozenset(found - {""})
