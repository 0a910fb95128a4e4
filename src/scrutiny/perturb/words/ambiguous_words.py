"""Words that keep their part of speech where others of their form have another, and prefixes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar, Final, NamedTuple

from scrutiny.core.record import grouped
from scrutiny.core.transformation import Document, Effect, Site, may_change_unless
from scrutiny.perturb.engine.changes import Sites, sites_where
from scrutiny.perturb.languages.stated_tags import open_tag
from scrutiny.perturb.languages.word_forms import LIGHT_WORDS, UPOS_OF, of_same_form
from scrutiny.perturb.words.replacing import OtherWord
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import frequencies, is_stop_word, table, word_set
from scrutiny.text.wordnet import POS_OF, lexname, sense_counts, synsets

_TAGS: Final = ("JJ", "NN", "RB", "VB")
#: Quantities and pronouns, which the tags of a treebank call adjectives and nouns.
_UNINFLECTED: Final = word_set("uninflected")
#: Words that count, compare or measure, and nouns of fixed phrases.
_FIXED: Final = frozenset(
    "able alone back bit bottom case certain corner course day due end fact favorite first former "
    "front full further kind last latter likely little long lot middle moment month morning next "
    "night number own past process reason rest same second several side single sort such sure time "
    "top type unable various way week whole year".split()
)
#: Verbs that take no object and do not end a clause, or something else than an object.
_LINKING: Final = frozenset("appear become feel keep let look remain seem stay tend turn".split())
_NO_OBJECTS: Final = frozenset("- all if like out that up whether".split())
_DEGREES: Final = frozenset(
    "absolutely completely extremely fairly incredibly quite rather really so totally very".split()
)
_DETERMINERS: Final = frozenset({"DT", "PRP$", "POS"})
#: Adverbs that end a sentence without saying how something is done.
_NO_MANNER: Final = frozenset(
    "actually apparently certainly completely daily definitely early especially eventually exactly "
    "finally fully hardly hopefully initially lately mainly mostly obviously only originally "
    "personally possibly previously probably really recently respectively sadly "
    "simply simultaneously totally truly unfortunately usually weekly yearly".split()
)
_PLACES: Final = frozenset("abroad away here nearby there".split())


@dataclass(frozen=True, slots=True)
class AmbiguousWord(OtherWord):
    """Words replaced by words of the same tag that are often of another part of speech.

    A noun becomes a noun that may be a verb ("the report"), of the same class of things; a verb
    one that may be a noun, with an object or without as before; an adjective and an adverb
    likewise. The tag that the data state counts, or else the tagger's. The parts of a compound,
    and adjectives that count or compare ("other", "same"), stay.

    Parameters
    ----------
    tags
        Which words: adjectives (``JJ``), singular nouns (``NN``), adverbs (``RB``), base forms of
        verbs (``VB``).

    **Measures** whether a tagger takes the part of speech from the sentence, or from the word.

    **Misleads when** the text is scored for what it says: it says something else.

    References
    ----------
    Gui et al. (2021). TextFlint: SwapMultiPOS.
    """

    id = "ambiguous_word@1"
    title = "words of several parts of speech"
    resources = ("tagger", "wordnet")
    effect: ClassVar[Mapping[str, Effect]] = may_change_unless("spans", "words")
    where = "anywhere"
    is_drawn = True
    has_article = True
    is_default = False
    allowed: ClassVar[Mapping[str, Sequence[str]]] = {"tags": _TAGS}

    tags: tuple[str, ...] = _TAGS

    def sites(self, document: Document) -> Sites:
        """Words of these tags that have others to stand in their place."""
        found = sites_where(document, lambda w: len(w) > 2 and w.isalpha() and w.islower())
        return [site for site in found if self.others(document, site)]

    def others(self, document: Document, site: Site) -> Sequence[str]:
        """Words of the same tag and use, but for those that the text has."""
        word, tag = document.words[site.token], open_tag(document, site.token)
        if tag not in self.tags or word in _FIXED or word in _UNINFLECTED:
            return ()
        use = _use(document, site.token, tag)
        words = _listed().get((tag, use), ())
        present = _words_of(document)
        return [other for other in words if other not in present]


@lru_cache(maxsize=8)
def _words_of(document: Document) -> frozenset[str]:
    """Distinct words of a text."""
    return frozenset(document.words)


@cache
def _listed() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Words by tag and use."""
    return {(tag, use): tuple(words.split()) for tag, use, words in table("ambiguous_words")}


class WordPlace(NamedTuple):
    """A word, its neighbors' tags and the next token; a tag is empty where no word stands."""

    word: str
    before: str
    behind: str
    next: str


def _use(document: Document, index: int, tag: str) -> str:
    """Use of a word in its sentence, by which others are listed; empty where none fits."""
    behind = document.words[index + 1] if index + 1 < len(document.words) else ""
    place = WordPlace(
        document.words[index],
        document.tag(index - 1) if index else "",
        document.tag(index + 1) if behind and behind[0].isalnum() else "",
        behind,
    )
    if tag != "NN":
        return {"VB": _use_of_verb, "JJ": _use_of_adjective, "RB": _use_of_adverb}[tag](place)
    if place.behind[:2] == "NN":
        return ""  # a part of a compound
    at = index - 1 if place.before != "JJ" else index - 2  # "a word", "a short word"
    is_counted = at >= 0 and document.tag(at) in _DETERMINERS
    return _class_of(place.word, "NOUN") if is_counted else ""


