"""Words of the second text of a pair that then contradicts the first: numbers, opposites.

Both change pairs alone whose second text follows from the first, or says the same, and only where
a contradiction follows, as annotators of inference read two texts: of one event, one thing. Another
number of what is counted in both texts contradicts; one that the first text does not state may be
true. The right label is then another one, which they set.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Final

from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import Facts
from scrutiny.core.randomness import Rng
from scrutiny.core.record import grouped
from scrutiny.core.transformation import Document, Effect, SetsGold, Site, effect_of
from scrutiny.perturb.engine.changes import (
    ONE_SITE,
    Candidates,
    Change,
    Sites,
    in_random_order,
    whole_text,
)
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.words.number_swap import counting_numbers
from scrutiny.perturb.words.replacing import OtherWord
from scrutiny.text.edits import apply_to_text
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import table, word_set
from scrutiny.text.numbers import Number, format_number, parse_number

#: Label of a contradiction, by that of what follows or says the same; in capitals where it is.
_OTHERWISE: Final[Mapping[str, str]] = {
    "entailment": "contradiction",
    "entails": "contradicts",
    "paraphrase": "not_paraphrase",
    "equivalent": "not_equivalent",
    "duplicate": "not_duplicate",
}
# Where they stand, another number or the opposite may be as true as the word was.
_OPEN: Final = word_set("opens_a_statement")
_OTHERS: Final = frozenset("other others another more".split())
_BOUNDS: Final = word_set("bounds_of_numbers")
_PRONOUNS: Final = frozenset("he him his himself she her hers herself".split())
_FEMALE, _MALE = (frozenset(column) for column in zip(*table("gender_pairs"), strict=True))
_GENDERED: Final = _FEMALE | _MALE
_AGES: Final = frozenset("young younger old older elderly".split())
_KIN: Final = word_set("kin")
_IDIOMS: Final = frozenset("at by in as less more most least".split())
_MOVES: Final = frozenset("rose fell increased decreased increases decreases".split())
_AMOUNTS: Final = frozenset("from to up down".split())
_POSSESSIVE: Final = frozenset("my your his her its our their whose".split())
_SOME: Final = frozenset("the some several few group groups these those many".split())
_GROWN_UPS: Final = word_set("grown_ups")
_PARTICLES: Final = frozenset("up down off out over - '".split())
_COMPOUNDS: Final = word_set("behind_fixed_adjectives") | word_set("behind_fixed_opposites")
_HUNDRED: Final = 100  # in words a scale of others, in percent no number that grows
_WINDOW: Final = 4  # words behind a number among which the nouns stand that it counts
_MOST: Final = 3  # how much more a small number becomes


class Clash(Change, SetsGold):
    """Base of changes after which the second text of a pair contradicts the first.

    Subclasses have the parameters ``of``, the label of the pairs that change, and ``becomes``, that
    of the changed pairs; empty ones are told by the names of the labels.
    """

    __slots__ = ()

    effect: ClassVar[Mapping[str, Effect]] = {
        "*": "may change",
        "relation": "sets",
        "option": "may change",  # which are texts beside texts, and no pairs
        "ranking": "may change",
    }
    intensity = ONE_SITE
    is_default = False  # a pair that is no longer the same one: asked by name

    of: str | int | None
    becomes: str | int | None

    def gold_after(self, gold: Any, before: Example, edits: Sequence[Edit]) -> Any:
        """Label of a contradiction; None where the pair was none that changes."""
        other = _OTHERWISE.get(str(gold).lower())
        is_one = other is not None if self.of is None else gold == str(self.of)
        if not is_one or (other is None and self.becomes is None):
            return None
        if self.becomes is not None:
            return str(self.becomes)
        return other.upper() if other and gold.isupper() else other

    def must_suit(self, task: Facts, labels: Sequence[str]) -> None:
        """Raise for a task of other answers, and labels of which it cannot tell which is which."""
        name = self.id.partition("@")[0]
        if effect_of(self, task) != "sets":
            raise PlanError(
                f"{name} makes the second text of a pair contradict the first, which it can say "
                f"the right answer to where that is a label of two texts; here it is {task}."
            )
        if not labels:
            return
        after = {label: self.gold_after(label, _NOTHING, ()) for label in labels}
        named = [label for label in labels if after[label] is not None]
        lost = [after[label] for label in named if after[label] not in labels]
        if not named or lost:
            what = (
                f"the label {lost[0]} is none of the data's, which are"
                if lost
                else "which label says that the second text follows from the first, or says the "
                "same, cannot be told of"
            )
            raise PlanError(
                f"{name}: {what} {', '.join(labels)}. Say which pairs change, and which label they "
                f"have then: {name}(of=LABEL,becomes=LABEL)."
            )

    def first_of(self, document: Document) -> TextDocument | None:
        """First text of the pair whose second one a document is; None if nothing may change."""
        fields = document.example.fields
        if len(fields) != 2 or document.field != [*fields][1]:
            return None
        if self.gold_after(document.example.gold, document.example, ()) is None:
            return None
        first = TextDocument(document.example, next(iter(fields)), document.resources)
        is_open = _is_open(document.words) or _is_open(first.words)
        return None if is_open else first


_NOTHING: Final = Example("", {"text": ""})


def _is_open(words: Sequence[str]) -> bool:
    """Whether a text denies, asks, or leaves open what it says."""
    return any(
        (word.lower() in _OPEN and word != "May") or word[-3:].lower() in ("n't", "n’t")
        for word in words
    )


@dataclass(frozen=True, slots=True)
class NumberClash(Clash):
    """A larger number in the second text of a pair, which then contradicts the first.

    Only of what both texts count ("two dogs", "two brown dogs"), where neither denies or asks, and
    no bound stands before it ("at least two"): the first text states this number of them once and
    no other. The new one is larger, since of three there are also two. Labels: entailment becomes
    contradiction, paraphrase not_paraphrase; ``of`` and ``becomes`` name others.

    Parameters
    ----------
    of
        Label of the pairs that change.
    becomes
        Their label then.

    **Measures** whether the model reads numbers, or the words around them.

    **Misleads when** the texts are of different events: a report of two deaths and one of four do
    not contradict one another.

    References
    ----------
    Naik et al. (2018). Stress test evaluation for natural language inference. Gui et al. (2021).
    TextFlint: NumWord.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> texts = {"text": "Two brown dogs run.", "text_pair": "Two dogs are running."}
    >>> variant = perturb(Example("1", texts, "entailment"), "number_clash", seed=0)
    >>> variant.edits[0].field, variant.edits[0].text, variant.gold
    ('text_pair', 'Three', 'contradiction')
    """

    id = "number_clash@1"
    title = "numbers that clash"
    resources = ("tagger",)

    of: str | int | None = None
    becomes: str | int | None = None

    def sites(self, document: Document) -> Sites:
        """Numbers of the second text that the first one has, of the same."""
        words = document.words
        found = [
            (i, number)
            for i, number in counting_numbers(words)
            if (number.kind == "digits" or (number.kind == "word" and number.value < _HUNDRED))
            and number.value >= 2
            and (number.value, words[i + 1 : i + 2]) != (_HUNDRED, ["percent"])
            and not number.suffix
            and _BOUNDS.isdisjoint(word.lower() for word in words[max(0, i - 2) : i])
        ]
        first = self.first_of(document) if found else None
        if first is None or not _OTHERS.isdisjoint(word.lower() for word in first.words):
            return ()
        told = [i for i, number in found if _is_told(first, document, i, number)]
        return [Site(*document.tokens[i], i) for i in told]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Larger numbers in the same notation."""
        number = parse_number(document.text[site.start : site.end])
        if number is None:
            return
        value, step = int(number.value), 1
        while value % (10 * step) == 0 and value >= 10 * step:
            step *= 10  # a round number stays round
        most = value + _MOST * step if number.kind == "word" else value + max(_MOST * step, value)
        for larger in in_random_order(range(value + step, most + 1, step), rng):
            new = format_number(larger + (number.value - value), number)
            yield (Edit(document.field, site.start, site.end, new),)


