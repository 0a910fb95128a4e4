"""WordNet 3.0: synonyms, antonyms and the hierarchy, the most frequent sense first.

The file stays one block of bytes in memory (6 MB); look-ups bisect it, and answers are kept. Lemmas
are matched in lower case, blanks and underscores alike; lemmas that come back are written with
blanks and keep their capitals.

References
----------
George A. Miller (1995). WordNet: a lexical database for English. CACM 38(11).
Christiane Fellbaum, ed. (1998). WordNet: an electronic lexical database. MIT Press.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import read_bytes, zipf

#: WordNet's letter for each universal part of speech that it has.
POS_OF: Final = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}

_LEXNAMES = (
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute "
    "noun.body noun.cognition noun.communication noun.event noun.feeling noun.food noun.group "
    "noun.location noun.motive noun.object noun.person noun.phenomenon noun.plant "
    "noun.possession noun.process noun.quantity noun.relation noun.shape noun.state "
    "noun.substance noun.time verb.body verb.change verb.cognition verb.communication "
    "verb.competition verb.consumption verb.contact verb.creation verb.emotion verb.motion "
    "verb.perception verb.possession verb.social verb.stative verb.weather adj.ppl"
).split()
_CACHED = 1 << 16
_WORD_FROM: Final = 3.0  # below, the commonest misspellings are counted as well ("recieve")
_STEP = 32


@dataclass(frozen=True, slots=True)
class _Lines:
    """Sorted lines in one block: line i is ``block[starts[i] : starts[i + 1] - 1]``."""

    block: bytes
    starts: Any  # int64 (line + 1,)
    keys: list[str]  # of every 32nd line

    def __getitem__(self, number: int) -> str:
        return self.block[self.starts[number] : self.starts[number + 1] - 1].decode()

    def find(self, key: str) -> int | None:
        """Return the number of the first line with this key, in ASCII, or None."""
        # It stands on the page before the first one that begins with the key or what is behind it,
        # or is that one's first line.
        page = max(0, bisect_left(self.keys, key) - 1) * _STEP
        last = min(page + _STEP + 1, len(self.starts) - 1)
        chunk = b"\n" + self.block[self.starts[page] : self.starts[last]].lower()
        start = b"\n" + key.encode()
        places = [p for end in (b" ", b"=") if (p := chunk.find(start + end)) >= 0]
        return page + chunk.count(b"\n", 0, min(places)) if places else None


def _lines(block: bytes, starts: Any) -> _Lines:
    lines = _Lines(block, starts, [])
    firsts = (lines[i] for i in range(0, len(starts) - 1, _STEP))
    lines.keys.extend(line[: line.index(" ")].partition("=")[0].lower() for line in firsts)
    return lines


class _Synset(NamedTuple):
    kind: str  # n v a s r
    lexfile: int
    lemmas: tuple[str, ...]
    counts: tuple[int, ...]  # how often each lemma was tagged in this sense


# kind, source word, target word, synset; words count from 1, 0 is the whole synset
_Pointer = tuple[str, int, int, int]


@cache
def _load() -> tuple[_Lines, _Lines]:
    import numpy as np

    block = read_bytes("wordnet.txt.xz")
    first = block.index(b"\n") + 1
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
    size = int(block[:first])
    return _lines(block, ends[: size + 1]), _lines(block, ends[size:])


@lru_cache(maxsize=_CACHED)
def _senses(lemma: str) -> dict[str, tuple[int, ...]]:
    """Synset numbers by part of speech, frequent sense first."""
    index, synset_lines = _load()
    key = lemma.lower().replace(" ", "_")
    if not key.isascii() or "\n" in key:
        return {}
    row = index.find(key)
    listed = "" if row is None else index[row]
    own = synset_lines.find(key) if not listed or "." in listed.partition(" ")[2] else None
    if not listed:
        if own is None:
            return {}
        kind = _words(own).kind
        return {"a" if kind == "s" else kind: (own,)}
    found = {}
    for group in listed.split(" ")[1:]:
        pos, _, numbers = group.partition(":")
        found[pos] = tuple(
            int(n[1:]) + (own or 0) if n[0] == "." else int(n) for n in numbers.split(",")
        )
    return found


@lru_cache(maxsize=_CACHED)
def _words(number: int) -> _Synset:
    line = _load()[1][number]
    *words, category = line[: line.index("|")].split(" ")
    pairs = [word.partition("=") for word in words]
    return _Synset(
        category[0],
        int(category[1:]),
        tuple([pair[0].replace("_", " ") for pair in pairs]),
        tuple([int(pair[2] or 0) for pair in pairs]),
    )


@lru_cache(maxsize=_CACHED)
def _pointers(number: int) -> tuple[_Pointer, ...]:
    """Pointers as stored: symmetric derivations are stored on one side only."""
    line = _load()[1][number]
    back = line[line.index("|") + 1 :]
    pointers = []
    for field in back.split(" ") if back else ():
        kind, rest = field[0], field[1:]
        source, target = 0, 0
        if rest[0] == ".":
            _, left, right, rest = rest.split(".")
            source, target = int(left), int(right)
        pointers.append((kind, source, target, int(rest) + (number if kind == "+" else 0)))
    return tuple(pointers)


def exists(lemma: str, pos: str | None = None) -> bool:
    """Whether WordNet has a lemma, in one part of speech or in any.

    Examples
    --------
    >>> exists("hot dog"), exists("dog", "r"), exists("qqqq")
    (True, False, False)
    """
    senses = _senses(lemma)
    return bool(senses) if pos is None else pos in senses


def synsets(lemma: str, pos: str) -> tuple[int, ...]:
    """Return the numbers of a lemma's synsets, frequent sense first; empty if unknown."""
    return _senses(lemma).get(pos, ())


