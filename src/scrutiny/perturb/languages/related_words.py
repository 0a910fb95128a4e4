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

# WordNet lists them as synonyms of harmless words; nobody wants them put into a text.
_COARSE: Final = frozenset(
    """queer fuck screw hump bang bed lay jazz shit crap piss ass arse bitch bastard whore slut
    bum tit boob dick cock prick pussy fag faggot retard nigger negro spic kike cripple spastic
    gook dyke tramp broad chick""".split()
)
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
    if base in DOUBTFUL:
        return ()
    senses = settings.senses
    own = usual_senses(base, pos, least_share=0.2) if settings.usual else synsets(base, pos)
    found = []
    for sense in own[:senses]:
        for other in lemmas(sense):
            # of another register, or an unusual gerund ("looking" for a "look")
            is_odd = other in STRUCK or zipf(other) < zipf(base) - _RARER
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
    return KnownWords(lambda low: _has_synonym(low, settings))


def _has_synonym(low: str, settings: SynonymSettings) -> bool:
    if len(low) < 3 or not low.isalpha() or is_stop_word(low):
        return False
    bases = ((lemma(low, upos), pos) for upos, pos in POS_OF.items())
    return any(b not in LIGHT_WORDS and _synonym_lemmas(b, pos, settings) for b, pos in bases)


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
    if other in _COARSE or (
        base.endswith("ly") and not other.endswith("ly") and exists(other, "a")
    ):
        return False  # "quickly" has "quick" for a synonym, which few would write there
    return zipf(other) >= least_zipf


# Lemmas that are not replaced.
DOUBTFUL: Final = frozenset(
    """accountant accumulate act akin alien alone anguish apart argument arrest ask ass assure
    attack average avoid away baby back backing badly banal band bang bar beat become
    beginning big blast board boast boom bore boss brand breadth brilliantly broad brown
    brutal buddy bullet bury cake call captivate capture care career case castle central
    cereal charm cheap cheesy class clearly clever cliche close club collection comment
    complaint conceit concept connect consider contrivance contrive cool country couple
    cover cruise cry cut cute dad dawn deficit degree delightful design development direct
    directing director dirty dismiss disregard diverting document door drag drama dramatic
    dress dumb effect end endeavor enough envy ethereal evening everyday evocative examine
    exercise expansion explosion eye faith fall family famous fashion favorite fear
    feature feel feeling figure final finale find fine finish fit flair flashy flat flight
    floor flow food fool force form formula forward full gamer gay generation ghost girl
    glean glimpse god gold grandeur grasp gritty gun guy half hall hand hard heart help
    highlight hike history hold home honest honestly hood host hurt idea imagination
    imagine industry inside instant instead intent interest interview introduction job
    john jump kill killer knowledge lean lend license life lighten like limit lit look lot
    lover luck lunch mad magical main manager marginal mark market master match matter
    mean middle mill mind minute miss mix mom morality move nearly new night noble notion
    now office otherwise outrageous outstanding pacing par part particular passe pathetic
    perfect person picture pile place plain plot point poke poor pop pour practiced praise
    precious pregnant premise preparation present print professional program project
    protagonist quality quite rather rattle recognize recommend record reduce redundant
    regard remind render repair rescue rest revive risky rival roll rule run sacrifice
    satisfaction save scare seat second sensual set shame shape sharp sharply shock short
    shot show single slow soon sorry soul space speak spirit split stage stand star state
    status stick still stomach straight study stuff sturdy style sucker super supporter
    surround swear talent target taste technique tell tender terrible thin think third
    tiny today toilet tolerate top tour treat trend trending trial trite trust turn
    unassuming unexpectedly valley value various view voice wait waiting want wash watch
    whale wind wish wit witness wonder wood world worth wrong""".split()
)
# Lemmas that do not take another word's place.
STRUCK: Final = frozenset(
    """adept aerial animal artillery athletics behind blanket brook buff buns but cardinal cart
    cinema close commonplace commonwealth construct contemporaries cosmos crappy criticise
    curious dad daddy deity demo divers dread dreaded drill eff essay even exceeding
    fearsome fell fig flash forth frightening fugitive goddamn gull hopeful household
    howling hulk ill imposing individual infinite inter jolly kinda last lodge maestro
    mean min minor mint miss missy morn mortal nighttime normal oft oftentimes only optic
    optics overlord papa passing paw person pet plane poor privy punk rum saloon sec sham
    shitty showtime singular slug smart somebody someone sometime sport spring stock tally
    tertiary throttle ticker toilet trance tum vox wiz wizard yea""".split()
)
# Adjectives whose antonyms in WordNet belong to another sense than the one in use.
NO_ANTONYM: Final = frozenset(
    """alone another antarctic asleep blessed bored born buggy burnt certain closed compelling
    cool crazy damn dead decent directing due enough epic equivalent every everyday fancy
    fantastic fast favorite favourite fine flat free full fun game gay high hip imaginary
    infantile intimate lame lazy lean like liquid long loud main mere natural nonstop
    offensive ok okay only open other own particular passable precious previous promising
    proud pure pussy ready recent retro same serious silky single speechless stray such
    sweet thirsty tired total undiscovered unlike very wacky wide worth worthy""".split()
)
# Antonyms in the sense that the adjective usually has, where WordNet puts another one first.
ANTONYMS: Final = {
    "brilliant": "terrible",
    "cute": "ugly",
    "exemplary": "poor",
    "gorgeous": "ugly",
    "great": "terrible",
    "hard": "easy",
    "lifeless": "lively",
    "mean": "kind",
    "outstanding": "poor",
    "pointless": "meaningful",
    "real": "fake",
    "right": "wrong",
    "sad": "happy",
    "solid": "weak",
    "special": "ordinary",
    "superb": "terrible",
    "terrific": "terrible",
    "wonderful": "terrible",
}
