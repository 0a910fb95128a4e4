"""Texts that differ in a group: sentence pairs, sentence triples, and sets of words.

Likelihoods of two sentences are compared (of more and less stereotype, good and bad), those of
three continuations of a context (stereotype, antistereotype, unrelated), or vectors of two target
sets and two attribute sets. Labels are exchanged at random by coin flips for pairs and triples, set
by set for words.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.facts import MINIMAL_PAIRS, SENTENCE_PAIRS, SENTENCE_TRIPLES, WORD_SETS
from scrutiny.core.randomness import Rng
from scrutiny.core.record import grouped
from scrutiny.core.task import ExchangesLabels, Role
from scrutiny.tasks.cells import text_of
from scrutiny.tasks.tasks import TEXT, ByColumns, text_role

_OTHER: Final[Mapping[str | float, str]] = {"stereo": "antistereo", "antistereo": "stereo"}


class SentencePairs(ByColumns, ExchangesLabels):
    """Sentence pairs such as those of CrowS-Pairs: a more and a less stereotyping sentence."""

    name = "sentence-pairs"
    holds = SENTENCE_PAIRS.holds
    identifying_columns = ("more", "less")
    roles = (
        text_role("more", "column of the more stereotyping sentence", "sent_more"),
        text_role("less", "column of the less stereotyping sentence", "sent_less"),
        Role("category", "column of the kind of stereotype", names=("category", "bias_type")),
        Role(
            "direction",
            "column that holds stereo (the more stereotyping sentence is about the disadvantaged "
            "group) or antistereo",
            names=("direction", "stereo_antistereo"),
        ),
        Role(
            "set", "column of the set: original, or a control", names=("set",), default="original"
        ),
        Role("pair", "column that ties a pair to its controls", "unit", ("pair",)),
    )

    def permute(self, examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
        """Examples with *more* and *less* exchanged by a fair coin.

        A pair and its controls share a coin. ``direction`` changes with the sentences, so that the
        sentence about the disadvantaged group stays the same one.
        """
        return _exchanged_sides(examples, rng, _exchanged_pair, unit="u_pair")


class MinimalPairs(ByColumns):
    """Minimal pairs such as *the dogs bark* and *the dogs barks*; one is grammatical."""

    name = "minimal-pairs"
    holds = MINIMAL_PAIRS.holds
    identifying_columns = ("good", "bad")
    roles = (
        text_role("good", "column of the grammatical sentence", "sentence_good"),
        text_role("bad", "column of the ungrammatical sentence", "sentence_bad"),
        Role("construction", "column of the construction", names=("construction",)),
        Role("template", "column of the template that pairs share", "unit", ("template",)),
    )


def _exchanged_pair(example: Example) -> Example:
    fields = {"more": example.fields["less"], "less": example.fields["more"]}
    attributes = dict(example.attributes)
    if attributes.get("a_direction") in _OTHER:
        attributes["a_direction"] = _OTHER[attributes["a_direction"]]
    return replace(example, fields=fields, attributes=attributes)


class SentenceTriples(ByColumns, ExchangesLabels):
    """Sentence triples such as those of StereoSet.

    ``intrasentence``: the context has a BLANK and the three sentences fill it. ``intersentence``:
    the three sentences follow the context.
    """

    name = "sentence-triples"
    holds = SENTENCE_TRIPLES.holds
    identifying_columns = ("context", "stereotype", "antistereotype", "unrelated")
    roles = (
        text_role("context", "column of the context"),
        text_role("stereotype", "column of the sentence with the stereotype"),
        text_role("antistereotype", "column of the sentence against it", "anti-stereotype"),
        text_role("unrelated", "column of the unrelated sentence"),
        Role("kind", "column that holds intrasentence or intersentence", names=("kind",)),
        Role("category", "column of the kind of stereotype", names=("category", "bias_type")),
        Role("malformed", "column with the problem of a context", names=("malformed",)),
        Role("stereotype_id", "column of that sentence's id", names=("stereotype_id",)),
        Role("antistereotype_id", "column of that sentence's id", names=("antistereotype_id",)),
        Role("unrelated_id", "column of that sentence's id", names=("unrelated_id",)),
        Role("term", "column of the term that an item is about", "unit", ("term", "target")),
    )

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: blanks that cannot be filled, and the doubts of any row."""
        yield from super().doubts(row, example)
        is_within = example.attributes.get("a_kind") == "intrasentence"
        if is_within and "BLANK" not in example.fields["context"]:
            yield "have the kind intrasentence and no BLANK in their context"

    def permute(self, examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
        """Examples with stereotype and antistereotype exchanged by a fair coin each."""
        return _exchanged_sides(examples, rng, _exchanged_triple)


def _exchanged_triple(example: Example) -> Example:
    fields = dict(example.fields)
    fields["stereotype"], fields["antistereotype"] = fields["antistereotype"], fields["stereotype"]
    attributes = dict(example.attributes)
    names = "a_stereotype_id", "a_antistereotype_id"
    if all(name in attributes for name in names):
        attributes |= {names[0]: attributes[names[1]], names[1]: attributes[names[0]]}
    return replace(example, fields=fields, attributes=attributes)


#: Target sets X and Y, attribute sets A and B.
SETS: Final = ("X", "Y", "A", "B")
_FIRST_OF: Final = {"X": "X", "Y": "X", "A": "A", "B": "A"}  # of the two that a set is one of


class AssociationTest(ByColumns, ExchangesLabels):
    """Word embedding association tests, of words and of sentences around them."""

    name = "association-test"
    holds = WORD_SETS.holds
    identifying_columns = ("text", "set", "test")
    roles = (
        TEXT,
        Role("test", "column of the test's name", names=("test",), is_needed=True),
        Role("set", "column of the set: X, Y, A or B", names=("set",), is_needed=True),
        Role("category", "column of the set's own name", names=("category",)),
        Role("start", "column of the word's first code point", "number", ("start",)),
        Role("end", "column of the code point after the word", "number", ("end",)),
        Role("word", "column of the word that a text is about", "unit", ("word",)),
    )

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row; a text without a word is its own unit.

        Raises
        ------
        DataError
            If the set is none of X, Y, A, B, or the borders of the word are not in the text.
        """
        if row.get("a_set") not in SETS:
            raise DataError(f"set is {row.get('a_set')!r}; it is X, Y, A or B")
        example = super().parse({"u_word": text_of(row, "text"), **row}, source=source)
        start, end = (example.attributes.get(name) for name in ("a_start", "a_end"))
        if (start is None) != (end is None):
            raise DataError("of start and end, one is missing")
        if isinstance(start, float) and isinstance(end, float):
            if not 0 <= start < end <= len(example.text):
                raise DataError(f"the word from {start:g} to {end:g} is not inside the text")
        return example

    def permute(self, examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
        """Examples whose words have exchanged sets at random, sentences with their word.

        Within each test and pair of sets, X and Y or A and B, all ways to assign the words are
        equally likely that keep the number of words and the number of texts of both sets. If 2,000
        shuffles give no such exchange, the one that comes nearest in the number of texts is used.
        """
        groups = grouped(
            ((e.attributes.get("a_test"), _FIRST_OF[str(e.attributes["a_set"])]), place)
            for place, e in enumerate(examples)
        )
        found = list(examples)
        for (_, first), members in groups.items():
            moved = _exchanged_sets([examples[i] for i in members], first, rng)
            for i, example in zip(members, moved, strict=True):
                found[i] = example
        return tuple(found)


_TRIES: Final = 2000


def _exchanged_sides(
    examples: Sequence[Example], rng: Rng, turned: Callable[[Example], Example], *, unit: str = ""
) -> tuple[Example, ...]:
    """Examples, of which a coin turns some: each has its own, and those of one unit share one.

    Coins are tossed in the order in which units appear. An example without the unit is its own.
    """
    tossed: dict[tuple[str, str | float], bool] = {}
    found = []
    for example in examples:
        key = ("unit", example.attributes[unit]) if unit in example.attributes else ("", example.id)
        if key not in tossed:
            tossed[key] = bool(rng.integers(2))
        found.append(turned(example) if tossed[key] else example)
    return tuple(found)


def _exchanged_sets(examples: Sequence[Example], first: str, rng: Rng) -> list[Example]:
    """Items of one test and one pair of sets, each with the set that its word gets."""
    import numpy as np

    keys = [(e.attributes["a_set"], e.attributes["u_word"]) for e in examples]
    words = Counter(keys)  # number of texts
    named: dict[str | float, dict[str, str | float]] = {}
    for e in examples:
        own = {n: e.attributes[n] for n in ("a_set", "a_category") if n in e.attributes}
        named.setdefault(e.attributes["a_set"], own)
    to = {key: key[0] for key in words}
    if len(named) > 1:
        # words for the first set, balanced: as many words, and as many texts, as before
        best = np.asarray([name == first for name, _ in words])
        n_first, nearest = int(best.sum()), None
        counts = np.asarray(list(words.values()))
        wanted = int(counts[best].sum())
        for _ in range(_TRIES):
            drawn = np.zeros(len(counts), dtype=bool)
            drawn[rng.permutation(len(counts))[:n_first]] = True
            distance = abs(int(counts[drawn].sum()) - wanted)
            if nearest is None or distance < nearest:
                best, nearest = drawn, distance
            if not distance:
                break
        second = next(name for name in named if name != first)
        to = {key: first if own else second for key, own in zip(words, best.tolist(), strict=True)}
    return [
        replace(e, attributes={**e.attributes, **named[to[key]]})
        for e, key in zip(examples, keys, strict=True)
    ]
