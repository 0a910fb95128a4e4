"""Tokens of English sentences: walks among them, clitics, and the spellings of messages.

Clitics are attached ("can't", "I'll") or split as in the Penn treebank ("ca n't", "I 'll"); whoever
reads a verb or writes one back before "n't" asks here. The grammar of messages and chat is what a
tagger trained on edited texts mistakes.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.text.lexicon import is_stop_word, word_set
from scrutiny.text.tokens import is_spaced, sentences
from scrutiny.text.wordnet import is_known_word


def sentence_tokens(document: Document) -> list[tuple[int, int]]:
    """Token ranges ``(first, last + 1)`` of the sentences of a text, in order."""
    starts = [start for start, _ in document.tokens]
    borders = [0, *(bisect_left(starts, end) for _, end in sentences(document.text))]
    return [(first, last) for first, last in pairwise(borders) if first < last]


def sentence_of(document: Document, index: int) -> tuple[int, int]:
    """Token range of the sentence that contains a token."""
    return next((a, b) for a, b in sentence_tokens(document) if a <= index < b)


def beside(document: Document, index: int, step: int, is_passed: Callable[[int], bool]) -> int:
    """Index of the first token before (-1) or behind (1) another one that is not passed over.

    Without one it is the index before the first token, or behind the last.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> document = document_of("It has not really changed")
    >>> beside(document, 4, -1, lambda i: document.words[i] in ("not", "really"))
    1
    """
    at = index + step
    while 0 <= at < len(document.words) and is_passed(at):
        at += step
    return at


def token_edit(document: Document, index: int, text: str, *, last: int | None = None) -> Edit:
    """Edit that puts a text in the place of a token, or of those up to another one."""
    stop = index if last is None else last
    return Edit(document.field, document.tokens[index][0], document.tokens[stop][1], text)


CLITICS: Final = {"'m": "be", "'re": "be", "'s": "be", "'ve": "have", "'ll": "modal", "'d": "modal"}
PRONOUNS: Final = word_set("pronouns")
# What is left of a verb before n't, and the verb.
_STEMS: Final = {"ca": "can", "wo": "will", "sha": "shall"}
_SHORT: Final = {full: short for short, full in _STEMS.items()}
_NEGATABLE: Final = word_set("negatable")


@lru_cache(maxsize=1 << 16)
def plain(word: str) -> str:
    """An English word as clitics and verbs are looked up: lower case, a straight apostrophe."""
    return word.lower().replace("’", "'")


@lru_cache(maxsize=1 << 16)
def negated_stem(word: str) -> str | None:
    """English auxiliary of a contracted negation ("won't" to "will"), or `None` ("ain't").

    Examples
    --------
    >>> negated_stem("Can't"), negated_stem("cannot"), negated_stem("ain't"), negated_stem("n't")
    ('can', 'can', None, None)
    """
    low = plain(word)
    if low == "cannot":
        return "can"
    if not low.endswith("n't"):
        return None
    stem = _STEMS.get(low[:-3], low[:-3])
    return stem if stem in _NEGATABLE else None


def is_before_not(words: Sequence[str], index: int) -> bool:
    """Whether the clitic "n't" is split off a verb ("could" in "could n't").

    Examples
    --------
    >>> is_before_not(["ca", "n't"], 0), is_before_not(["ca", "."], 0), is_before_not(["ca"], 0)
    (True, False, False)
    """
    return index + 1 < len(words) and plain(words[index + 1]) == "n't"


def full_form(words: Sequence[str], index: int) -> str:
    """English verb without its contracted negation, in lower case: "ca n't" and "can't" as "can".

    Examples
    --------
    >>> full_form(["wo", "n't"], 0), full_form(["Won’t"], 0), full_form(["wo", "is"], 0)
    ('will', 'will', 'wo')
    """
    low = plain(words[index])
    if low in _STEMS and is_before_not(words, index):
        return _STEMS[low]
    return negated_stem(low) or low


def before_not(verb: str) -> str:
    """Form of a verb before "n't", contracted or split: "ca" for "can".

    Examples
    --------
    >>> [before_not(verb) + "n't" for verb in ("can", "will", "is")]
    ["can't", "won't", "isn't"]
    """
    return _SHORT.get(verb, verb)


@lru_cache(maxsize=1 << 16)
def clitic_of(word: str) -> str | None:
    """Verbal clitic at the end of a contracted pronoun ("I'll" to "'ll"), or `None`.

    Examples
    --------
    >>> clitic_of("they've"), clitic_of("John's"), clitic_of("let's")
    ("'ve", None, None)
    """
    stem, mark, rest = plain(word).partition("'")
    clitic = mark + rest
    return clitic if stem in PRONOUNS and clitic in CLITICS else None


#: Spellings and particles of messages, many of them frequent enough that word lists know them.
SPELLINGS: Final = word_set("informal_spellings")
# Words that open or hold a talk, and state nothing.
_GREETINGS: Final = word_set("greetings")
# Tags behind "2" and "4" for "to" and "for", and behind "its" for "it's".
_BEHIND: Final = (
    frozenset("NN NNP VB VBP PRP PRP$ DT".split()),
    frozenset("DT EX IN PRP RB VBN WP WRB".split()),
)
_RUN: Final = re.compile(r"\.\.|[!?]{2}|\s\.\s\.|[a-z]{2}[.!?,][^\W\d_]")  # "so...", "hard.he"
_SMILEY: Final = re.compile(r"(?<![\d:])[:;=]['-]?(?:[()|\\*]|[DPpo]\b)|<3|&lt;3|\^_?\^")
_LINK: Final = re.compile(r"(?:^|\s)(?:RT\b|[@#]\s?[^\W\d_])|https?:|www\.")
_OWN: Final = re.compile(r"i(?:['’]|$)")  # "i", "i'm"
_LETTERS_AND_DIGITS: Final = re.compile(r"[^\W\d_]\d|\d(?!(?:st|nd|rd|th|s|am|pm)\b)[^\W\d_]")


def is_informal(document: Document) -> bool:
    """Whether a text is written as messages and chats are.

    It has smileys, mentions, links, greetings, or spellings of messages; dots or other marks run
    on; a word is unknown, or a sentence lacks the capital at its beginning or the mark at its end.
    Texts in lower case whose tokens are set apart by spaces need no capitals and marks, and may
    hold names in lower case: collections for training are kept so.
    """
    text = document.text
    words = [plain(word) for word in document.words]
    sentences = sentence_tokens(document)
    if _SMILEY.search(text) or _LINK.search(text) or not SPELLINGS.isdisjoint(words):
        return True
    if any(words[a] in _GREETINGS or document.tag(a) == "UH" for a, _ in sentences):
        return True
    spaced = is_spaced(text)
    if spaced and text == text.lower():
        return False
    if (not spaced and _RUN.search(text)) or any(map(_LETTERS_AND_DIGITS.search, words)):
        return True
    if text.rstrip()[-1:].isalnum():
        return True
    # "2" for "to", "4" for "for", "its" for "it's"
    short = [i for i, word in enumerate(words[:-1]) if word in ("2", "4", "its")]
    if any(document.tag(i + 1) in _BEHIND[words[i] == "its"] for i in short):
        return True
    return any(_is_careless(document, *each) for each in sentences)


def _is_careless(document: Document, first: int, last: int) -> bool:
    """Whether a sentence begins without a capital, is all capitals, or has unknown words."""
    words = [word for word in document.words[first:last] if word[0].isalpha()]
    if not words or not words[0][0].isupper():
        return bool(words)
    if any(_OWN.match(word) for word in words):
        return True
    if len(words) > 1 and all(word.isupper() for word in words):
        return True
    return any(_is_unknown(word) for word in (words[0].lower(), *filter(str.islower, words)))


@lru_cache(maxsize=1 << 16)
def _is_unknown(word: str) -> bool:
    """Whether a lower-case word is none that dictionaries have; single letters are none."""
    if len(word) == 1:
        return word not in "ai"
    return word.isalpha() and not is_stop_word(word) and not is_known_word(word)