def lemmas(synset: int) -> tuple[str, ...]:
    """Return the lemmas of a synset.

    Examples
    --------
    >>> lemmas(synsets("car", "n")[0])
    ('car', 'auto', 'automobile', 'machine', 'motorcar')
    """
    return _words(synset).lemmas


def lexname(synset: int) -> str:
    """Return the lexicographer file of a synset, a coarse semantic class.

    Examples
    --------
    >>> lexname(synsets("dog", "n")[0])
    'noun.animal'
    """
    return _LEXNAMES[_words(synset).lexfile]


def sense_counts(lemma: str, pos: str) -> tuple[int, ...]:
    """Return how often each sense of a lemma was tagged in SemCor, in the order of `synsets`.

    Examples
    --------
    >>> sense_counts("dog", "n")[:2]
    (42, 0)
    """
    key = lemma.lower().replace("_", " ")
    counts = []
    for number in synsets(lemma, pos):
        synset = _words(number)
        lower = [other.lower() for other in synset.lemmas]
        counts.append(synset.counts[lower.index(key)])
    return tuple(counts)


def _ranked(number: int) -> list[str]:
    """Lemmas of a synset, those tagged most often in this sense first."""
    synset = _words(number)
    order = sorted(range(len(synset.lemmas)), key=lambda i: (-synset.counts[i], i))
    return [synset.lemmas[i] for i in order]


def _unique(found: Iterable[str], lemma: str) -> tuple[str, ...]:
    own = lemma.lower().replace("_", " ")
    return tuple(dict.fromkeys(word for word in found if word.lower() != own))


def _words_at(ends: Iterable[tuple[int, int]]) -> list[str]:
    found: list[str] = []
    for number, word in ends:
        found += [_words(number).lemmas[word - 1]] if word else _ranked(number)
    return found


