"""Statements: their main verb, those that say one thing in one clause; questions and commands.

Rules over Penn tags. A sentence that they are not sure of is left alone: no parse, no guess.
"""

from itertools import pairwise
from typing import Final

from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.conjugation import is_unclear
from scrutiny.perturb.languages.sentence_tokens import beside, clitic_of, is_informal, plain
from scrutiny.perturb.languages.verbs import (
    ADVERBS,
    Kind,
    auxiliary_kind,
    could_be_verb,
    finite_kind,
    is_auxiliary,
    mistagged_verb,
)
from scrutiny.text.lexicon import word_set
from scrutiny.text.spacy_pipeline import Annotation

_OPENERS: Final = word_set("clause_openers")
_NOMINAL_WORDS: Final = frozenset("there this these those that all some most both each".split())
_NOMINAL_TAGS: Final = frozenset("NN NNS NNP NNPS PRP CD EX VBG".split())
_PREPOSITIONS: Final = frozenset("as than since before after until till".split())


def main_verb(
    document: Document, first: int, last: int, parse: Annotation | None = None
) -> int | None:
    """Index of the finite verb of a statement's main clause, or `None` if that is unclear.

    With a parse it is that of the root; without one rules over tags find it.

    A verb after a relative pronoun or a conjunction belongs to that clause and is passed over; a
    sentence with a verb before any subject is a command or an inversion, unless the verb's ending
    says that its subject was left out ("works well"). A title-like fragment ("a film that works")
    has its only clause behind a relative pronoun.
    """
    if parse is not None:
        return _parsed_main_verb(document, first, last, parse)
    if plain(document.words[first]) in ("here", "so", "please", "let", "let's"):
        return None
    pending = prepositions = 0
    has_subject = False
    relative = None
    i = first
    while i < last:
        word = plain(document.words[i])
        is_that = word == "that" and i > first and document.tag(i) in ("IN", "WDT")
        if word == ",":
            pending -= prepositions  # "as a film , it works": no clause came
            prepositions = 0
        elif word in _OPENERS or is_that:
            pending += 1
            prepositions += word in _PREPOSITIONS
            has_subject = has_subject or i == first
        kind = finite_kind(document, i)
        if kind is None:
            is_nominal = word in _NOMINAL_WORDS or document.tag(i) in _NOMINAL_TAGS
            has_subject = has_subject or is_nominal
            i += 1
            continue
        if not pending:
            is_stated = has_subject or clitic_of(word) or _lacks_subject(document, first, i)
            return i if is_stated else None
        at = beside(document, i, -1, lambda j: document.tag(j) in ADVERBS)
        if relative is None and at > 0 and plain(document.words[at]) in _RELATIVE:
            relative = i
        pending -= 1
        prepositions = min(prepositions, pending)
        i = _group_end(document, i, kind)
    return mistagged_verb(document, first, last) if relative is None else relative


_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_AUXILIARIES: Final = frozenset({"aux", "auxpass"})


def _parsed_main_verb(document: Document, first: int, last: int, parse: Annotation) -> int | None:
    """Index of the finite verb of a sentence's main clause, or `None`.

    That is the root of the parse or its first auxiliary, with a subject in front of it.
    """
    for root in range(first, last):
        if parse.heads[root] != -1:
            continue
        children = [i for i in range(first, last) if parse.heads[i] == root]
        group = [i for i in children if parse.deprels[i] in _AUXILIARIES] + [root]
        has_subject = any(parse.deprels[i] in _SUBJECTS and i < root for i in children)
        finite = next((i for i in sorted(group) if finite_kind(document, i)), None)
        if finite is None and group == [root] and document.tag(root) in ("VBN", "VBD"):
            finite = root  # a participle's form, but with a subject and no auxiliary: the past
        if finite is None:
            continue
        if has_subject:
            return finite
        if finite == root and document.tag(root) == "VBZ" and root == first:
            return finite
    return None


def _lacks_subject(document: Document, first: int, index: int) -> bool:
    """Whether a verb in the third person opens a sentence without a subject."""
    if document.tag(index) != "VBZ" or auxiliary_kind(document, index) is not None:
        is_first_has = plain(document.words[index]) == "has" and index == first
        return is_first_has and not is_auxiliary(document, index)
    return all(document.tag(i) in ADVERBS for i in range(first, index))


def _group_end(document: Document, index: int, kind: Kind) -> int:
    """Index after a verb group: its auxiliaries, adverbs and verb."""
    if kind == "verb":
        return index + 1
    tags, words = ADVERBS | {"VB", "VBN", "VBG"}, ("not", "n't", "be", "been", "have")

    def is_in_group(at: int) -> bool:
        return document.tag(at) in tags or plain(document.words[at]) in words

    return beside(document, index, 1, is_in_group)


