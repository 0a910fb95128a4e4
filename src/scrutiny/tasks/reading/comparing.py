"""Exact match and F1 of extracted answers, as SQuAD and MLQA compute them."""

from collections import Counter
from functools import lru_cache
from statistics import fmean

from scrutiny.core.answers.extract_words import words_of_both


@lru_cache(maxsize=1 << 16)
def compare(answer: str, gold: str, *, keeps_articles: bool = False) -> tuple[float, float]:
    """Exact match, and F1 of the words, of an answer and one right answer.

    Examples
    --------
    >>> compare("the Denver Broncos", "Denver Broncos."), compare("Broncos", "Denver Broncos")
    ((1.0, 1.0), (0.0, 0.6666666666666666))
    """
    ours, theirs = words_of_both(answer, gold, keeps_articles=keeps_articles)
    if ours == theirs:
        return 1.0, 1.0
    common = sum((Counter(ours) & Counter(theirs)).values())
    return 0.0, 2 * common / (len(ours) + len(theirs))


@lru_cache(maxsize=1 << 14)
def of_stretches(text: str, answer: str) -> float:
    """Mean F1 of an answer and every stretch of a text with as many words.

    Examples
    --------
    >>> of_stretches("He was born in Rome.", "in Rome")  # was born: 0, born in: 1/2, in Rome: 1
    0.375
    """
    ours, theirs = words_of_both(text, answer)
    n = len(theirs)
    if not 0 < n <= len(ours):
        return 0.0
    wanted = Counter(theirs)
    common = (Counter(ours[i : i + n]) & wanted for i in range(len(ours) - n + 1))
    return fmean(one.total() / n for one in common)
