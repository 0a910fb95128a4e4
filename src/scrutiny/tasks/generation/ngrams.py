"""Counts of n-grams of a written text that its references have, by sacrebleu.

Both metrics are functions of their sums over texts, so a resample of texts is scored by adding up
counts, and no text is compared twice.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, Final, Literal

from scrutiny.core.errors import require_packages

#: Longest n-grams of BLEU, in words, and of chrF, in characters.
WORDS: Final = 4
CHARACTERS: Final = 6
#: Characters of Japanese kana, of Chinese, and of scripts that put no spaces between words.
_OF_KANA: Final = r"\u3041-\u30ff\u31f0-\u31ff"
_OF_HAN: Final = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA: Final = re.compile(f"[{_OF_KANA}]")
_HAN: Final = re.compile(f"[{_OF_HAN}]")
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_WORD: Final = re.compile(rf"[^\W\d_{_OF_KANA}{_OF_HAN}]+")
_FEW: Final = 0.05
Tokenizer = Literal["13a", "zh", "ja-mecab", "char"]


@lru_cache(maxsize=1 << 16)  # one text is asked for under its original, variants and controls
def bleu_counts(
    text: str, references: tuple[str, ...], tokenizer: Tokenizer = "13a"
) -> tuple[float, ...]:
    """Length, length of the nearest reference, and n-grams that are right, and all, by length.

    Words are cut by one of sacrebleu's tokenizers: one for a corpus, see `tokenizer_of`.

    Examples
    --------
    >>> bleu_counts("a cat sat", ("the cat sat down",))
    (3.0, 4.0, 2.0, 1.0, 0.0, 0.0, 3.0, 2.0, 1.0, 0.0)
    """
    return _counts(_metric("BLEU", tokenize=tokenizer), text, references)


def tokenizer_of(references: Iterable[str]) -> Tokenizer:
    """Tokenizer of sacrebleu for a corpus, by the script of most words of its references.

    A character of Chinese or Japanese counts as a word. Chinese: ``zh``. Japanese: ``ja-mecab`` if
    MeCab is installed (``sacrebleu[ja]``), else ``char``, as for Thai, Lao, Burmese and Khmer.
    Others, which have spaces: ``13a``.

    Examples
    --------
    >>> tokenizer_of(["\u6211\u559c\u6b22\u732b\u3002", "OK"]), tokenizer_of(["I like \u732b."])
    ('zh', '13a')
    """
    n_kana, n_han, n_unspaced, n_spaced = 0, 0, 0, 0
    for text in references:
        n_kana += len(_KANA.findall(text))
        n_han += len(_HAN.findall(text))
        words = _WORD.findall(text)
        unspaced = sum(_UNSPACED.match(word) is not None for word in words)
        n_unspaced += unspaced
        n_spaced += len(words) - unspaced
    if n_kana + n_han > n_unspaced + n_spaced:
        if n_kana <= _FEW * (n_kana + n_han):
            return "zh"
        return "ja-mecab" if find_spec("MeCab") and find_spec("ipadic") else "char"
    return "char" if n_unspaced > n_spaced else "13a"


@lru_cache(maxsize=1 << 16)
def chrf_counts(text: str, references: tuple[str, ...]) -> tuple[float, ...]:
    """For n-grams of each length: those of the text, of the reference, and of both.

    Of several references, the one that is most like the text. Spaces do not count.

    Examples
    --------
    >>> chrf_counts("abc", ("abd",))[:6]
    (3.0, 3.0, 2.0, 2.0, 2.0, 1.0)
    """
    return _counts(_metric("CHRF"), text, references)


def _counts(metric: Any, text: str, references: Sequence[str]) -> tuple[float, ...]:
    """Counts of one text."""
    # sacrebleu's own significance tests resample what this method gives
    (found,) = metric._extract_corpus_statistics([text], [[one] for one in references])
    return tuple(map(float, found))


@cache
def _metric(name: str, **options: str) -> Any:
    """Metric of sacrebleu."""
    require_packages("Scoring what models write", "generation", "sacrebleu")
    from sacrebleu import metrics

    return getattr(metrics, name)(**options)
