"""Words of answers that are compared: exact match and F1, as SQuAD and MLQA compute them.

English is normalized as SQuAD's script does it (Rajpurkar et al. 2016): lower case, without
punctuation and articles, cut at spaces. Where Chinese characters occur, each is a word, letters and
digits between them are cut at spaces, and the punctuation of all scripts goes (MLQA, Lewis et al.
2020; CMRC, Cui et al. 2019).
"""

import re
import string
from collections import Counter
from functools import lru_cache
from statistics import fmean
from typing import Final
from unicodedata import category

_ARTICLE: Final = re.compile(r"\b(a|an|the)\b")
_HAN: Final = re.compile("([\u4e00-\u9fff])")
_PUNCTUATION: Final = frozenset(string.punctuation)


def words_of(text: str, *, is_chinese: bool = False) -> list[str]:
    """Words of an answer that count.

    Examples
    --------
    >>> words_of("The  Golden 'Anniversary'!"), words_of("在2016年。", is_chinese=True)
    (['golden', 'anniversary'], ['在', '2016', '年'])
    """
    lower = text.lower()
    if is_chinese:
        kept = "".join(c for c in lower if c not in _PUNCTUATION and category(c)[0] != "P")
        return _HAN.sub(r" \1 ", kept).split()
    return _ARTICLE.sub(" ", "".join(c for c in lower if c not in _PUNCTUATION)).split()


@lru_cache(maxsize=1 << 16)
def compare(answer: str, gold: str) -> tuple[float, float]:
    """Exact match, and F1 of the words, of an answer and one right answer.

    Examples
    --------
    >>> compare("the Denver Broncos", "Denver Broncos."), compare("Broncos", "Denver Broncos")
    ((1.0, 1.0), (0.0, 0.6666666666666666))
    """
    ours, theirs = _words_of_both(answer, gold)
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
    ours, theirs = _words_of_both(text, answer)
    n = len(theirs)
    if not 0 < n <= len(ours):
        return 0.0
    wanted = Counter(theirs)
    common = (Counter(ours[i : i + n]) & wanted for i in range(len(ours) - n + 1))
    return fmean(one.total() / n for one in common)


def _words_of_both(one: str, other: str) -> tuple[list[str], list[str]]:
    """Words of two texts, Chinese if one of them is."""
    is_chinese = _HAN.search(one + other) is not None
    return words_of(one, is_chinese=is_chinese), words_of(other, is_chinese=is_chinese)
