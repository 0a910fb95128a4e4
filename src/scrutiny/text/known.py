"""Known words: English words that no misspelling may turn into."""

from functools import lru_cache
from typing import Final

from scrutiny.text.inflect import lemma
from scrutiny.text.lexicon import zipf
from scrutiny.text.wordnet import POS_OF, exists

_WORD_FROM: Final = 3.0  # below, the commonest misspellings are counted as well ("recieve")


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
