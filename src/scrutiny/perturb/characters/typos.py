"""Typos inside words: random letters, neighboring keys, inner characters exchanged."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.languages import SPACED_WORDS
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Intensity, Site
from scrutiny.perturb.characters.slips import Slip
from scrutiny.perturb.characters.within_words import (
    Letters,
    OneDraw,
    Slipped,
    exchanged,
    letters_of,
)
from scrutiny.perturb.engine.changes import Candidates, Change, Sites, whole_text, word_sites
from scrutiny.text.letters import same_class
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.tokens import graphemes

_MODES = ("replace", "swap", "insert", "delete")


@dataclass(frozen=True, slots=True)
class Typos(OneDraw):
    """A letter replaced, swapped, inserted or deleted inside words.

    One typing error in each chosen word.

    A replaced or inserted letter is a random one of the same class: digit, upper case, lower case,
    and of the same script. Two equal neighbors are never swapped.

    Parameters
    ----------
    mode
        Kind of slip; ``random`` draws one for each word.
    skip_first, skip_last
        Leave the first or the last character of a word where it is.
    shortest
        Words of fewer characters are left alone.

    **Measures** the answer to unsystematic noise inside words, with everything else as it was.

    **Misleads when** the model's tokenizer splits the changed words into many pieces: then it is
    the tokenizer that was tested. Compare with the matched control, and by piece count.

    References
    ----------
    Pruthi, Dhingra, Lipton (2019). Combating adversarial misspellings with robust word recognition.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> variant = perturb("He loves it", "typos(mode=swap)", seed=0)
    >>> variant.edits[0].text in ("vo", "ol", "ev")
    True
    """

    id = "typos@1"
    intensity = Intensity(share=0.3, least=1, most=None)
    inside = True

    mode: Literal["random", "replace", "swap", "insert", "delete"] = "random"
    skip_first: bool = True
    skip_last: bool = True
    shortest: int = 4

    def sites(self, document: Document) -> Sites:
        """Words that are long enough."""
        return word_sites(document, max(self.shortest, 1 + self.skip_first + self.skip_last))

    def tries(self, word: str) -> int:
        """Every place, in every mode."""
        return len(word) * (len(_MODES) if self.mode == "random" else 1)

    def slipped(self, word: str, share: float, number: int = 0) -> Slipped | None:
        """The typo whose mode, place and letter are in the digits of the share."""
        units: str | list[str] = word if word.isascii() else graphemes(word)
        turn, place = divmod(number, len(word)) if number else (0, 0)
        mode: str = self.mode
        if mode == "random":
            drawn, share = divmod(share * 4, 1.0)
            mode = _MODES[(int(drawn) + turn) % 4]
        low = self.skip_first
        places = len(units) - low - self.skip_last - (mode == "swap")
        if place >= places:
            return None
        first, share = divmod(share * places, 1.0)
        at = low + (int(first) + place) % places
        unit = units[at]
        width = len(unit)
        if mode == "swap":
            new = exchanged(units, at)
            width += len(units[at + 1])
        elif mode == "delete":
            new = ""
        else:
            options = same_class(unit)
            new = options[int(share * len(options))] if options else None
            width = width if mode == "replace" else 0
        if new is None:
            return None
        return at if units is word else sum(map(len, units[:at])), width, new


#: Languages that are mostly typed with the letters of QWERTY in their places.
QWERTY: Final = frozenset(
    "en nl es pt it ca gl eu pl ro sv da nb nn no fi et is ga cy id ms tl sw af hi-Latn".split()
)


@dataclass(frozen=True, slots=True)
class Keyboard(OneDraw):
    """Replaces one character of each chosen word by a neighboring key.

    Letters give letters of the same case. The layout is QWERTY, so texts in languages that are
    usually typed on another (German, French, Czech ...) are left alone, and so are characters that
    are not on it.

    Parameters
    ----------
    symbols
        Let digits and punctuation come as well, where their keys are near.
    shortest
        Words of fewer characters are left alone.

    **Measures** the answer to the slips that people make when they type.

    **Misleads when** the users type on another layout, or with autocorrection: then such slips are
    rare in what the model will see.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> edit = perturb("good", "keyboard", seed=0).edits[0]
    >>> edit.text in keyboard_neighbors("good"[edit.start])
    True
    """

    id = "keyboard@1"
    title = "keyboard typos"
    languages = QWERTY

    symbols: bool = False
    shortest: int = 4

    def tries(self, word: str) -> int:
        """Every character."""
        return len(word)

    def slipped(self, word: str, share: float, number: int = 0) -> Slipped | None:
        """The character and its neighbor that are in the digits of the share."""
        first, share = divmod(share * len(word), 1.0)
        place = (int(first) + number) % len(word)
        neighbors = keyboard_neighbors(word[place], symbols=self.symbols)
        return (place, 1, neighbors[int(share * len(neighbors))]) if neighbors else None


@dataclass(frozen=True, slots=True)
class NeighborKey(Slip):
    """Replaces one character by an adjacent key on a QWERTY keyboard.

    Parameters
    ----------
    positions
        ``random``: one of all such changes of a word, drawn; ``all``: each key at each place.
    keep_first, keep_last
        Leave the first or the last character of a word as it is.
    shortest
        Words of fewer characters are left alone.

    **Measures** with a search on top, how far chosen slips bring a model; see ``keyboard`` for
    random ones.

    **Misleads when** the users type on another layout, or with autocorrection. Texts in languages
    that are usually typed on one are left alone.

    References
    ----------
    Pruthi, Dhingra, Lipton (2019). Combating adversarial misspellings with robust word recognition.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("ox", "neighbor_key(positions=all,keep_first=true)", seed=0).edits[0].text
    's'
    """

    id = "neighbor_key@1"
    title = "neighboring keys"
    languages = QWERTY

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Adjacent keys of each key, in the order of the keyboard rows."""
        return [(i, key, 1) for i in word.places() for key in keyboard_neighbors(word.units[i])]


