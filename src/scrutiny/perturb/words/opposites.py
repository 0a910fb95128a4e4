"""Opposites in the second text of a pair, which then contradicts the first."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.record import grouped
from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.engine.changes import Candidates, Sites, in_random_order, whole_text
from scrutiny.perturb.words.clashes import Clash
from scrutiny.perturb.words.replacing import OtherWord
from scrutiny.text.edits import apply_to_text
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import table, word_set
from scrutiny.text.numbers import parse_number

_FEMALE, _MALE = (frozenset(column) for column in zip(*table("gender_pairs"), strict=True))
_PRONOUNS: Final = frozenset("he him his himself she her hers herself".split())
_POSSESSIVE: Final = frozenset("my your his her its our their whose".split())
_KIN: Final = word_set("kin")
_AGES: Final = frozenset("young younger old older elderly".split())
_GROWN_UPS: Final = word_set("grown_ups")
_SOME: Final = frozenset("the some several few group groups these those many".split())
_PARTICLES: Final = frozenset("up down off out over away - '".split())
_IDIOMS: Final = frozenset("and at by in as less more most least will would to can could".split())
_COMPOUNDS: Final = word_set("behind_fixed_adjectives") | word_set("behind_fixed_opposites")


@dataclass(frozen=True, slots=True)
class AntonymClash(Clash, OtherWord):
    """The opposite of a word in the second text of a pair, which then contradicts the first.

    The word stands once in both texts and its opposite in none; it is one of a list of words that
    are not both true of a thing at a time ("inside" and "outside", "standing" and "sitting", "man"
    and "woman"). Texts that deny, ask or leave something open stay. Labels: as ``number_clash``.

    Parameters
    ----------
    of
        Label of the pairs that change.
    becomes
        Their label then.
    copied
        Whether the second text becomes the first one with one word replaced, as published, so that
        the two share every other word.

    **Measures** whether the model sees the one word that contradicts, beside many that agree.

    **Misleads when** both are there: one man is outside, and another one inside.

    References
    ----------
    Glockner, Shwartz, Goldberg (2018). Breaking NLI systems with sentences that require simple
    lexical inferences. Gui et al. (2021). TextFlint: SwapAnt.

    Examples
    --------
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> texts = {"text": "A man sleeps inside a tent.", "text_pair": "Somebody is inside."}
    >>> variant = perturb(Example("1", texts, "entailment"), "antonym_clash", seed=0)
    >>> variant.edits[0].text, variant.gold
    ('outside', 'contradiction')
    """

    id = "antonym_clash@1"
    title = "opposites that clash"
    resources = ("tagger",)
    has_article = True

    of: str | int | None = None
    becomes: str | int | None = None
    copied: bool = False

    def sites(self, document: Document) -> Sites:
        """Words whose opposite contradicts; the text as a whole where it becomes a copy."""
        known = _opposites()
        if not any(word.lower() in known for word in document.words):
            return ()
        first = self.first_of(document)
        if first is None:
            return ()
        if not self.copied:
            return _places(document, first)
        return whole_text(document) if _places(first, document) else ()

    def others(self, document: Document, site: Site) -> Sequence[str]:
        """The opposite of the word in its part of speech."""
        return (_opposite_of(document, site.token)[1],)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The word replaced; or the first text with its word replaced."""
        if not self.copied:
            yield from OtherWord.candidates(self, document, site, rng)
            return
        first = self.first_of(document)
        if first is None:
            return
        for place in in_random_order(_places(first, document), rng):
            for edits in OtherWord.candidates(self, first, place, rng):
                copied = apply_to_text(first.text, edits)
                yield (Edit(document.field, 0, len(document.text), copied),)


@cache
def _opposites() -> Mapping[str, Sequence[tuple[str, str]]]:
    """Beginning of a Penn tag and opposite, of each word in small letters."""
    return grouped((word, (tag, other)) for tag, word, other in table("opposites"))


def _opposite_of(document: Document, at: int) -> tuple[str, str]:
    """Beginning of the tag of a word, and its opposite in this part of speech; empty for none."""
    known = _opposites().get(document.words[at].lower(), ())
    tag = document.tag(at) if any(of for of, _ in known) else ""
    return next(((of, other) for of, other in known if tag.startswith(of)), ("", ""))


def _places(document: Document, other: Document) -> list[Site]:
    """Words that stand once in two texts, and whose opposite stands in neither."""
    known = _opposites()
    here = Counter(word.lower() for word in document.words)
    there = Counter(word.lower() for word in other.words)
    nouns = {lemma(word, "NOUN") for word in (*here, *there)}
    found = []
    for i, word in enumerate(document.words):
        low = word.lower()
        if low not in known or here[low] != 1 or there[low] != 1:
            continue
        tag, opposite = _opposite_of(document, i)
        is_alone = bool(opposite) and lemma(opposite, "NOUN") not in nouns
        if is_alone and not (_is_fixed(document, i, tag) or _may_be_both(document, i, tag)):
            found.append(Site(*document.tokens[i], i))
    return found


def _is_fixed(document: Document, at: int, tag: str) -> bool:
    """Whether a word may be part of an expression or of a name."""
    words = document.words
    before, behind = (
        words[at - 1].lower() if at else "",
        [w.lower() for w in words[at + 1 : at + 2]],
    )
    if behind and (behind[0] in _PARTICLES or behind[0] in _COMPOUNDS):
        return True  # "sitting down", "hot air"
    if words[at][:1].isupper() and (at > 0 or tag in ("VB", "JJ")):
        return not document.text.isupper()
    if tag in ("JJ", "") and (before in _IDIOMS or behind == ["and"]):
        return True  # "at large", "as quickly as", "warm and dry"
    return not tag and document.tag(at).startswith("JJ")  # "outside observers"


def _may_be_both(document: Document, at: int, tag: str) -> bool:
    """Whether a word's opposite may be as true, or make no sense beside the others.

    So it is of children's ages, of somebody's kin (who has a mother, has a father), of one of
    several persons of a gender, and of plurals that no number or article tells to be some of them.
    """
    words = [word.lower() for word in document.words]
    low, before, behind = words[at], words[max(0, at - 3) : at], words[at + 1 :]
    if not tag and words[0] == "there":
        return True  # there may be people both inside and outside
    if low in _AGES:
        return _GROWN_UPS.isdisjoint(behind[:2])
    if low in _KIN and ("of" in behind[:2] or any(w in _POSSESSIVE or "'" in w for w in before)):
        return True
    alike = next((one for one in (_FEMALE, _MALE) if low in one), frozenset())
    if alike and (not _PRONOUNS.isdisjoint(words) or sum(word in alike for word in words) > 1):
        return True
    is_plural = tag == "NN" and document.tag(at) == "NNS"
    return is_plural and not any(one in _SOME or parse_number(one) for one in before)
