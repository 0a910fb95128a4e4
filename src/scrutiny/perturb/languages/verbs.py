"""Verb groups in tokens: finite verbs, auxiliaries, main verbs.

A rule over Penn tags, not a parser. It knows the closed class of English auxiliaries by their
form, with their clitics both fused ("isn't", "I'll") and split in the Penn manner ("is n't").
"""

from functools import lru_cache
from typing import Final, Literal

from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.sentence_tokens import (
    CLITICS,
    PRONOUNS,
    beside,
    clitic_of,
    full_form,
    is_before_not,
    negated_stem,
    plain,
    sentence_of,
)
from scrutiny.text.inflection import inflect, lemma
from scrutiny.text.lexicon import word_set
from scrutiny.text.tokens import is_word
from scrutiny.text.wordnet import exists

Kind = Literal["be", "have", "do", "modal", "verb"]
BE: Final = frozenset({"am", "is", "are", "was", "were"})
HAVE: Final = frozenset({"have", "has", "had"})
DO: Final = frozenset({"do", "does", "did"})
MODALS: Final = frozenset(
    {"can", "could", "will", "would", "shall", "should", "may", "might", "must", "ought"}
)
_PERFECT: Final = HAVE | {"having"}
ADVERBS: Final = frozenset({"RB", "RBR", "RBS"})
_SUBJECTS: Final = frozenset("i you he she it we they".split())
_OBJECTS: Final = frozenset("me you him her it us them".split())
_CAUSATIVES: Final = frozenset("make let help see watch hear have feel notice".split())
_RELATIVE: Final = frozenset("that which who what whatever whoever".split())
_BEFORE_PARTICIPLE: Final = frozenset({"IN", "DT", "PRP$", "JJ", "JJR", "JJS", "POS", ","})
_BASE_FOLLOWS: Final = word_set("before_bases")
_SUBJECT_LENGTH: Final = 6
_PHRASE: Final = frozenset({"NN", "JJ", "DT", "PR", "CD"})
_BEFORE_NOUN: Final = frozenset("the a an my your his its our their".split())
_BEHIND_VERB: Final = frozenset("IN DT PRP PRP$ TO RB RP NNP JJ .".split())
_NOUNS_TOO: Final = frozenset({"will", "can", "may", "might", "must"})
_CLAUSE_ENDS: Final = frozenset(".!?;:,")
_ASKING: Final = frozenset("what when where who why how which wtf and but so".split())
_NOT_ADVERBIAL: Final = frozenset({"not", "n't", "never"})


def auxiliary_kind(document: Document, index: int) -> Kind | None:
    """Class of a form of be, have, do or a modal, by its form; `None` for other words."""
    word = plain(document.words[index])
    stem = full_form(document.words, index)
    if stem in BE:
        return "be"
    if stem in HAVE:
        return "have"
    if stem in DO:
        return "do"
    if stem in MODALS:  # "free will" and "in May" have none
        may_be_noun = document.words[index].lower() in _NOUNS_TOO
        return None if may_be_noun and document.tag(index).startswith("NN") else "modal"
    if word in CLITICS:
        return _split_clitic(document, index, word)
    clitic = clitic_of(word)
    kind: Kind | None = CLITICS[clitic] if clitic else None  # type: ignore[assignment]
    return kind


def _split_clitic(document: Document, index: int, word: str) -> Kind | None:
    """Class of a clitic that is a separate token; a possessive "'s" has none."""
    if index == 0:
        return None
    if word == "'s":
        before = plain(document.words[index - 1])
        if before == "let" or (before not in PRONOUNS and not document.tag(index).startswith("VB")):
            return None
    return CLITICS[word]  # type: ignore[return-value]


@lru_cache(maxsize=1 << 16)
def could_be_verb(word: str) -> bool:
    """Whether WordNet knows a word, in any letter case, as a verb form; avoids tagging if not.

    Examples
    --------
    >>> could_be_verb("Goes"), could_be_verb("the")
    (True, False)
    """
    low = plain(word)
    return low.isalpha() and exists(lemma(low, "VERB"), "v")


