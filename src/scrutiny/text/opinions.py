"""Words of praise and of blame in reviews, each with its opposite.

Changes of texts turn opinions round with them, and a baseline counts them. The table is ours
(``data/opinion_pairs.tsv``): of kinds ``a`` (adjectives), ``n``, ``v``, ``r`` (adverbs) and ``p``
(phrases).
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import table

#: Kinds of words in the table, with their parts of speech.
KINDS: Final[Mapping[str, str]] = {"a": "ADJ", "n": "NOUN", "v": "VERB", "r": "ADV"}


@cache
def opposites() -> Mapping[tuple[str, int], Mapping[str, str]]:
    """Opposites of words by kind and by what the word says: 1 is praise, -1 blame.

    Of several in the table the first counts.
    """
    found: dict[tuple[str, int], dict[str, str]] = {}
    for kind, praise, blame in table("opinion_pairs"):
        found.setdefault((kind, 1), {}).setdefault(praise, blame)
        found.setdefault((kind, -1), {}).setdefault(blame, praise)
    return found


@lru_cache(maxsize=1 << 16)
def sign_of_word(word: str) -> int:
    """What a lower-case word alone says: 1 is praise, -1 blame, 0 neither, or that it depends.

    Examples
    --------
    >>> sign_of_word("delicious"), sign_of_word("rudest"), sign_of_word("table")
    (1, -1, 0)
    """
    praised, blamed = (
        any({word, lemma(word, upos)} & opposites()[kind, sign].keys() for kind, upos in _LEMMAS)
        for sign in (1, -1)
    )
    return praised - blamed


_LEMMAS: Final = tuple(KINDS.items())
