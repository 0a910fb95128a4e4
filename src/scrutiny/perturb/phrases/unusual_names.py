"""Names of people, places and organizations that no model has seen, and names of many words."""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Final

from scrutiny.text.lexicon import Gender, first_names, listed, table, zipf
from scrutiny.text.wordnet import exists

_HEADS: Final = "Bra Cor Dre Fen Gla Hol Kel Lor Mor Nar Ost Pel Quen Ros Sul Tav Ulv Vas Wex Zan"
_MIDDLES: Final = "da de di do ga le li lo na ni ra ri ro va ve".split()
_TAILS: Final = {
    "PER": "ck dt ff kin lman mas nov rik rsen sby tz x".split(),
    "LOC": "burg ford mouth nia nsk ston vik ville wick".split(),
    "ORG": "con dyne lix nova rex tek tron vex xa".split(),
}
#: What says of an invented word that it is an organization.
_KINDS_OF_FIRM: Final = ("Corporation", "Industries", "Group", "Systems", "Holdings", "Partners")


@cache
def invented(kind: str) -> tuple[str, ...]:
    """Invented words that could be names of a kind, and that no dictionary or list of ours has.

    Examples
    --------
    >>> invented("LOC")[:2]
    ('Bradaburg', 'Bradaford')
    """
    parts = product(_HEADS.split(), _MIDDLES, _TAILS[kind])
    made = ("".join(part) for part in parts)
    return tuple(name for name in made if not zipf(name) and not exists(name))


def unseen_parts(kind: str, words: int) -> list[Sequence[str]]:
    """Lists whose words, one of each, are an invented name in place of one of so many words."""
    if kind == "ORG":
        return [invented(kind), _KINDS_OF_FIRM]
    return [invented(kind)] * (2 if kind == "PER" and words > 1 else 1)


def longer_parts(kind: str, words: int, gender: Gender | None) -> list[Sequence[str]]:
    """Lists whose words, one of each, are a name of more words than one of so many."""
    if kind == "PER":
        both = *first_names("female"), *first_names("male")
        first = first_names(gender) if gender else both
        n = max(2, words)
        return [*[first] * (n - n // 2), *[listed("last_names")] * (n // 2 + 1)]
    return [tuple(n for k, n in table("long_names") if k == kind and n.count(" ") >= words)]