def finite_kind(document: Document, index: int) -> Kind | None:
    """Class of a finite verb, or `None` if the token is not one."""
    word = document.words[index]
    if not (is_word(word) or plain(word) in CLITICS):
        return None
    before = plain(document.words[index - 1]) if index else ""
    if (plain(word) == "had" and before in _PERFECT) or (plain(word) == "'ve" and before in MODALS):
        return None
    kind = auxiliary_kind(document, index)
    if kind is not None:
        is_base = plain(word) in ("have", "do")
        return None if is_base and is_dependent(document, index) else kind
    if before in _BEFORE_NOUN or not could_be_verb(word) or is_dependent(document, index):
        return None
    tag = document.tag(index)
    if tag in ("VBZ", "VBP"):
        return "verb"
    if tag == "VBD":
        return None if _is_participle(document, index) else "verb"
    is_plural = before in {"i", "you", "we", "they"}
    if tag == "VB" and index and (is_plural or document.tag(index - 1) in ("NNS", "NNPS")):
        return "verb"
    return None


def is_dependent(document: Document, index: int) -> bool:
    """Whether a word is an infinitive or a participle because of the words before it.

    Behind "to" and auxiliaries, adverbs and "not" aside ("will not do"); behind an inverted subject
    ("what do you use"); and behind the object of a verb like "make" ("makes you wonder").
    """
    low = plain(document.words[index])
    if lemma(low, "VERB") != low and not _may_be_participle(low):
        return False
    at = _before(document, index)
    if at < 0:
        return False
    word = plain(document.words[at])
    if word in _BASE_FOLLOWS or auxiliary_kind(document, at) is not None:
        return True
    if word == "t" and at > 1 and plain(document.words[at - 1]) == "'":
        return True  # "did n ' t have"
    return _is_inverted(document, index) or _is_object_verb(document, at, word)


def _is_object_verb(document: Document, at: int, word: str) -> bool:
    """Whether the subject of an infinitive precedes it: "do you use", "makes you wonder"."""
    if document.words[at].isalpha() and document.tag(at).startswith("NN"):
        # a noun phrase is the object of a verb like "make": "makes most people laugh"
        least = max(0, at - _SUBJECT_LENGTH)
        first = beside(document, at + 1, -1, lambda i: i > least and document.tag(i)[:2] in _PHRASE)
        return lemma(plain(document.words[first]), "VERB") in _CAUSATIVES
    at = _before(document, at) if word in _SUBJECTS or word in _OBJECTS else -1
    if at < 0:
        return False
    if word in _SUBJECTS and auxiliary_kind(document, at) in ("modal", "do"):
        return True
    return word in _OBJECTS and lemma(plain(document.words[at]), "VERB") in _CAUSATIVES


def _is_inverted(document: Document, index: int) -> bool:
    """Whether an auxiliary before the subject takes the base form ("could you guys go")."""
    for at in range(index - 2, max(-1, index - _SUBJECT_LENGTH), -1):
        if document.words[at] in _CLAUSE_ENDS:
            return False
        if auxiliary_kind(document, at) in ("modal", "do"):
            before = plain(document.words[at - 1]) if at else "."
            return before in _CLAUSE_ENDS or before in _ASKING
    return False


def _before(document: Document, index: int) -> int:
    """Index of the nearest token to the left that is neither an adverb nor "not"; -1 if none."""
    words, at = document.words, index - 1  # no call of `beside`: every verb asks
    while at >= 0 and (
        plain(words[at]) in _NOT_ADVERBIAL
        or (words[at][0].isalpha() and document.tag(at) in ADVERBS)
    ):
        at -= 1
    return at


@lru_cache(maxsize=1 << 14)
def _may_be_participle(low: str) -> bool:
    """Whether a verb form can be its past participle."""
    return inflect(lemma(low, "VERB"), "VBN") == low


