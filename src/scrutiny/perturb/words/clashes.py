"""Changes of the second text of a pair that then contradicts the first: of them, numbers.

They change pairs alone whose second text follows from the first, or says the same, and only where
a contradiction follows, as annotators of inference read two texts: of one event, one thing. Another
number of what is counted in both texts contradicts; one that the first text does not state may be
true. The right label is then another one, which they set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import TWO_TEXTS, Facts
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Effect, SetsGold, Site
from scrutiny.perturb.engine.changes import (
    ONE_SITE,
    Candidates,
    Change,
    Sites,
    in_random_order,
)
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.words.number_swap import counting_numbers
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import word_set
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
    wants = (TWO_TEXTS,)
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
        super().must_suit(task, labels)
        name = self.id.partition("@")[0]
        if not labels:
            return
        after = {label: self.gold_after(label, _NOTHING, ()) for label in labels}
        found = {label: other for label, other in after.items() if other is not None}
        stated, known = f"The labels are {', '.join(labels)}", {*labels}
        if not found:
            raise PlanError(
                f"{name}: {stated}, and which of them says that the second text follows from the "
                "first, or means the same, cannot be told. Say which pairs change, and which label "
                f"they have then: {name}(of=LABEL,becomes=LABEL)."
            )
        lost = [(label, other) for label, other in found.items() if other not in known]
        if lost and self.becomes is None:
            label, other = min(lost)
            raise PlanError(
                f"{name}: {stated}, and {other}, which {label} would be, is none of "
                f"them. Say which label a contradiction has: {name}(becomes=LABEL)."
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
