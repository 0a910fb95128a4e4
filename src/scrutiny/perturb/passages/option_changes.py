"""Changes of a passage with options: an answer to another question, slips in words of the options.

Two of the four attacks of AdvRACE (Si et al. 2021). The right option stays right.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from scrutiny.core.answers.choices import options_in
from scrutiny.core.edit import Edit
from scrutiny.core.facts import OPTIONS
from scrutiny.core.languages import SPACED_WORDS
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Effect, Intensity, Site, may_change_unless
from scrutiny.perturb.characters.within_words import exchanged, letters_of
from scrutiny.perturb.engine.changes import (
    EVERY_SITE,
    ONE_SITE,
    Candidates,
    Change,
    Sites,
    in_random_order,
    whole_text,
    with_unknown,
    word_sites,
)
from scrutiny.perturb.passages.other_facts import altered
from scrutiny.perturb.passages.parsed_question import ParsedQuestion
from scrutiny.perturb.passages.sentences_in_order import sentences_of
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import is_stop_word, zipf
from scrutiny.text.tokens import token_texts

_KEEPS_OPTIONS: Mapping[str, Effect] = may_change_unless("option")
_SHORTEST = 4  # letters of a word with two inner ones


def _is_passage(document: Document) -> bool:
    """Whether the document is the text that a question with options is about."""
    return document.field == "text" and "question" in document.example.fields


@lru_cache(maxsize=256)
def _parsed(parser: Any, text: str) -> ParsedQuestion:
    (parse,) = parser.annotate([text])
    return ParsedQuestion(text, parse)


@dataclass(frozen=True, slots=True)
class OptionSentence(Change):
    """Another question with a wrong option as its answer, put between sentences of the passage.

    Names, numbers or words of the question become others, or are turned round, so that what is said
    answers something else: "What did Ida buy? A hat." gives "What did Vera buy? A coat.". The right
    option stays right. A question of which nothing can be changed gets none.

    Parameters
    ----------
    times
        How many such sentences come, each with another wrong option.

    **Measures** whether a model takes the option whose words stand beside those of the question.

    **Misleads when** what was changed is not what the question hangs on: the wrong option is then
    said to be right.

    References
    ----------
    Si et al. (2021). Benchmarking robustness of machine reading comprehension models (AdvRACE):
    AddSent.
    """

    id = "option_sentence@1"
    title = "sentence with a wrong option"
    resources = ("parser",)
    effect = _KEEPS_OPTIONS
    intensity = ONE_SITE
    where = "anywhere"
    wants = (OPTIONS,)
    is_default = False  # a sentence that nobody would write there

    times: int = 1

    def sites(self, document: Document) -> Sites:
        """The passage of a question whose right option is known."""
        is_known = document.example.gold is not None
        return whole_text(document) if is_known and _is_passage(document) else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Sentences with wrong options, each behind a random sentence."""
        fields = document.example.fields
        question = _parsed(find_resource(document.resources, "parser"), fields["question"])
        options = options_in(fields)
        wrong = [o for i, o in enumerate(options) if i != int(document.example.gold)]
        chosen = [*in_random_order(wrong, rng)][: self.times]
        places = [*in_random_order([s.end for s in sentences_of(document)], rng)]
        edits = []
        for option, at in zip(chosen, places, strict=False):
            every = altered(question, rng, passage=document.text.lower())
            changed = {first: new for first, new in every.items() if _is_free(question, first)}
            if changed:
                said = f"{_with_changes(question, changed)} {option}"
                edits.append(with_unknown(document, Edit(document.field, at, at, f" {said}")))
        if len(edits) == min(self.times, len(wrong)):
            yield tuple(edits)


def _is_free(question: ParsedQuestion, at: int) -> bool:
    """Whether a token means something alone: no title, adverb, or verb of *fall asleep*."""
    words = [question.text[a:b].lower() for a, b in question.parse.spans[at : at + 2]]
    is_verb_of = question.tag(at)[:2] == "VB" and words[-1] in _BESIDE_VERBS
    return question.tag(at) != "RB" and words[0].rstrip(".") not in _TITLES and not is_verb_of


_TITLES = frozenset("dr mr mrs ms prof miss".split())
_BESIDE_VERBS = frozenset("asleep sleep ill in to".split())


def _with_changes(question: ParsedQuestion, changed: Mapping[int, tuple[int, str]]) -> str:
    """The question with what takes the place of its tokens."""
    text, spans = question.text, question.parse.spans
    for first, (end, new) in sorted(changed.items(), reverse=True):
        text = text[: spans[first][0]] + new + text[spans[end - 1][1] :]
    return text


@dataclass(frozen=True, slots=True)
class AskedWordSlip(Change):
    """Two inner letters exchanged in each word of the passage that the question or an option has.

    First and last letters stay, and so do words of fewer than four letters and function words. No
    slip makes another word (*from* of *form*).

    **Measures** whether a model finds its answer by the same spelling.

    **Misleads when** a passage is in a language other than English, whose words we do not know: a
    slip may make another one.

    References
    ----------
    Si et al. (2021). Benchmarking robustness of machine reading comprehension models (AdvRACE):
    CharSwap.

    Examples
    --------
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> texts = {"text": "Ida went home.", "question": "Where did she go?", "option_1": "home"}
    >>> [edit.text for edit in perturb(Example("1", texts), "asked_word_slip", seed=0).edits]
    ['mo']
    """

    id = "asked_word_slip@1"
    title = "slips in asked words"
    languages = SPACED_WORDS
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = EVERY_SITE
    wants = (OPTIONS,)
    is_default = False

    def sites(self, document: Document) -> Sites:
        """Words of the passage that stand, in some form, in the question or an option."""
        if not _is_passage(document):
            return ()
        others = (text for name, text in document.example.fields.items() if name != "text")
        asked = {form for text in others for word in token_texts(text) for form in _forms(word)}
        return [
            site
            for site in word_sites(document, _SHORTEST)
            if not is_stop_word(word := document.text[site.start : site.end])
            and not asked.isdisjoint(_forms(word))
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The word with two inner letters exchanged, in random order."""
        word = letters_of(document, site, keep_first=True, keep_last=True)
        pairs = range(word.low, word.high - 1)
        for at in in_random_order(pairs, rng):
            new = exchanged(word.units, at)
            if new and not zipf("".join([*word.units[:at], new, *word.units[at + 2 :]])):
                yield word.change(at, new, width=2)


def _forms(word: str) -> frozenset[str]:
    """A word in lower case, and what its form may come from."""
    low = word.lower()
    return (
        frozenset({low, lemma(low, "NOUN"), lemma(low, "VERB")}) if low.isalpha() else frozenset()
    )