def _is_participle(document: Document, index: int) -> bool:
    """Whether a word tagged as past tense is a participle ("the film made by", "of rehashed gags").

    A form that could be either is one unless a subject or a conjunction stands before it.
    """
    following = index + 1
    if following < len(document.words) and plain(document.words[following]) == "by":
        return True
    if not _may_be_participle(plain(document.words[index])):
        return False
    at = _before(document, index)
    if at < 0 or plain(document.words[at]) in _RELATIVE:
        return at < 0
    return document.tag(at) in _BEFORE_PARTICIPLE


def mistagged_verb(document: Document, first: int, last: int) -> int | None:
    """Index of the only word that can be the verb of a sentence in which the tagger found none.

    "John lives in Ireland" may be tagged as a name and a plural. A plural after a singular name or
    pronoun, or a singular after a plural, is taken for a verb if WordNet knows it as one and no
    other word is a finite verb.
    """
    if any(finite_kind(document, i) for i in range(first, last)):
        return None
    for i in range(first + 1, last):
        low = document.words[i].lower()
        tags = document.tag(i - 1), document.tag(i)
        if tags in (("NNP", "NNS"), ("PRP", "NNS"), ("NNS", "NN")) and document.words[i].islower():
            base = lemma(low, "VERB")
            is_form = base != low if tags[1] == "NNS" else base == low
            is_free = i + 1 == last or document.tag(i + 1) in _BEHIND_VERB
            if is_form and exists(base, "v") and is_free:
                return i
    return None


def tag_in_clause(document: Document, index: int) -> str:
    """Penn tag of a word; a noun that must be the verb of its clause is tagged as a verb."""
    tag = document.tag(index)
    if tag not in ("NN", "NNS") or index == 0 or not could_be_verb(document.words[index]):
        return tag
    before = document.words[index - 1]
    if not (before[:1].isupper() or before.endswith("s") or plain(before) in PRONOUNS):
        return tag
    first, last = sentence_of(document, index)
    if mistagged_verb(document, first, last) != index:
        return tag
    return "VBZ" if tag == "NNS" else "VBP"


def next_content(document: Document, index: int) -> int:
    """Index of the first token after this one that is neither an adverb nor "not"."""
    words, at = document.words, index + 1
    while at < len(words) and (plain(words[at]) in _NOT_ADVERBIAL or document.tag(at) in ADVERBS):
        at += 1
    return at


def is_auxiliary(document: Document, index: int) -> bool:
    """Whether this form of be, have, do or a modal is an auxiliary or a copula."""
    kind = auxiliary_kind(document, index)
    if kind in ("be", "modal"):
        return True
    if kind is None or kind == "verb":
        return False
    word = document.words[index]
    is_negated = negated_stem(word) or is_before_not(document.words, index)
    if is_negated or plain(word) in CLITICS or clitic_of(word):
        return True
    if kind == "do" and {plain(w) for w in document.words[index + 1 : index + 2]} & _SUBJECTS:
        return True  # "what do you use"
    following = next_content(document, index)
    if following >= len(document.words):
        return kind == "do"
    tag = document.tag(following)
    if kind == "do":
        return tag == "VB" or plain(document.words[index + 1]) == "not"
    follower = plain(document.words[following])
    if tag in ("VB", "VBP", "NN") and following > index + 1 and _may_be_participle(follower):
        return could_be_verb(follower)  # "have really hit"
    return tag in ("VBN", "VBD") or follower in ("been", "had", "done", "got", "become")


def is_main_verb(document: Document, index: int) -> bool:
    """Whether a token is a verb in any form, except auxiliaries and copulas."""
    if not could_be_verb(document.words[index]) or not document.tag(index).startswith("VB"):
        return False
    word = plain(document.words[index])
    if word in {"be", "been", "being", "having"} or clitic_of(word):
        return False
    return not is_auxiliary(document, index)
