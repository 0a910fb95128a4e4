"""Random text of a given shape: words of existing lengths, letters."""

from collections.abc import Mapping, Sequence
from functools import cache
from string import ascii_lowercase
from types import MappingProxyType
from typing import Final

from scrutiny.core.grouping import grouped
from scrutiny.core.randomness import pick
from scrutiny.perturb.engine.change import Rng
from scrutiny.text.casing import match_case
from scrutiny.text.letters import same_class
from scrutiny.text.lexicon import is_stop_word, read_bytes
from scrutiny.text.tokens import token_spans


def random_text(like: str, rng: Rng, *, unlike: str = "", is_english: bool = True) -> str:
    """Text of random words with the spaces, marks, capitals and word lengths of another text.

    Parameters
    ----------
    like
        What it takes its shape from; it has exactly as many code points.
    unlike
        A word that must not come out.
    is_english
        Otherwise the words are random letters of the same classes.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> drawn = random_text("As far as I know, ", default_rng(0))
    >>> len(drawn), drawn[-2:], drawn[0].isupper()
    (18, ', ', True)
    """
    if not is_english:
        return filler_letters(like, rng, unlike=unlike)
    pieces, done = [], 0
    for start, end in token_spans(like):
        word = like[start:end]
        if any(char.isalnum() for char in word):
            shares = rng.random(end - start).tolist()
            fresh = random_word(end - start, shares, unlike=unlike.lower())
            pieces += [like[done:start], match_case(word, fresh)]
            done = end
    return "".join([*pieces, like[done:]])


def filler_letters(like: str, rng: Rng, *, unlike: str = "") -> str:
    """Random filler of the same classes of characters, each different from the one it replaces.

    Letters stay letters of their case and script, digits digits; everything else stays as it is.
    """
    drawn = ""
    for i, (char, share) in enumerate(zip(like, rng.random(len(like)).tolist(), strict=True)):
        options = same_class(char) + char if char.isalnum() else char
        if taken := unlike[i : i + 1]:
            options = options.replace(taken, "") or options
        drawn += pick(options, share)
    return drawn


def of_length(text: str, length: int) -> str | None:
    """Text whose last words are made longer or shorter; `None` if that is impossible.

    Examples
    --------
    >>> of_length("so good", 9), of_length("so good", 4), of_length("so", 0)
    ('so goodxx', 'so g', None)
    """
    spans = [s for s in token_spans(text) if any(c.isalnum() for c in text[s[0] : s[1]])]
    excess = len(text) - length
    if not spans:
        return text if excess == 0 else None
    if excess <= 0:
        end = spans[-1][1]
        filling = text[end - 1] if text[end - 1].isalpha() else "x"
        return text[:end] + ("x" if filling.islower() else filling) * -excess + text[end:]
    for start, end in reversed(spans):
        cut = min(excess, end - start - 1)
        text = text[: end - cut] + text[end:]
        excess -= cut
    return text if excess == 0 else None


_LEAST_ZIPF: Final = 350  # hundredths: about three times in a million words
_ENOUGH: Final = 20
_LONGEST: Final = 11


@cache
def _words_by_length() -> Mapping[int, tuple[str, ...]]:
    """Frequent English words by their number of letters, in the list's order.

    Function words are left out: a random "not" would not be a neutral change.
    """
    lines = [line.split(" ") for line in read_bytes("zipf.txt.xz").decode("utf-8").splitlines()]
    frequent = [words for n, *words in lines if n.isdigit() and int(n) >= _LEAST_ZIPF]
    found = grouped(
        (len(word), word)
        for words in frequent
        for word in words
        if word.isascii() and word.isalpha() and not is_stop_word(word)
    )
    return MappingProxyType({length: tuple(words) for length, words in found.items()})


def random_word(length: int, shares: Sequence[float], *, unlike: str = "") -> str:
    """Random word with exactly so many letters.

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
    words = _words_by_length().get(length, ())
    if len(words) < _ENOUGH:
        return "".join(pick(ascii_lowercase, share) for share in shares[:length])
    at = int(shares[0] * len(words))
    return words[at] if words[at] != unlike else words[(at + 1) % len(words)]
