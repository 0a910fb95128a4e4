"""Counts of n-grams of a written text that its references have, by sacrebleu.

Both metrics are functions of their sums over texts, so a resample of texts is scored by adding up
counts, and no text is compared twice.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Final

from scrutiny.core.errors import require_packages

#: Longest n-grams of BLEU, in words, and of chrF, in characters.
WORDS: Final = 4
CHARACTERS: Final = 6
_HAN: Final = range(0x4E00, 0xA000)


@lru_cache(maxsize=1 << 16)  # one text is asked for under its original, variants and controls
def bleu_counts(text: str, references: tuple[str, ...]) -> tuple[float, ...]:
    """Length, length of the nearest reference, and n-grams that are right, and all, by length.

    Words are cut as sacrebleu does by default (mteval-v13a), and as it does for Chinese where a
    reference has Chinese characters.

    Examples
    --------
    >>> bleu_counts("a cat sat", ("the cat sat down",))
    (3.0, 4.0, 2.0, 1.0, 0.0, 0.0, 3.0, 2.0, 1.0, 0.0)
    """
    is_chinese = any(ord(c) in _HAN for c in "".join(references))
    return _counts(_metric("BLEU", tokenize="zh" if is_chinese else "13a"), text, references)


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
