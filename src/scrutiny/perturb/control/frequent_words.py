"""Random words of a given length."""

from collections.abc import Mapping, Sequence
from functools import cache
from string import ascii_lowercase
from types import MappingProxyType
from typing import Final

from scrutiny.perturb.engine.letters import pick
from scrutiny.text.lexicon import is_stop_word, read_bytes

_LEAST_ZIPF: Final = 350  # hundredths: about three times in a million words
_ENOUGH: Final = 20
_LONGEST: Final = 11


@cache
def words_by_length() -> Mapping[int, tuple[str, ...]]:
    """Frequent English words by their number of letters, in the list's order.

    Function words are left out: a random "not" would not be a neutral change.
    """
    found: dict[int, list[str]] = {}
    for line in read_bytes("zipf.txt.xz").decode("utf-8").splitlines():
        value, *words = line.split(" ")
        if not value.isdigit() or int(value) < _LEAST_ZIPF:
            continue
        for word in words:
            if word.isascii() and word.isalpha() and not is_stop_word(word):
                found.setdefault(len(word), []).append(word)
    return MappingProxyType({length: tuple(words) for length, words in found.items()})


def random_word(length: int, shares: Sequence[float], *, unlike: str = "") -> str:
    """Word of exactly so many letters.

    Beyond the lengths that have words enough, two words are run together; a single letter is
    drawn from the alphabet.

    Parameters
    ----------
    length
        At least 1.
    shares
        Numbers drawn from [0, 1), one for each letter that is wanted at most.
    unlike
        A lower-case word that must not come out.

    Examples
    --------
    >>> [len(random_word(n, [0.3] * n)) for n in (1, 4, 30)]
    [1, 4, 30]
    """
    if length > _LONGEST:
        half = length // 2
        return random_word(half, shares) + random_word(length - half, shares[half:])
    words = words_by_length().get(length, ())
    if len(words) < _ENOUGH:
        return "".join(pick(ascii_lowercase, share) for share in shares[:length])
    at = int(shares[0] * len(words))
    return words[at] if words[at] != unlike else words[(at + 1) % len(words)]
