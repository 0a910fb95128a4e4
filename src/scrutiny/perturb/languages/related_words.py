"""Synonyms and antonyms from WordNet, in the same inflection, and those that do not fit.

Everything here is a pure function of a word, its Penn tag and a few settings, so the answers are
kept: in running text most words were asked before.

No sense is told apart in running text. Struck out are words whose usual sense of SemCor (a corpus
of 1960s prose) is not their usual one in reviews and messages ("director" as "manager"), or whose
synonyms fit a minority of their contexts ("full of" as "total of"); and the synonyms that are
rarer, coarser or of another register than the word they stand for ("minute" as "min"): found while
reading the most frequent pairs in the training part of SST-2.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from scrutiny.perturb.languages.word_forms import (
    LIGHT_WORDS,
    MOST_KEPT,
    UPOS_OF,
    content_lemma,
    inflected,
)
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import (
    fitting_antonyms,
    fitting_synonyms,
    is_stop_word,
    listed,
    table,
    word_set,
    zipf,
)
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

# WordNet lists them as synonyms of harmless words; nobody wants them put into a text.
_COARSE: Final = word_set("coarse")
# What stands in these lists, and why, is said in their files.
_NOT_REPLACED: Final = frozenset(listed("not_replaced"))
_NOT_REPLACING: Final = frozenset(listed("not_replacing"))
_WITHOUT_ANTONYM: Final = frozenset(listed("without_antonym"))
_USUAL_ANTONYMS: Final = {word: (other,) for word, other in table("usual_antonyms")}
_RARER: Final = 2.0  # how much less common a synonym may be than the word, as log10


@lru_cache(maxsize=MOST_KEPT)
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


@lru_cache(maxsize=MOST_KEPT)
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


@lru_cache(maxsize=MOST_KEPT)
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
    if base in _NOT_REPLACED:
        return ()
    senses = settings.senses
    own = usual_senses(base, pos, least_share=0.2) if settings.usual else synsets(base, pos)
    found = []
    for sense in own[:senses]:
        for other in lemmas(sense):
            # of another register, or an unusual gerund ("looking" for a "look")
            is_odd = other in _NOT_REPLACING or zipf(other) < zipf(base) - _RARER
            is_gerund = pos == "n" and other.endswith("ing") and lemma(other, "VERB") != other
            if is_odd or is_gerund or not _is_usable(other, base, settings.least_zipf):
                continue
            if settings.usual:
                its = usual_senses(other, pos, least_share=0.5)
            else:
                its = synsets(other, pos)[:senses]
            if sense in its:
                found.append(other)
    if settings.broader and pos == "v" and not found:
        if "verb.emotion" in {lexname(s) for s in usual_senses(base, "v", least_share=0.2)}:
            kinds = hypernyms(base, pos, senses=senses)
            found = [o for o in kinds if _is_usable(o, base, settings.least_zipf)][:1]
    return tuple(dict.fromkeys(found))


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


@lru_cache(maxsize=MOST_KEPT)
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
        if len(self) >= MOST_KEPT:
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

    def has_synonym(low: str) -> bool:
        if len(low) < 3 or not low.isalpha() or is_stop_word(low):
            return False
        bases = ((lemma(low, upos), pos) for upos, pos in POS_OF.items())
        return any(b not in LIGHT_WORDS and _synonym_lemmas(b, pos, settings) for b, pos in bases)

    return KnownWords(has_synonym)


@lru_cache(maxsize=MOST_KEPT)
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
    if base is None or base in _WITHOUT_ANTONYM or parse_number(base) is not None:
        return ()
    if xpos == "JJ" and base in _USUAL_ANTONYMS:
        return _USUAL_ANTONYMS[base]
    pos = POS_OF[UPOS_OF[xpos]]
    found = antonyms(base, pos, senses=senses)
    if indirect and not found:
        found = antonyms(base, pos, senses=1, indirect=True)
    others = [other for other in found if _is_usable(other, base, least_zipf)]
    others = [other for other in others if lemma(other, UPOS_OF[xpos]) == other]  # no "worst"
    return _known_forms([inflected(other, xpos) for other in others], word)


@lru_cache(maxsize=MOST_KEPT)
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
    is_adverb = base.endswith("ly") and not other.endswith("ly")
    if other in _COARSE or (is_adverb and exists(other, "a")):
        return False  # "quickly" has "quick" for a synonym, which few would write there
    return zipf(other) >= least_zipf
