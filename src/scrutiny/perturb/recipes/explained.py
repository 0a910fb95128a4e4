"""Attacks that an explanation guides: on words that say nothing, and on what a question is about.

The change is chosen by what an explanation says of the model, not by its answers: by integrated
gradients of the answer's logit where the model gives them, and otherwise by what it loses without
each word. Beside each stands the same change at a random place, or with random words, with as many
changed texts asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from scrutiny.perturb.passages.empty_words import DeleteEmptyWord, EmptyPrefix, OwnWordsPrefix
from scrutiny.perturb.passages.named_words import OtherSubject, RepeatedWords
from scrutiny.perturb.passages.question_changes import Distractor
from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.search import Changeable, Search, Space
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.goals.output_goals import AnswerStays
from scrutiny.perturb.search.judging import Expense, Found, expense_of
from scrutiny.perturb.search.methods.explained import MostHarmful, NamedPlaces, NamedWords

_LANGUAGES: Final = frozenset({"en", "zh"})
#: More words than a text has: where there is one place, its candidates say how many change.
_ANY: Final = 1_000_000
_OCCLUSION: Final = (
    "A model without path_gradients is explained by leaving out each word in turn (occlusion)."
)


class Guided(Attack):
    """Base of attacks that are guided by an explanation: control asks as many changed texts.

    Texts that are asked about for the explanation are no tries. There is one place, and its
    candidates say how many words change.
    """

    __slots__ = ()

    languages = _LANGUAGES

    def expense(self, found: Found) -> Expense:
        """As many changed texts, of any number of words."""
        return Expense(found.n_tried + 1, _ANY)


@dataclass(frozen=True, slots=True)
class NamedStopWords(Guided):
    """Function words deleted, those first that an explanation names.

    Articles, particles, pronouns and auxiliaries of the first text are left out, in the order of
    their weight for the answer: one, two, and so on. Words that deny or ask stay.

    Parameters
    ----------
    most
        Words that are left out at most.

    **Measures** whether answers hang on words that say nothing by themselves, and whether the
    explanation knows on which. Random change leaves out as many random function words.

    **Misleads when** a function word matters: "to" and "from" are kept apart by nothing else.

    References
    ----------
    Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?

    Examples
    --------
    >>> NamedStopWords().search(Given()).method.most
    5
    """

    id = "named_stop_words@1"
    title = "function words deleted"
    deviations = (
        "Words are the package's function words without those that deny or ask, in English and "
        "Chinese; the authors have a list of 56 for theirs, and leave all of them out at once.",
        _OCCLUSION,
    )

    most: int = 5

    def search(self, given: Given) -> Search:
        """Deletions in the order of an explanation."""
        first = given.fields[:1] if len(given.fields) > 1 else ()
        space = Space.of(DeleteEmptyWord(), may_change=Changeable(fields=first))
        return Search(space, Untargeted(), NamedPlaces(most=self.most))

    def expense(self, found: Found) -> Expense:
        """As many texts, each without as many words as the last one lacks."""
        return Expense(found.n_tried + 1, max(1, found.n_tried))


@dataclass(frozen=True, slots=True)
class EmptyPrefixes(Guided):
    """Phrases before the first text that ask for nothing: "In not a lot of words: …".

    Of twenty phrases of a language those are asked about that an explanation of the changed text
    calls most harmful.

    Parameters
    ----------
    tries
        Phrases that are asked about.
    order
        ``explained``, or ``random``.

    **Measures** whether a phrase that adds nothing changes the answer. Random change puts as many
    random words of the text itself before it.

    **Misleads when** a task is about how a text is worded.

    References
    ----------
    Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?

    Examples
    --------
    >>> EmptyPrefixes(order="random").search(Given()).method.explained
    False
    """

    id = "empty_prefixes@1"
    title = "empty phrases before the text"
    deviations = (
        "Phrases are our own, twenty in English and twenty in Chinese; the paper makes three of "
        "words that its explanations name, for its model.",
        "The phrases most harmful to each text are chosen by explaining the changed texts; a model "
        "without path_gradients is asked about random ones.",
    )

    tries: int = 5
    order: Literal["explained", "random"] = "explained"

    def search(self, given: Given) -> Search:
        """The phrases that an explanation calls most harmful."""
        method = MostHarmful(tries=self.tries, explained=self.order == "explained")
        return Search(Space.of(EmptyPrefix()), Untargeted(), method)

    def control_space(self, search: Search) -> Space:
        """As many words of the text itself before it."""
        return Space.of(OwnWordsPrefix())


@dataclass(frozen=True, slots=True)
class SentenceOfNamedWords(Guided):
    """A sentence behind the passage with words of the question that an explanation names.

    Of some sentences of words of the first text, the one is asked about whose words weigh most in
    the answer.

    Parameters
    ----------
    form
        ``words``: so many words of the first text, in their order. ``statement``: the question as a
        statement about something else (`Distractor`), in English and with a parser; of its variants
        the one that keeps the words that weigh most.
    words
        How many words.
    tries
        Sentences that are asked about.

    **Measures** whether a model looks for the words that its answer hangs on, whatever is said with
    them. Random change asks about a random one of the same sentences.

    **Misleads when** the words say something together: read the texts.

    References
    ----------
    Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?
    Jia & Liang (2017). Adversarial examples for evaluating reading comprehension systems.

    Examples
    --------
    >>> SentenceOfNamedWords().search(Given()).method.tries
    1
    """

    id = "named_sentence@1"
    title = "a sentence of named words"
    lacking: ClassVar[Mapping[str, str]] = {
        "parser": "Without a parser, form=statement finds no sentence."
    }
    deviations = (
        "The paper sorts the sentences of Jia & Liang by whether they kept the named words; here "
        "such sentences are chosen.",
        _OCCLUSION,
    )

    form: Literal["words", "statement"] = "words"
    words: int = 4
    tries: int = 1

    def search(self, given: Given) -> Search:
        """Of the candidates, those with the words that weigh most."""
        is_words = self.form == "words" or not given.has("parser")
        change = RepeatedWords(self.words) if is_words else Distractor()
        return Search(Space.of(change), Untargeted(), NamedWords(tries=self.tries))


@dataclass(frozen=True, slots=True)
class SubjectReplaced(Guided):
    """What a question is about becomes a teapot; it succeeds where the answer stays.

    What the first text is about is the longest run of content words that the other text has, too.
    One of twelve things of the household comes in its place, which neither text has.

    Parameters
    ----------
    label
        Right answer of the pairs that are asked, say ``match``: of others it may stay for good
        reasons. With nothing, all of them are asked.

    **Measures** over-stability: a model that answers as before has not read what it is asked about.
    Random change replaces another stretch of as many words.

    **Misleads when** the answer is right of the changed pair, too.

    References
    ----------
    Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?

    Examples
    --------
    >>> SubjectReplaced(label="match").search(Given()).goal.label
    'match'
    """

    id = "subject_replaced@1"
    title = "another subject"
    is_fooling = False
    deviations = (
        "The subject is what both texts name, without a parse; the paper's is that of the "
        "question's grammar.",
        "Nouns are our own; the paper's are nouns that its explanations never named.",
    )

    label: str = ""

    def search(self, given: Given) -> Search:
        """One replacement."""
        one = MostHarmful(tries=1, explained=False)
        return Search(Space.of(OtherSubject()), AnswerStays(label=self.label), one)

    def control_space(self, search: Search) -> Space:
        """Another stretch of as many words."""
        return Space.of(OtherSubject(what="beside"))

    def expense(self, found: Found) -> Expense:
        """One text, with one stretch of as many words."""
        return Expense(found.n_tried + 1, expense_of(found).words)
