"""Questions scored by the longest stretch of words that both answers share, as in DuReader.

The released code speaks of a common subsequence and computes the longest common *substring*: of
北大 beside 北京大学, one character counts and not two.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from statistics import fmean

from scrutiny.core.answers.texts import words_of_both
from scrutiny.core.example import Example
from scrutiny.tasks.question_answering import ComparedQuestions


class StretchQuestions(ComparedQuestions):
    """Questions scored as DuReader's are, by the longest stretch that both answers share.

    Each Chinese character is a word, and each other run of signs; punctuation does not count. Of an
    answer that has the right words in another order, only one stretch counts.

    References: Tang et al. (2021), DuReader-robust.
    """

    name = "stretch-questions"

    def compared(self, given: str, right: str) -> tuple[float, float]:
        """Exact match and F1 of the longest stretch that both share."""
        return compare_stretches(given, right)

    def chance(self, examples: Sequence[Example]) -> float:
        """Mean F1 of all stretches of a text that are as long as its first right answer.

        Or the share of questions without an answer, which giving none gets, if that is more.
        """
        stretches = fmean(of_windows(e.fields["context"], e.gold[0].text) for e in examples)
        return max(stretches, fmean(not e.gold[0].text for e in examples))


@lru_cache(maxsize=1 << 16)
def compare_stretches(answer: str, gold: str) -> tuple[float, float]:
    """Exact match, and F1 of the longest shared stretch, of an answer and one right answer.

    Examples
    --------
    >>> compare_stretches("打了15个", "15个"), compare_stretches("北大", "北京大学")
    ((0.0, 0.6666666666666666), (0.0, 0.3333333333333333))
    """
    ours, theirs = words_of_both(answer, gold, keeps_articles=True)
    if ours == theirs:
        return 1.0, 1.0
    return 0.0, 2 * max(_runs(ours, theirs), default=0) / (len(ours) + len(theirs))


@lru_cache(maxsize=1 << 14)
def of_windows(text: str, answer: str) -> float:
    """Mean F1 of an answer and every stretch of a text with as many words.

    Examples
    --------
    >>> of_windows("他在罗马出生", "罗马")  # 他在: 0, 在罗: 1/2, 罗马: 1, 马出: 1/2, 出生: 0
    0.4
    """
    ours, theirs = words_of_both(text, answer, keeps_articles=True)
    n = len(theirs)
    if not 0 < n <= len(ours):
        return 0.0
    runs = [*_runs(ours, theirs)]
    # a run that began before the stretch counts from the stretch's beginning on
    longest = (
        max(min(run, k) for k, run in enumerate(runs[i : i + n], 1))
        for i in range(len(ours) - n + 1)
    )
    return fmean(most / n for most in longest)


def _runs(words: Sequence[str], right: Sequence[str]) -> Iterator[int]:
    """Length of the longest stretch that ends with each word and stands in the right answer."""
    before = [0] * (len(right) + 1)
    for word in words:
        here = [0, *(before[j] + 1 if word == one else 0 for j, one in enumerate(right))]
        yield max(here)
        before = here
