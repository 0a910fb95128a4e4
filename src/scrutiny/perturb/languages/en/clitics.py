"""English clitics, attached ("can't", "I'll") or split as in the Penn treebank ("ca n't", "I 'll").

The one place that knows both: whoever reads a verb or writes one back before "n't" asks here.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

CLITICS: Final = {
    "'m": "be",
    "'re": "be",
    "'s": "be",
    "'ve": "have",
    "'ll": "modal",
    "'d": "modal",
}
PRONOUNS: Final = frozenset(
    """i you he she it we they this that these those there here who what everyone everybody someone
    somebody everything something""".split()
)
# What is left of a verb before n't, and the verb.
_STEMS: Final = {"ca": "can", "wo": "will", "sha": "shall"}
_SHORT: Final = {full: short for short, full in _STEMS.items()}
_NEGATABLE: Final = frozenset(
    """am is are was were have has had do does did can could will would shall should may might must
    ought need""".split()
)


@lru_cache(maxsize=1 << 16)
def plain(word: str) -> str:
    """An English word as clitics and verbs are looked up: lower case, a straight apostrophe."""
    return word.lower().replace("’", "'")


@lru_cache(maxsize=1 << 16)
def negated_stem(word: str) -> str | None:
    """English auxiliary of a contracted negation ("won't" to "will"), or `None` ("ain't").

    Examples
    --------
    >>> negated_stem("Can't"), negated_stem("cannot"), negated_stem("ain't"), negated_stem("n't")
    ('can', 'can', None, None)
    """
    low = plain(word)
    if low == "cannot":
        return "can"
    if not low.endswith("n't"):
        return None
    stem = _STEMS.get(low[:-3], low[:-3])
    return stem if stem in _NEGATABLE else None


def is_before_not(words: Sequence[str], index: int) -> bool:
    """Whether the clitic "n't" is split off a verb ("could" in "could n't").

    Examples
    --------
    >>> is_before_not(["ca", "n't"], 0), is_before_not(["ca", "."], 0), is_before_not(["ca"], 0)
    (True, False, False)
    """
    return index + 1 < len(words) and plain(words[index + 1]) == "n't"


def full_form(words: Sequence[str], index: int) -> str:
    """English verb without its contracted negation, in lower case: "ca n't" and "can't" as "can".

    Examples
    --------
    >>> full_form(["wo", "n't"], 0), full_form(["Won’t"], 0), full_form(["wo", "is"], 0)
    ('will', 'will', 'wo')
    """
    low = plain(words[index])
    if low in _STEMS and is_before_not(words, index):
        return _STEMS[low]
    return negated_stem(low) or low


def before_not(verb: str) -> str:
    """Form of a verb before "n't", contracted or split: "ca" for "can".

    Examples
    --------
    >>> [before_not(verb) + "n't" for verb in ("can", "will", "is")]
    ["can't", "won't", "isn't"]
    """
    return _SHORT.get(verb, verb)


@lru_cache(maxsize=1 << 16)
def clitic_of(word: str) -> str | None:
    """Verbal clitic at the end of a contracted pronoun ("I'll" to "'ll"), or `None`.

    Examples
    --------
    >>> clitic_of("they've"), clitic_of("John's"), clitic_of("let's")
    ("'ve", None, None)
    """
    stem, mark, rest = plain(word).partition("'")
    clitic = mark + rest
    return clitic if stem in PRONOUNS and clitic in CLITICS else None