# Words that set a clause against another thing, compare or limit it: its opposite does not fit.
_WEIGHED: Final = word_set("weighed")
# Words of degree, number and stance, behind or before which no "not" is put.
_MEASURED: Final = word_set("measured")
# With "not" they say "nothing" ("does n't waste a moment"), and alone something else.
_LEAST: Final = frozenset("moment thing word bit damn clue single years ages waste wastes".split())
_BREAKS: Final = frozenset("; : -- - ... ( ) / ? ` `` ' '' \" “ ”".split())
_PRONOUNS: Final = frozenset("i you he she it we they".split())
_RELATIVE: Final = frozenset({"that", "which", "who"})
_LONGEST: Final = 22  # tokens; what is longer says more than one thing


def is_plain_statement(document: Document) -> bool:
    """Whether a text is one short clause whose opposite could be said as it stands.

    It has one finite verb, no mark that parts it, and no word that weighs what it says against
    something else ("but", "even", "than"); it is neither a question nor written as messages are.
    """
    words = [plain(word) for word in document.words]
    if len(words) > _LONGEST or not (_WEIGHED | _LEAST | _BREAKS).isdisjoint(words):
        return False
    if any(word in (",", ".", "!") for word in words[:-1]):
        return False
    verbs = [i for i in range(len(words)) if finite_kind(document, i) is not None]
    if len(verbs) > 1:
        return False
    for verb in verbs:  # a pronoun that does not open the text, or stands behind an auxiliary
        behind = [word for word in words[verb + 1 : verb + 3] if word not in ("n't", "not")]
        is_inverted = behind[:1] and behind[0] in _PRONOUNS
        is_late = verb > 2 or (verb == 2 and document.tag(0) not in ("CC", "RB"))
        if is_late and words[verb - 1] in _PRONOUNS:
            return False
        if is_inverted and auxiliary_kind(document, verb) is not None:
            return False
    if any(is_unclear(document, i, word) for i, word in enumerate(words)):
        return False
    return not is_informal(document)


def can_be_denied(document: Document, verb: int) -> bool:
    """Whether a plain statement stays one with "not": it says one thing, and says it plainly.

    None in which an adverb praises or dates the verb ("brilliantly explores"), two things are said
    ("is low and drags"), a noun has its only verb behind it ("a romp that boasts"), or an
    adjective denies already ("is unlikely").
    """
    words = [plain(word) for word in document.words]
    at = beside(document, verb, -1, lambda i: document.tag(i) in ADVERBS)
    if not _MEASURED.isdisjoint(words) or words[at] in _RELATIVE or document.tag(verb) == "NN":
        return False
    if at < verb - 1 and auxiliary_kind(document, verb) is None:
        return False
    return not ("and" in words[verb:] or any(map(_denies, words[verb:])))


def _denies(word: str) -> bool:
    return word.startswith(("un", "not-", "non-", "in-"))


def is_only_judgment(document: Document, index: int) -> bool:
    """Whether an adjective is the one word of a plain statement that says what something is like.

    No other adjective, participle or adverb of manner stands there, which would say the reverse of
    its opposite, and nothing is joined to it.
    """
    if index and document.words[index - 1] == "the" and document.tag(index) == "JJ":
        return False  # "the true fan": it says which one
    for i, word in enumerate(map(plain, document.words)):
        is_turned = word in ("and", "not") or word.endswith("n't") or _denies(word)
        tag = document.tag(i)
        is_manner = tag == "RB" and word.endswith("ly")
        if i != index and (is_turned or is_manner or tag[:2] == "JJ" or tag == "VBG"):
            return False
    return True


_ASKING: Final = frozenset("what where who why how which whose whats".split())


def is_question(document: Document, first: int, last: int) -> bool:
    """Whether a sentence is a question, also without its mark, or stands before or behind one."""
    behind = beside(document, last, 1, lambda i: document.words[i][0] not in ".!?")
    near = (*document.words[max(first - 1, 0) : last], *document.words[behind : behind + 1])
    if any(word.startswith("?") for word in near):
        return True
    verbs = [i for i in range(first, last) if finite_kind(document, i)]
    opens = plain(document.words[first]).partition("'")[0] in _ASKING
    inverted = (  # a pronoun behind an auxiliary: "where are you"
        plain(document.words[i + 1]) in ("i", "you", "he", "she", "we", "they")
        for i in verbs
        if i + 1 < last and auxiliary_kind(document, i) is not None
    )
    return (opens and len(verbs) == 1) or any(inverted)


def is_command(document: Document, first: int, words: list[str]) -> bool:
    """Whether a sentence begins with a base form, or has one after "but" ("but don't")."""
    if words[0].isalpha() and document.tag(first) in ("VB", "VBP"):
        return True
    return any(
        (word in ("do", "don't") and before in ("and", "but", "so", ","))
        or (before == "please" and could_be_verb(word))
        or (word == "but" and before == "help")
        for before, word in pairwise(words)
    )
