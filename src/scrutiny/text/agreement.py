"""Subject-verb agreement in a tree: verbs whose subject stands before them, and attractors between.

*Attractors* are the nouns between the head of the subject and the verb that have the other number
(Linzen, Dupoux & Goldberg 2016). The trees are those of a treebank of English in Universal
Dependencies, and a tree that is wrong makes a wrong agreement. Kept are verbs in the third person
and the indicative whose form shows their number: present tense, *was* and *were*. The verb is the
first auxiliary or copula of the predicate, or else the predicate itself; a modal has no number.

References
----------
T. Linzen, E. Dupoux, Y. Goldberg (2016). Assessing the ability of LSTMs to learn syntax-sensitive
dependencies. TACL.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

_LEMMA, _UPOS, _FEATS, _HEAD, _DEPREL = 2, 3, 5, 6, 7
_NUMBERS: Final = {"Sing": "singular", "Plur": "plural"}
#: What the head of a subject can be, by its part of speech.
SUBJECTS: Final = {"NOUN": "noun", "PROPN": "name", "PRON": "pronoun"}
_NOUNS: Final = ("NOUN", "PROPN")


class AgreeingVerb(NamedTuple):
    """A verb that agrees with a subject before it.

    Parameters
    ----------
    subject, verb
        Places of the subject's head and of the verb among the words, from 0.
    number
        Of the verb: ``singular`` or ``plural``.
    kind
        Of the subject's head: ``noun``, ``name`` or ``pronoun``.
    attractors
        Nouns between them that have the other number.
    """

    subject: int
    verb: int
    number: str
    kind: str
    attractors: int


def agreements(words: Sequence[Sequence[str]]) -> Iterator[AgreeingVerb]:
    """Verbs of a sentence that agree with a subject before them, in the order of their subjects.

    Parameters
    ----------
    words
        Lines of CoNLL-U in cells, one a word.
    """
    for place, word in enumerate(words):
        kind = SUBJECTS.get(word[_UPOS])
        if word[_DEPREL].partition(":")[0] != "nsubj" or kind is None:
            continue
        head = int(word[_HEAD])
        helpers = [
            i
            for i, other in enumerate(words)
            if int(other[_HEAD]) == head and other[_DEPREL].partition(":")[0] in ("aux", "cop")
        ]
        verb = min(helpers, default=head - 1)
        number = _number_shown(words[verb])
        if verb > place and number:
            between = words[place + 1 : verb]
            others = [_NUMBERS.get(_features(w).get("Number", "")) for w in between if _is_noun(w)]
            attractors = sum(other not in (None, number) for other in others)
            yield AgreeingVerb(place, verb, number, kind, attractors)


def _is_noun(word: Sequence[str]) -> bool:
    return word[_UPOS] in _NOUNS


def _features(word: Sequence[str]) -> dict[str, str]:
    """Features of a word by name.

    Examples
    --------
    >>> _features(["1", "is", "be", "AUX", "VBZ", "Number=Sing|Person=3"])
    {'Number': 'Sing', 'Person': '3'}
    """
    parts = (one.partition("=") for one in word[_FEATS].split("|"))
    return {name: value for name, mark, value in parts if mark}


def _number_shown(word: Sequence[str]) -> str:
    """Number that a verb's form shows, in the third person; empty for other words."""
    own = _features(word)
    is_shown = own.get("Tense") == "Pres" or word[_LEMMA] == "be"
    is_finite = own.get("VerbForm") == "Fin" and own.get("Mood") == "Ind"
    is_third = own.get("Person", "3") == "3"
    return _NUMBERS.get(own.get("Number", ""), "") if is_shown and is_finite and is_third else ""
