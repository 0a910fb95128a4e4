"""Words that say nothing, put before a text or taken out of it: phrases, and function words.

References
----------
Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from scrutiny.core.edit import Edit
from scrutiny.core.facts import EXTRACTS, LABELS
from scrutiny.core.languages import speaks
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site, keeps_unless
from scrutiny.perturb.engine.changes import (
    Candidates,
    ChangesWholeText,
    Sites,
    in_random_order,
    whole_text,
    with_unknown,
)
from scrutiny.perturb.words.added_and_dropped import DeleteWord
from scrutiny.text.lexicon import is_stop_word, listed, table
from scrutiny.text.tokens import is_lexical

_KNOWN: Final = frozenset({"en", "zh"})
#: What turns a text round, and what it asks for, are no empty words.
_NOT_EMPTY: Final = frozenset(
    "no not nor never none nothing nobody neither without cannot who whom whose what which when "
    "where why how until unless but if 不 没 别 无 没有 不是 谁 哪 什 么 怎 什么 怎么 为什么 哪里 "
    "但 却 但是 可是 如果 若 如 前 后 上 下 里 中 内 外 最 更".split()
)
_CHINESE: Final = frozenset({"zh"})
_CHINESE_WORDS: Final = frozenset(listed("chinese_function_words"))


def is_function_word(word: str) -> bool:
    """Whether a word of English or Chinese is a function word."""
    return is_stop_word(word) or word in _CHINESE_WORDS


def is_empty_word(word: str) -> bool:
    """Whether a word of English or Chinese says nothing by itself.

    Function words but those that deny, ask, compare, and say where or under which condition.

    Examples
    --------
    >>> [is_empty_word(word) for word in ("The", "not", "what", "film", "的", "不")]
    [True, False, False, False, True, False]
    """
    low = word.lower().replace("’", "'")
    is_known = is_function_word(low)
    return is_known and low not in _NOT_EMPTY and not low.endswith("n't")


def language_of(document: Document) -> str:
    """Code of the language whose lists apply to a text: English or Chinese."""
    return "zh" if speaks(_CHINESE, document.language) else "en"


def is_first_field(document: Document) -> bool:
    """Whether a text is the first one of its item: a question, a query, the only text."""
    return document.field == next(iter(document.example.fields))


def words_of(document: Document) -> list[str]:
    """Words of a text, without punctuation."""
    return [word for word in document.words if is_lexical(word)]


@dataclass(frozen=True, slots=True)
class EmptyPrefix(ChangesWholeText):
    """A phrase before the first text that asks for nothing: "In not a lot of words: …".

    Phrases are of function words and of words of asking and answering, in English and Chinese
    (own lists, after those of the paper).

    **Measures** whether a model reads past words that say nothing.

    **Misleads when** a task is about how a text is worded: its formality, who wrote it.

    References
    ----------
    Mudrakarta, Taly, Sundararajan & Dhamdhere (2018). Did the model understand the question?

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> text = "Where was Ida born?"
    >>> perturb(text, "empty_prefix", seed=0).edits[0].text.strip().endswith(":")
    True
    """

    id = "empty_prefix@1"
    title = "empty phrases before the text"
    languages = _KNOWN
    effect = keeps_unless("relation", "text")
    wants = (LABELS, EXTRACTS)
    is_default = False  # nobody writes so before a review

    def sites(self, document: Document) -> Sites:
        """The first text of an item."""
        return whole_text(document) if is_first_field(document) else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """All phrases of the language, in random order."""
        language = language_of(document)
        phrases = [phrase for code, phrase in table("empty_phrases") if code == language]
        for phrase in in_random_order(phrases, rng):
            yield (_before(document, phrase),)


@dataclass(frozen=True, slots=True)
class OwnWordsPrefix(EmptyPrefix):
    """As many words of the text itself before it: what an empty phrase is held against.

    Examples
    --------
    >>> OwnWordsPrefix().is_default
    False
    """

    id = "own_words_prefix@1"
    title = "the text's own words before it"

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """As many as each phrase has, in random order."""
        own, language = words_of(document), language_of(document)
        glue = "" if language == "zh" else " "
        for code, phrase in table("empty_phrases") if own else ():
            if code == language:
                count = len(phrase) if language == "zh" else len(phrase.split())
                drawn = rng.integers(len(own), size=count).tolist()
                yield (_before(document, glue.join(own[i] for i in drawn)),)


def _before(document: Document, phrase: str) -> Edit:
    """A phrase with its colon before a text."""
    mark = "：" if language_of(document) == "zh" else ": "
    return with_unknown(document, Edit(document.field, 0, 0, f"{phrase}{mark}"))


@dataclass(frozen=True, slots=True)
class DeleteEmptyWord(DeleteWord):
    """Deletes one word that says nothing by itself: an article, a particle, an auxiliary.

    In Chinese one character that is such a word, also where it is a part of another one.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> text = document_of("Which of the films did he make?")
    >>> [text.words[site.token] for site in DeleteEmptyWord().sites(text)]
    ['of', 'the', 'did', 'he']
    """

    id = "delete_empty_word@1"
    title = "function words deleted"
    languages = _KNOWN

    def sites(self, document: Document) -> Sites:
        """Function words, where the text has other words."""
        every = DeleteWord.sites(self, document)
        found = [site for site in every if is_empty_word(document.words[site.token])]
        return found if len(found) < len(every) else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The deletion, with one space."""
        return DeleteWord.candidates(self, document, site, rng)