@lru_cache(maxsize=_CACHED)
def antonyms(
    lemma: str, pos: str, *, senses: int | None = None, indirect: bool = False
) -> tuple[str, ...]:
    """Return antonyms of the lemma itself, frequent sense first.

    With ``indirect``, adjectives without one take those of the adjectives that they are similar to
    (*swift*, similar to *fast*: *slow*).

    Examples
    --------
    >>> antonyms("good", "a", senses=1), antonyms("swift", "a", indirect=True)
    (('bad',), ('slow',))
    """
    found = []
    for number in synsets(lemma, pos)[:senses]:
        # pairs (synset, word) of the antonyms of one lemma of a synset
        synset = _words(number)
        key = lemma.lower().replace("_", " ")
        own = [0, *(i + 1 for i, other in enumerate(synset.lemmas) if other.lower() == key)]
        pointers = _pointers(number)
        ends = [(n, word) for kind, source, word, n in pointers if kind == "!" and source in own]
        if not ends and indirect:
            for kind, _, _, head in _pointers(number):
                if kind == "&":
                    ends += [(n, word) for k, _, word, n in _pointers(head) if k == "!"]
        found += _words_at(ends)
    return _unique(found, lemma)


@lru_cache(maxsize=_CACHED)
def opposites(base: str, pos: str) -> frozenset[str]:
    """Antonyms of a lemma in WordNet, and those of the adjectives similar to it.

    Examples
    --------
    >>> "bad" in opposites("good", "a"), "slow" in opposites("swift", "a")
    (True, True)
    """
    return frozenset(antonyms(base, pos)) | frozenset(antonyms(base, pos, indirect=True))


@lru_cache(maxsize=_CACHED)
def hypernyms(lemma: str, pos: str, *, senses: int | None = None) -> tuple[str, ...]:
    """Return lemmas of the synsets directly above (and of the classes of instances).

    Examples
    --------
    >>> hypernyms("dog", "n", senses=1)
    ('canine', 'canid', 'domestic animal', 'domesticated animal')
    """
    found = []
    for number in synsets(lemma, pos)[:senses]:
        found += _words_at([(n, 0) for kind, _, _, n in _pointers(number) if kind in "@^"])
    return _unique(found, lemma)


@lru_cache(maxsize=1 << 16)
def are_antonyms(word: str, other: str) -> bool:
    """Whether two lower-case words, or their base forms, are antonyms in WordNet.

    Examples
    --------
    >>> are_antonyms("good", "bad"), are_antonyms("loves", "hated"), are_antonyms("good", "fine")
    (True, True, False)
    """
    return any(
        exists(base := lemma(word, upos), pos) and lemma(other, upos) in opposites(base, pos)
        for upos, pos in POS_OF.items()
    )


@lru_cache(maxsize=1 << 14)
def is_known_word(word: str) -> bool:
    """Whether a word is English: frequent, or in WordNet in some inflection; in any case.

    Examples
    --------
    >>> [is_known_word(word) for word in ("Shuck", "shucks", "recieve", "mice")]
    [True, True, False, True]
    """
    low = word.lower()
    if zipf(low) >= _WORD_FROM:
        return True
    return any(exists(low, pos) or exists(lemma(low, upos), pos) for upos, pos in POS_OF.items())


@lru_cache(maxsize=_CACHED)
def synonyms(word: str, pos: str, senses: int | None) -> tuple[str, ...]:
    """Single-word lemmas of the synsets of a lower-case word, or of its base form, without it.

    Parameters
    ----------
    word
        In lower case, inflected or not.
    pos
        Letters of the parts of speech that count, of ``nvar``.
    senses
        How many senses of each count; nothing takes all.
    """
    found: list[str] = []
    for upos, letter in POS_OF.items():
        if letter not in pos:
            continue
        for form in dict.fromkeys((word, lemma(word, upos))):
            for synset in synsets(form, letter)[:senses]:
                found += [other for other in lemmas(synset) if other.isalpha()]
    return tuple(dict.fromkeys(other for other in found if other.lower() != word))