def _is_told(first: Document, second: Document, at: int, number: Number) -> bool:
    """Whether a text counts what another one counts, once, and says this number of it."""
    nouns = _nouns(second, at)
    told = [
        other.value
        for i, word in enumerate(first.words)
        if (other := parse_number(word)) is not None and nouns & _nouns(first, i)
    ]
    return told == [number.value]


def _nouns(document: Document, at: int) -> frozenset[str]:
    """Lemmas of the nouns that a number counts: the next ones in a row, behind adjectives."""
    found: list[str] = []
    for i in range(at + 1, min(at + 1 + _WINDOW, len(document.words))):
        tag = document.tag(i)
        if tag.startswith("NN"):
            found.append(lemma(document.words[i].lower(), "NOUN"))
        elif found or not tag.startswith(("JJ", "VBN", "VBG")):
            break
    return frozenset(found)


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
    found = []
    for i, word in enumerate(document.words):
        low = word.lower()
        if low not in known or here[low] != 1 or there[low] != 1:
            continue
        if low in _GENDERED and not _PRONOUNS.isdisjoint(here):
            continue  # "a man and his dog"
        tag, opposite = _opposite_of(document, i)
        if not opposite or here[opposite] or there[opposite] or _is_fixed(document, i, tag):
            continue
        found.append(Site(*document.tokens[i], i))
    return found


def _is_fixed(document: Document, at: int, tag: str) -> bool:
    """Whether a word may be part of an expression or a name, or the opposite be true as well.

    So it is of children's ages, of somebody's kin (who has a mother, has a father), and of plurals
    that no number or article tells to be some and not all.
    """
    words = document.words
    low, behind = words[at].lower(), [word.lower() for word in words[at + 1 : at + 3]]
    before = [word.lower() for word in words[max(0, at - 3) : at]]
    if behind and (behind[0] in _PARTICLES or behind[0] in _COMPOUNDS):
        return True  # "sitting down", "hot air"
    if words[at][:1].isupper() and (at > 0 or tag in ("VB", "JJ")):
        return not document.text.isupper()
    if tag in ("JJ", "") and (not _IDIOMS.isdisjoint(before[-1:]) or behind[:1] == ["and"]):
        return True  # "at large", "as quickly as", "warm and dry"
    if not tag and document.tag(at).startswith("JJ"):
        return True  # "outside observers"
    if low in _MOVES and not _AMOUNTS.isdisjoint(words[at + 1 :]):
        return True  # "rose from 47 to 50"
    if low in _GENDERED and _is_one_of_several(words, at):
        return True
    if low in _AGES:
        return _GROWN_UPS.isdisjoint(behind)
    if low in _KIN:
        return "of" in behind or any(one in _POSSESSIVE or "'" in one for one in before)
    is_plural = tag == "NN" and document.tag(at) == "NNS"
    return is_plural and not any(one in _SOME or parse_number(one) for one in before)


def _is_one_of_several(words: Sequence[str], at: int) -> bool:
    """Whether a text speaks elsewhere of somebody of this gender, who may be the same person."""
    alike = _FEMALE if words[at].lower() in _FEMALE else _MALE
    return sum(word.lower() in alike for word in words) > 1
