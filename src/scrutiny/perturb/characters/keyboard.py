"""Neighboring keys: one drawn in each chosen word, or each of a word for a search to choose."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from scrutiny.perturb.characters.one_draw import OneDraw, Slipped
from scrutiny.perturb.characters.positions import Letters
from scrutiny.perturb.characters.slips import Slip

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
