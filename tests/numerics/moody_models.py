"""Models that get some items wrong more easily than others, and more so where a text is changed."""

from hashlib import blake2b
from re import finditer

PLAIN = "the film number {} is fine and long enough"


def chance(*what):
    """A number from 0 to 1 that depends on these words alone."""
    return int.from_bytes(blake2b(repr(what).encode(), digest_size=8).digest(), "big") / 2**64


def rows(count, units=None):
    """Items whose label is their number's parity; those of a unit stand together."""
    units = units or count
    return [(PLAIN.format(n), ("bad", "good")[n % 2], n * units // count) for n in range(count)]


class Classifier:
    """Right about the parity of the number in a text, if it is not wrong."""

    labels = ("bad", "good")
    seed = 1

    def predict_proba(self, texts):
        return [self._answer(text) for text in texts]

    def _answer(self, text):
        n = int("".join(c for c in text if c.isdecimal()) or 0)
        limit = 0.2 if text == PLAIN.format(n) else 0.2 + 0.02 * self.seed
        says = (n + ((chance(n) + chance(text, self.seed)) / 2 < limit)) % 2
        return (1.0 - says, float(says))


class Tagger:
    """Takes words with a capital for persons, and now and then misses or makes up one."""

    seed = 1

    def predict(self, texts):
        return [[s for w in finditer(r"\w+", text) for s in self._span(text, w)] for text in texts]

    def _span(self, text, word):
        is_name = word[0][0].isupper()
        luck = (chance(word[0]) + chance(text, word.start(), self.seed)) / 2
        if is_name != (luck < (0.3 if is_name else 0.1)):
            yield word.start(), word.end(), "person"
