"""Words that could take another word's place, from WordNet, in the same inflection.

Everything here is a pure function of a word, its Penn tag and a few settings, so the answers are
kept: in running text most words were asked before.
"""

from functools import lru_cache
from typing import Final

from scrutiny.text.inflect import inflect, lemma
from scrutiny.text.lexicon import is_stop_word, zipf
from scrutiny.text.wordnet import antonyms, exists, lemmas, synsets

UPOS_OF: Final = {
    "NN": "NOUN",
    "NNS": "NOUN",
    "VB": "VERB",
    "VBD": "VERB",
    "VBG": "VERB",
    "VBN": "VERB",
    "VBP": "VERB",
    "VBZ": "VERB",
    "JJ": "ADJ",
    "JJR": "ADJ",
    "JJS": "ADJ",
    "RB": "ADV",
    "RBR": "ADV",
    "RBS": "ADV",
}
POS_OF: Final = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
_BASE_TAGS: Final = frozenset({"NN", "VB", "VBP", "JJ", "RB"})
# Their meaning is in their object or their grammar; no synonym fits most of their uses.
_LIGHT: Final = frozenset(
    """be have do make get go take let give put come keep need use say thing way lot bit kind sort
    one more most much many very too also even just still well own other such same able""".split()
)
_CACHED: Final = 1 << 16


def content_lemma(word: str, xpos: str) -> str | None:
    """Lemma of a content word in lower case, or nothing for function and light words.

    Examples
    --------
    >>> content_lemma("loves", "VBZ"), content_lemma("has", "VBZ"), content_lemma("the", "DT")
    ('love', None, None)
    """
    upos = UPOS_OF.get(xpos)
    if upos is None or not word.isalpha() or is_stop_word(word):
        return None
    base = lemma(word, upos)
    return None if base in _LIGHT or is_stop_word(base) else base


def inflected(base: str, xpos: str) -> str | None:
    """Form of a lemma for a Penn tag; nothing where it has none.

    Examples
    --------
    >>> inflected("like", "VBZ"), inflected("good", "JJR"), inflected("dog", "NN")
    ('likes', 'better', 'dog')
    """
    return base if xpos in _BASE_TAGS else inflect(base, xpos)


@lru_cache(maxsize=_CACHED)
def synonym_forms(word: str, xpos: str, *, senses: int, least_zipf: float) -> tuple[str, ...]:
    """Synonyms of a lower-case word in its inflection, frequent senses first.

    A synonym must be a single common word for which the shared sense is a usual one as well: the
    frequent sense of "dog" does not make a "frump" of it, nor that of "hi" a "Hawaii".

    Parameters
    ----------
    word, xpos
        The word and its Penn tag.
    senses
        How many senses count, both of the word and of its synonym.
    least_zipf
        How common a synonym has to be (log10 of its count per billion words).

    Examples
    --------
    >>> synonym_forms("movies", "NNS", senses=1, least_zipf=3.0)[0]
    'films'
    """
    base = content_lemma(word, xpos)
    if base is None:
        return ()
    pos = POS_OF[UPOS_OF[xpos]]
    found = []
    for sense in synsets(base, pos)[:senses]:
        for other in lemmas(sense):
            if not _is_usable(other, base, least_zipf):
                continue
            if sense not in synsets(other, pos)[:senses]:
                continue
            found.append(inflected(other, xpos))
    return tuple(dict.fromkeys(form for form in found if form and form != word))


@lru_cache(maxsize=_CACHED)
def antonym_forms(word: str, xpos: str, *, senses: int, least_zipf: float) -> tuple[str, ...]:
    """Antonyms of a lower-case word in its inflection, frequent senses first.

    Examples
    --------
    >>> antonym_forms("better", "JJR", senses=2, least_zipf=3.0)[0]
    'worse'
    """
    base = content_lemma(word, xpos)
    if base is None:
        return ()
    pos = POS_OF[UPOS_OF[xpos]]
    others = [o for o in antonyms(base, pos, senses=senses) if _is_usable(o, base, least_zipf)]
    found = [inflected(other, xpos) for other in others]
    return tuple(dict.fromkeys(form for form in found if form and form != word))


def _is_usable(other: str, base: str, least_zipf: float) -> bool:
    """Whether a lemma is one common lower-case word, and another one than the base."""
    if other == base or not (other.isalpha() and other.islower()) or len(other) < 3:
        return False
    return zipf(other) >= least_zipf


@lru_cache(maxsize=_CACHED)
def opposites(base: str, pos: str) -> frozenset[str]:
    """Direct antonyms of a lemma, and those of the words that it is similar to.

    Examples
    --------
    >>> "bad" in opposites("good", "a"), "slow" in opposites("swift", "a")
    (True, True)
    """
    return frozenset(antonyms(base, pos)) | frozenset(antonyms(base, pos, indirect=True))


@lru_cache(maxsize=_CACHED)
def is_same_part_of_speech(word: str, other: str, xpos: str) -> bool:
    """Whether a word can have the tag of another one: WordNet knows it so, in this very form.

    Examples
    --------
    >>> is_same_part_of_speech("movies", "films", "NNS")
    True
    >>> is_same_part_of_speech("movies", "film", "NNS")
    False
    """
    upos = UPOS_OF.get(xpos)
    if upos is None or other == word:
        return False
    base = lemma(other, upos)
    return exists(base, POS_OF[upos]) and inflected(base, xpos) == other
