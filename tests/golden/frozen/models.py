"""Models of rules for runs that are frozen: exact, and never trained."""

import re

_WORD = re.compile(r"\b[A-Z]\w*")


class Overlap:
    """Calls two texts a paraphrase where they share enough of their words."""

    labels = ("not_paraphrase", "paraphrase")

    def predict_proba(self, pairs):
        near = [min(1.0, 1.5 * _shared(first, second)) for first, second in pairs]
        return [(1.0 - share, share) for share in near]


def _shared(first, second):
    one, other = (set(text.lower().strip(".").split()) for text in (first, second))
    return len(one & other) / max(1, len(one | other))


class Capitals:
    """Calls a word a name where it begins with a capital and is not the first of its text.

    What kind of name it is depends on its length alone.
    """

    kinds = ("person", "location", "organization")

    def predict(self, texts):
        return [[self._span(word) for word in _WORD.finditer(text, 1)] for text in texts]

    def _span(self, word):
        return word.start(), word.end(), self.kinds[len(word[0]) % 3]
