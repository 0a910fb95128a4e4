"""A weak judge: the better answer shares more words with the question; the first, if none does.

Try it: ``scrutiny judge "python:examples/judges/shared_words.py:judge" --data
examples/judges/pairs.csv``.
"""

import re


def judge(items: list[tuple[str, str, str]]) -> list[str]:
    """Verdict on each question with its two answers: ``A``, ``B`` or ``tie``."""
    return [_verdict(*item) for item in items]


judge.labels = ("A", "B", "tie")


def _verdict(question: str, first: str, second: str) -> str:
    asked = _words(question)
    shared = [len(asked & _words(answer)) for answer in (first, second)]
    if not any(shared):
        return "tie"
    return "A" if shared[0] >= shared[1] else "B"


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
