"""Synonyms and antonyms from WordNet, in the same inflection.

Everything here is a pure function of a word, its Penn tag and a few settings, so the answers are
kept: in running text most words were asked before.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.en.doubtful_words import ANTONYMS, DOUBTFUL, NO_ANTONYM, STRUCK
from scrutiny.perturb.languages.en.verbs import tag_in_clause
from scrutiny.text.inflect import inflect, lemma
from scrutiny.text.lexicon import fitting_antonyms, fitting_synonyms, is_stop_word, zipf
from scrutiny.text.numbers import parse_number
from scrutiny.text.wordnet import (
    POS_OF,
    antonyms,
    exists,
    hypernyms,
    lemmas,
    lexname,
    sense_counts,
    synsets,
)

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
_BASE_TAGS: Final = frozenset({"NN", "VB", "VBP", "JJ", "RB"})
# Their meaning is in their object or their grammar; no synonym fits most of their uses.
_LIGHT: Final = frozenset(
    """be have do make get go take let give put come keep need use say thing way lot bit kind sort
    one more most much many very too also even just still well own other such same able
    last first next whole little few time nothing something anything everything""".split()
)
# WordNet lists them as synonyms of harmless words; nobody wants them put into a text.
_COARSE: Final = frozenset(
    """queer fuck screw hump bang bed lay jazz shit crap piss ass arse bitch bastard whore slut
    bum tit boob dick cock prick pussy fag faggot retard nigger negro spic kike cripple spastic
    gook dyke tramp broad chick""".split()
)
_CACHED: Final = 1 << 16
_CONFUSED: Final = frozenset({"RB", "NNP", "FW"})
_RARER: Final = 2.0  # how much less common a synonym may be than the word, as log10
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
    return None if base in _LIGHT or is_stop_word(base) else base


def inflected(base: str, xpos: str) -> str | None:
    """Synonym or antonym, found as a lemma, in the form of a Penn tag; `None` if it has none.

    Examples
    --------
    >>> inflected("like", "VBZ"), inflected("good", "JJR"), inflected("dog", "NN")
    ('likes', 'better', 'dog')
    """
    return base if xpos in _BASE_TAGS else inflect(base, xpos)


@lru_cache(maxsize=_CACHED)
def usual_senses(base: str, pos: str, *, least_share: float) -> tuple[int, ...]:
    """Senses of an English word with a share of its uses in SemCor; an only one if uncounted.

    Examples
    --------
    >>> len(usual_senses("dog", "n", least_share=0.2))
    1
    """
    senses = synsets(base, pos)
    counts = sense_counts(base, pos)
    total = sum(counts)
    if total == 0:
        return senses if len(senses) == 1 else ()
    return tuple(s for s, n in zip(senses, counts, strict=True) if n >= least_share * total)


@lru_cache(maxsize=_CACHED)
def is_of_a_kind(base: str, other: str, pos: str) -> bool:
    """Whether usual senses of two English words share a semantic class; true without a class.

    Examples
    --------
    >>> is_of_a_kind("walk", "drive", "v"), is_of_a_kind("walk", "hug", "v")
    (True, False)
    """
    if pos in ("a", "r"):
        return True
    of_base = {lexname(s) for s in usual_senses(base, pos, least_share=0.2)}
    of_other = {lexname(s) for s in usual_senses(other, pos, least_share=0.2)}
    return not of_base or not of_base.isdisjoint(of_other)


@lru_cache(maxsize=_CACHED)
def _synonym_lemmas(base: str, pos: str, settings: "SynonymSettings") -> tuple[str, ...]:
    """Synonyms of a lemma, frequent senses first.

    A synonym must be a single common word, and the sense that both share must be a usual one of
    the word and the usual one of the synonym: "dog" does not become "frump", nor "hi" "Hawaii".

    Examples
    --------
    >>> _synonym_lemmas("movie", "n", SynonymSettings())[0]
    'film'
    """
    if settings.checked:
        return fitting_synonyms().get((base, pos), ())
    if base in DOUBTFUL:
        return ()
    senses = settings.senses
    own = usual_senses(base, pos, least_share=0.2) if settings.usual else synsets(base, pos)
    found = []
    for sense in own[:senses]:
        for other in lemmas(sense):
            if not _is_usable(other, base, settings.least_zipf) or _is_odd(other, base, pos):
                continue
            if settings.usual:
                its = usual_senses(other, pos, least_share=0.5)
            else:
                its = synsets(other, pos)[:senses]
            if sense in its:
                found.append(other)
    if settings.broader and pos == "v" and not found and _is_feeling(base):
        kinds = hypernyms(base, pos, senses=senses)
        found = [o for o in kinds if _is_usable(o, base, settings.least_zipf)][:1]
    return tuple(dict.fromkeys(found))


def _is_odd(other: str, base: str, pos: str) -> bool:
    """Whether a synonym is an unusual gerund ("looking" for a "look") or of another register."""
    if other in STRUCK or zipf(other) < zipf(base) - _RARER:
        return True
    return pos == "n" and other.endswith("ing") and lemma(other, "VERB") != other


def _is_feeling(base: str) -> bool:
    return any(lexname(s) == "verb.emotion" for s in usual_senses(base, "v", least_share=0.2))


class SynonymSettings(NamedTuple):
    """Conditions for a synonym.

    Parameters
    ----------
    senses
        How many senses of the word count.
    least_zipf
        How common a synonym has to be (log10 of its count per billion words).
    usual
        Whether the counts of SemCor decide which senses are usual; otherwise their order does, and
        the shared sense may be any of the first few.
    broader
        Whether a verb of feeling without a synonym takes the first one that it is a kind of: who
        "loves" something "likes" it.
    checked
        Whether only the pairs of words count that were read and found to fit.
    """

    senses: int = 2
    least_zipf: float = 3.0
    usual: bool = True
    broader: bool = False
    checked: bool = False


@lru_cache(maxsize=_CACHED)
def synonym_forms(word: str, xpos: str, settings: SynonymSettings) -> tuple[str, ...]:
    """Synonyms of a lower-case word in the inflection of its Penn tag.

    Examples
    --------
    >>> synonym_forms("movies", "NNS", SynonymSettings())[0]
    'films'
    """
    base = content_lemma(word, xpos)
    if base is None or (xpos in ("VBG", "VBN") and exists(word, "a")):
        return ()  # "boring", "forced": the tag cannot tell the adjective from the participle
    others = _synonym_lemmas(base, POS_OF[UPOS_OF[xpos]], settings)
    return _known_forms([inflected(other, xpos) for other in others], word)


class KnownWords(dict[str, bool]):
    """Whether each word, in any letter case, belongs to a class; computed on demand.

    A plain dictionary look-up, because every word of every text is asked.
    """

    __slots__ = ("_is_one",)

    def __init__(self, is_one: Callable[[str], bool]) -> None:
        super().__init__()
        self._is_one = is_one

    def __missing__(self, word: str) -> bool:
        if len(self) >= _CACHED:
            self.clear()  # a stream of words that never end must not fill the memory
        self[word] = found = self._is_one(word.lower())
        return found


@lru_cache(maxsize=64)
def words_with_synonym(settings: SynonymSettings) -> KnownWords:
    """Which English words `synonym_forms` finds a WordNet synonym for; kept for each setting.

    Examples
    --------
    >>> known = words_with_synonym(SynonymSettings())
    >>> known["Movies"], known["the"]
    (True, False)
    """
    return KnownWords(lambda low: _has_synonym(low, settings))


def _has_synonym(low: str, settings: SynonymSettings) -> bool:
    if len(low) < 3 or not low.isalpha() or is_stop_word(low):
        return False
    bases = ((lemma(low, upos), pos) for upos, pos in POS_OF.items())
    return any(b not in _LIGHT and _synonym_lemmas(b, pos, settings) for b, pos in bases)


@lru_cache(maxsize=_CACHED)
def antonym_forms(
    word: str, xpos: str, *, senses: int, least_zipf: float, indirect: bool
) -> tuple[str, ...]:
    """Antonyms of a lower-case word in its inflection, frequent senses first.

    With ``indirect``, an adjective without any takes those of its usual sense's similar words.

    Examples
    --------
    >>> antonym_forms("better", "JJR", senses=2, least_zipf=3.0, indirect=False)[0]
    'worse'
    """
    base = content_lemma(word, xpos)
    if base is None or base in NO_ANTONYM or parse_number(base) is not None:
        return ()
    if xpos == "JJ" and base in ANTONYMS:
        return (ANTONYMS[base],)
    pos = POS_OF[UPOS_OF[xpos]]
    found = antonyms(base, pos, senses=senses)
    if indirect and not found:
        found = antonyms(base, pos, senses=1, indirect=True)
    others = [other for other in found if _is_usable(other, base, least_zipf)]
    others = [other for other in others if lemma(other, UPOS_OF[xpos]) == other]  # no "worst"
    return _known_forms([inflected(other, xpos) for other in others], word)


@lru_cache(maxsize=_CACHED)
def fitting_antonym_forms(word: str, xpos: str) -> tuple[str, ...]:
    """The antonym that fits a lower-case adjective in almost all contexts, in its degree.

    Examples
    --------
    >>> fitting_antonym_forms("better", "JJR"), fitting_antonym_forms("special", "JJ")
    (('worse',), ())
    """
    base = content_lemma(word, xpos)
    other = None if base is None else fitting_antonyms().get(base)
    return () if other is None else _known_forms([inflected(other, xpos)], word)


def _known_forms(found: list[str | None], word: str) -> tuple[str, ...]:
    """Attested forms, without repetition and the word itself ("peculiarer" is not attested)."""
    return tuple(dict.fromkeys(form for form in found if form and form != word and zipf(form) > 0))


def _is_usable(other: str, base: str, least_zipf: float) -> bool:
    """Whether a lemma is one common lower-case word that differs from the base."""
    if other == base or not (other.isalpha() and other.islower()) or len(other) < 3:
        return False
    if other in _COARSE or (
        base.endswith("ly") and not other.endswith("ly") and exists(other, "a")
    ):
        return False  # "quickly" has "quick" for a synonym, which few would write there
    return zipf(other) >= least_zipf


@lru_cache(maxsize=_CACHED)
def _uses(word: str) -> dict[str, int]:
    """Counts of a form in SemCor for each part of speech of WordNet."""
    return {pos: sum(sense_counts(lemma(word, upos), pos)) for upos, pos in POS_OF.items()}


@lru_cache(maxsize=_CACHED)
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


@lru_cache(maxsize=_CACHED)
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


@lru_cache(maxsize=_CACHED)
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
