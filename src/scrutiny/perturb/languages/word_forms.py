"""Forms of content words: lemma, likely tag, and other words in the same form.

Answers are kept: in running text most words were asked before.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.verbs import tag_in_clause
from scrutiny.text.inflection import inflect, lemma
from scrutiny.text.lexicon import is_stop_word, word_set
from scrutiny.text.wordnet import POS_OF, exists, sense_counts

_TAGS: Final = {
    "NOUN": "NN NNS",
    "VERB": "VB VBD VBG VBN VBP VBZ",
    "ADJ": "JJ JJR JJS",
    "ADV": "RB RBR RBS",
}
UPOS_OF: Final = {tag: upos for upos, tags in _TAGS.items() for tag in tags.split()}
_BASE_TAGS: Final = frozenset({"NN", "VB", "VBP", "JJ", "RB"})
# Their meaning is in their object or their grammar; no synonym fits most of their uses.
LIGHT_WORDS: Final = word_set("light_words")
MOST_KEPT: Final = 1 << 16
_CONFUSED: Final = frozenset({"RB", "NNP", "FW"})
_USUAL: Final = 0.4  # share of a word's uses in SemCor that are of a part of speech


def content_lemma(word: str, xpos: str) -> str | None:
    """Lemma of a content word in lower case, or `None` for function and light words.

    Examples
    --------
    >>> content_lemma("loves", "VBZ"), content_lemma("has", "VBZ"), content_lemma("the", "DT")
    ('love', None, None)
    """
    upos = UPOS_OF.get(xpos)
    if upos is None or not word.isalpha() or is_stop_word(word):
        return None
    base = lemma(word, upos)
    return None if base in LIGHT_WORDS or is_stop_word(base) else base


def inflected(base: str, xpos: str) -> str | None:
    """Synonym or antonym, found as a lemma, in the form of a Penn tag; `None` if it has none.

    Examples
    --------
    >>> inflected("like", "VBZ"), inflected("good", "JJR"), inflected("dog", "NN")
    ('likes', 'better', 'dog')
    """
    return base if xpos in _BASE_TAGS else inflect(base, xpos)


@lru_cache(maxsize=MOST_KEPT)
def _uses(word: str) -> dict[str, int]:
    """Counts of a form in SemCor for each part of speech of WordNet."""
    return {pos: sum(sense_counts(lemma(word, upos), pos)) for upos, pos in POS_OF.items()}


@lru_cache(maxsize=MOST_KEPT)
def _likely_tag(word: str, xpos: str) -> str:
    """Penn tag; a word that is almost always an adjective and looks like one is tagged as one.

    Taggers take adjectives for adverbs after a copula ("It was good"), and rare ones for foreign
    words or names in texts without capitals.

    Parameters
    ----------
    word
        As it is cased in the text.
    xpos
        What the tagger said.

    Examples
    --------
    >>> _likely_tag("good", "RB"), _likely_tag("well", "RB"), _likely_tag("swift", "NNP")
    ('JJ', 'RB', 'JJ')
    """
    if xpos not in _CONFUSED or word.endswith("ly") or (xpos != "RB" and not word.islower()):
        return xpos
    uses = _uses(word.lower())
    others = uses["r"] if xpos == "RB" else max(uses[pos] for pos in "nvr")
    return "JJ" if uses["a"] >= 10 * max(others, 1) or uses["a"] > others == 0 else xpos


@lru_cache(maxsize=MOST_KEPT)
def _only_tag(word: str) -> str | None:
    """The only Penn tag that a lower-case word can have, or `None` if context decides.

    Spares the tagger half of its work: WordNet knows "movies" as a noun alone.

    Examples
    --------
    >>> _only_tag("movies"), _only_tag("film"), _only_tag("Movies")
    ('NNS', None, None)
    """
    if not (word.isalpha() and word.islower()):
        return None
    classes = [upos for upos, pos in POS_OF.items() if exists(lemma(word, upos), pos)]
    if classes == ["NOUN"]:
        return "NN" if lemma(word, "NOUN") == word else "NNS"
    if classes == ["ADJ"] and lemma(word, "ADJ") == word:
        return "JJ"
    if classes == ["ADV"] and lemma(word, "ADV") == word:
        return "RB"
    return None


def content_tag(document: Document, index: int) -> str:
    """Penn tag of a word, corrected by its clause or its usual part of speech."""
    word = document.words[index]
    return _only_tag(word) or _likely_tag(word, tag_in_clause(document, index))


@lru_cache(maxsize=MOST_KEPT)
def _is_same_part_of_speech(word: str, other: str, xpos: str) -> bool:
    """Whether a word usually has the tag of another one, in this form.

    Examples
    --------
    >>> _is_same_part_of_speech("movies", "films", "NNS")
    True
    >>> _is_same_part_of_speech("movies", "film", "NNS")
    False
    """
    upos = UPOS_OF.get(xpos)
    if upos is None or other == word:
        return False
    base, pos = lemma(other, upos), POS_OF[upos]
    if inflected(base, xpos) != other:
        return False
    uses = _uses(other)
    return exists(base, pos) and uses[pos] >= _USUAL * sum(uses.values())


def of_same_form(word: str, xpos: str, others: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Of other words those of a content word's part of speech and form, each with its lemma.

    Examples
    --------
    >>> list(of_same_form("movies", "NNS", ["films", "movie", "read"]))
    [('films', 'film')]
    """
    upos = UPOS_OF[xpos]
    base = lemma(word, upos)
    for other in others:
        if _is_same_part_of_speech(word, other, xpos) and not is_stop_word(other):
            stem = lemma(other, upos)
            if stem != base:
                yield other, stem