def _use_of_verb(place: WordPlace) -> str:
    """With an object or without; nothing for verbs that link, and before clauses and particles."""
    if place.word in LIGHT_WORDS | _LINKING or place.next in _NO_OBJECTS:
        return ""
    if place.behind in ("DT", "PRP$", "NNS", "NNP", "JJ"):
        return "object"
    return "none" if place.behind in ("", "IN", "CC") else ""


def _use_of_adjective(place: WordPlace) -> str:
    """Before a noun, or without one; nothing for one among several."""
    if place.behind[:2] == "NN":
        return "" if place.before in ("RB", "RBR", "RBS", "JJ", "CD", "HYPH") else "noun"
    return "none" if place.behind in ("", "CC") and place.next != "-" else ""


def _use_of_adverb(place: WordPlace) -> str:
    """Use of an adverb: degree before an adjective, place or manner at the end of a clause."""
    if place.word in _DEGREES:
        is_alone = place.before != "RB" and place.next not in _DEGREES | {"not"}
        return "degree" if is_alone and place.behind in ("JJ", "RB") else ""
    if place.behind or place.before[:2] not in ("VB", "NN", "PR"):
        return ""
    if place.word in _PLACES:
        return "place" if place.before[:2] == "VB" else ""
    is_manner = place.word.endswith("ly") and place.word not in _NO_MANNER
    return "manner" if is_manner or place.word == "well" else ""


@lru_cache(maxsize=1 << 14)
def _class_of(word: str, upos: str) -> str:
    """Class of meaning of a word's first sense, and nothing for a word that is seldom such."""
    pos = POS_OF[upos]
    base = lemma(word, upos)
    counts = {other: sum(sense_counts(base, other)) for other in "nvar"}
    found = synsets(base, pos)
    is_usual = counts[pos] * 2 >= sum(counts.values())
    return lexname(found[0]) if found and is_usual and not is_stop_word(word) else ""


_PREFIXES: Final = (
    "com con de dis em en ex im in inter mis ob out over per pre pro re sub trans un under up"
).split()
_REST: Final = 4  # letters behind a prefix, at least
_LEAST_ZIPF: Final = 3.0


@dataclass(frozen=True, slots=True)
class PrefixSwap(OtherWord):
    """Words with a prefix replaced by words with another one, in the same form.

    "imported" becomes "exported" or "reported". Both are frequent words, and usually of this part
    of speech. The tag that the data state counts, or else the tagger's.

    **Measures** whether a tagger reads the part of speech from the rest of a word, or knows some
    words by heart.

    **Misleads when** the text is scored for what it says: it says something else, or nothing that
    makes sense.

    References
    ----------
    Gui et al. (2021). TextFlint: SwapPrefix.

    """

    id = "prefix_swap@1"
    title = "other prefixes"
    resources = ("tagger", "wordnet")
    effect: ClassVar[Mapping[str, Effect]] = may_change_unless("spans", "words")
    where = "anywhere"
    is_drawn = True
    has_article = True
    is_default = False

    def sites(self, document: Document) -> Sites:
        """Words with a prefix that has others beside it."""
        found = sites_where(document, lambda word: word.islower() and bool(_with_other(word)))
        return [site for site in found if self.others(document, site)]

    def others(self, document: Document, site: Site) -> Iterable[str]:
        """Words of the same form with other prefixes."""
        return other_prefixes(document.words[site.token], open_tag(document, site.token))


@cache
def _by_rest() -> Mapping[str, list[str]]:
    """Frequent words with a prefix, the most frequent first, by what stands behind it."""
    return grouped(
        (word[len(prefix) :], word)
        for word, value in frequencies().items()
        if value >= _LEAST_ZIPF and word.isalpha()
        for prefix in _PREFIXES
        if word.startswith(prefix) and len(word) - len(prefix) >= _REST
    )


@lru_cache(maxsize=1 << 14)
def _with_other(word: str) -> tuple[str, ...]:
    """Words with another prefix and the same rest as a lower-case word."""
    known = _by_rest()
    rests = (word[len(prefix) :] for prefix in _PREFIXES if word.startswith(prefix))
    found = (other for rest in rests for other in known.get(rest, ()))
    return tuple(dict.fromkeys(other for other in found if other != word))


@lru_cache(maxsize=1 << 14)
def other_prefixes(word: str, xpos: str) -> tuple[str, ...]:
    """Words with another prefix that usually have a Penn tag in this form.

    Examples
    --------
    >>> other_prefixes("imported", "VBD")
    ('reported', 'transported', 'deported', 'exported')
    """
    if xpos not in UPOS_OF or is_stop_word(word):
        return ()
    return tuple([other for other, _ in of_same_form(word, xpos, _with_other(word))])
