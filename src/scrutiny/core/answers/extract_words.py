"""Words of extracted answers that count when two of them are compared.

English is normalized as SQuAD's script does it (Rajpurkar et al. 2016): lower case, without
punctuation and articles, cut at spaces. Where Chinese characters occur, each is a word, letters and
digits between them are cut at spaces, and the punctuation of all scripts goes (MLQA, Lewis et al.
2020; CMRC, Cui et al. 2019).
"""

import re
import string
from typing import Final
from unicodedata import category

_ARTICLE: Final = re.compile(r"\b(a|an|the)\b")
_HAN: Final = re.compile("([\u4e00-\u9fff])")
_PUNCTUATION: Final = frozenset(string.punctuation)


def _words_of(text: str, *, is_chinese: bool = False, keeps_articles: bool = False) -> list[str]:
    """Words of an extracted answer that count.

    Examples
    --------
    >>> _words_of("The  Golden 'Anniversary'!"), _words_of("在2016年。", is_chinese=True)
    (['golden', 'anniversary'], ['在', '2016', '年'])
    """
    lower = text.lower()
    if is_chinese:
        kept = "".join(c for c in lower if c not in _PUNCTUATION and category(c)[0] != "P")
        return _HAN.sub(r" \1 ", kept).split()
    kept = "".join(c for c in lower if c not in _PUNCTUATION)
    return (kept if keeps_articles else _ARTICLE.sub(" ", kept)).split()


def words_of_both(
    one: str, other: str, *, keeps_articles: bool = False
) -> tuple[list[str], list[str]]:
    """Words by which two answers of the type `Extract` are compared, Chinese if one of them is."""
    is_chinese = _HAN.search(one + other) is not None
    ours, theirs = (
        _words_of(text, is_chinese=is_chinese, keeps_articles=keeps_articles)
        for text in (one, other)
    )
    return ours, theirs