#: A staggered QWERTY layout; centers of neighbors are less than 1.3 key widths apart.
#: Each row has its offset in key widths, its plain characters and its shifted ones.
_ROWS = (
    (0.0, "1234567890-=", "!@#$%^&*()_+"),
    (0.5, "qwertyuiop[]", "QWERTYUIOP{}"),
    (0.75, "asdfghjkl;'", 'ASDFGHJKL:"'),
    (1.25, "zxcvbnm,./", "ZXCVBNM<>?"),
)
_REACH = 1.3


def _kind(char: str) -> tuple[bool, bool]:
    return char.isalpha(), char.isdigit()


@cache
def _keyboard() -> tuple[dict[str, str], dict[str, str]]:
    """(neighbors of the same kind, all neighbors) of each character."""
    keys = [
        (offset + column, float(row), plain[column], shifted[column])
        for row, (offset, plain, shifted) in enumerate(_ROWS)
        for column in range(len(plain))
    ]
    every: dict[str, str] = {}
    for x, y, *chars in keys:
        near = [k for k in keys if 0 < (k[0] - x) ** 2 + (k[1] - y) ** 2 < _REACH**2]
        for level, char in enumerate(chars):
            every[char] = "".join(str(k[2 + level]) for k in near)
    same = {
        char: "".join(n for n in near if _kind(n) == _kind(char)) for char, near in every.items()
    }
    return same, every


def keyboard_neighbors(char: str, *, symbols: bool = False) -> str:
    """Return the characters one key away, in the same case; empty for other scripts.

    Letters neighbor letters and digits digits, unless ``symbols`` asks for all keys.

    Examples
    --------
    >>> keyboard_neighbors("g"), keyboard_neighbors("A"), keyboard_neighbors("é")
    ('tyfhvb', 'QWSZ', '')
    >>> keyboard_neighbors("q", symbols=True)
    '12wa'
    """
    return _keyboard()[symbols].get(char, "")


_TRIES: Final = 10  # redraws of a pair of equal characters


@dataclass(frozen=True, slots=True)
class MiddleSwap(Change):
    """Exchanges two characters that are neither the first nor the last of their word.

    Parameters
    ----------
    scope
        ``text``: one pair in every word at once, and the text is the place. ``word``: in one word.
    draws
        How many candidates are drawn; equal ones come once.
    shortest
        Words of fewer characters are left alone.
    skip_stop_words
        Leave function words alone.

    **Measures** whether a model reads words by their letters or by their look as a whole.

    **Misleads when** the amount of change differs between texts that are compared: long texts
    have more long words.

    References
    ----------
    Rawal, Toneva (2024). Perturbed examples reveal invariances shared by language models.
    Pruthi, Dhingra, Lipton (2019). Combating adversarial misspellings with robust word recognition.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> [edit[1:4] for edit in perturb("The good film", "middle_swap", seed=0).edits]
    [(10, 12, 'li')]
    """

    id = "middle_swap@1"
    title = "inner letters swapped"
    languages = SPACED_WORDS
    intensity = Intensity(share=0.3, least=1, most=None)
    is_for_search = True

    scope: Literal["text", "word"] = "text"
    draws: int = 15
    shortest: int = 4
    skip_stop_words: bool = True

    def sites(self, document: Document) -> Sites:
        """The whole text if it has an eligible word, or each eligible word."""
        words = self._words(document)
        return words if self.scope == "word" else whole_text(document) if words else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The requested number of draws, without duplicates."""
        words = self._words(document) if self.scope == "text" else [site]
        seen = set()
        for _ in range(self.draws):
            found = [edit for word in words for edit in _swapped(document, word, rng)]
            if found and (key := tuple(found)) not in seen:
                seen.add(key)
                yield key

    def _words(self, document: Document) -> list[Site]:
        found = word_sites(document, max(4, self.shortest))
        if not self.skip_stop_words:
            return found
        return [s for s in found if not is_stop_word(document.words[s.token])]


def _swapped(document: Document, site: Site, rng: Rng) -> tuple[Edit, ...]:
    """Edit that exchanges two different inner characters; `None` if the draws found none."""
    word = letters_of(document, site, keep_first=True, keep_last=True)
    units, count = word.units, word.high - word.low
    for _ in range(_TRIES if count > 1 else 0):
        first, second = int(rng.random() * count), int(rng.random() * (count - 1))
        i, j = sorted((first, second + (second >= first)))
        i, j = i + word.low, j + word.low
        if units[i] != units[j]:
            new = "".join([units[j], *units[i + 1 : j], units[i]])
            return word.change(i, new, width=j - i + 1)
    return ()
