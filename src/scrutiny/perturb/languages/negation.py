"""Negation of English sentences: where it is possible, and the edits that reverse it.

Rules over Penn tags. A sentence that they are not sure of is left alone.
"""

from collections.abc import Iterator
from typing import Final

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.sentence_tokens import (
    before_not,
    beside,
    full_form,
    negated_stem,
    plain,
    token_edit,
)
from scrutiny.perturb.languages.verbs import (
    ADVERBS,
    BE,
    DO,
    HAVE,
    MODALS,
    auxiliary_kind,
    finite_kind,
    is_auxiliary,
)
from scrutiny.text.inflection import inflect, lemma
from scrutiny.text.letters import capitalize_first, match_case
from scrutiny.text.lexicon import word_pairs, word_set
from scrutiny.text.tokens import is_spaced
from scrutiny.text.wordnet import exists

NEGATIVE: Final = word_set("negative")
_UNMARKED: Final = word_set("unmarked_negations")
_UNCONTRACTED: Final = frozenset({"am", "may", "might", "shall", "ought"})
_POSITIVE: Final = word_pairs("affirmed")
_TENSES: Final = {"has": "VBZ", "does": "VBZ", "had": "VBD", "did": "VBD"}
_STOPS: Final = frozenset('.!?;:,()"')
_NOT_AFTER: Final = frozenset("or if why whether than though perhaps maybe need dare".split())
_NOT_BEFORE: Final = word_set("not_before")


def negator_in(document: Document, first: int, last: int) -> int | None:
    """Index of the first negation in a sentence that can be removed, or `None`."""
    for i in range(first, last):
        word = plain(document.words[i])
        following = plain(document.words[i + 1]) if i + 1 < last else ""
        if word == "t" and i > first + 1 and plain(document.words[i - 1]) == "'":
            return None  # "do n ' t": the pieces of a split negation are left alone
        if following in ("help", "wait") and word.endswith("n't"):
            return None  # "can't help but", "can't wait to"
        if word == "n't" and i > first:
            if plain(document.words[i - 1]) != "ai":
                return i
        elif negated_stem(word):
            return i
        elif word == "not" and _may_drop_not(document, i, first):
            return i
        elif word == "never" and i > first:  # before a verb, or after an auxiliary
            is_before = i + 1 < len(document.words) and document.tag(i + 1).startswith("VB")
            if is_before or auxiliary_kind(document, i - 1) is not None:
                return i
    return None


def has_negation(document: Document, first: int, verb: int, last: int) -> bool:
    """Whether a negative word precedes a verb, or follows it in its clause."""
    for i in range(first, last):
        word = plain(document.words[i])
        if i > verb and word in _STOPS:
            return False
        if word in _UNMARKED or (word == "t" and i and plain(document.words[i - 1]) == "'"):
            return True
        if word in NEGATIVE or word == "not" or word.endswith("n't") or word == "cannot":
            return True
    return False


def _may_drop_not(document: Document, index: int, first: int) -> bool:
    words = document.words
    following = plain(words[index + 1]) if index + 1 < len(words) else "."
    if following in _NOT_BEFORE or following == "to" or not following[0].isalnum():
        is_behind = index > first and auxiliary_kind(document, index - 1) is not None
        return following[0] in ".,;" and is_behind
    return following != "at" and (index == first or plain(words[index - 1]) not in _NOT_AFTER)


_POLAR: Final = word_set("polar")


def resists_negation(document: Document, verb: int) -> bool:
    """Whether a word after a verb cannot follow "not": "is some", "will probably"."""
    following = [plain(word) for word in document.words[verb + 1 : verb + 3]]
    if not following:
        return False
    if following[0] == "better" and full_form(document.words, verb) == "had":
        return True  # "had better go"
    return following[0] in _POLAR or following[0] == "'ve" or following[-1] in ("only", "some")


def negate(document: Document, index: int) -> Iterator[tuple[Edit, ...]]:
    """Ways to negate a clause at its finite verb: in full, and contracted if English allows it."""
    field = document.field
    end = document.tokens[index][1]
    low = plain(document.words[index])
    kind = finite_kind(document, index)
    if kind in (None, "verb") or (kind in ("have", "do") and not is_auxiliary(document, index)):
        yield from _with_do(document, index)
    elif low.endswith("'ll"):
        space = "" if low == "'ll" else " "
        yield (Edit(field, end - 3, end, f"{space}will not"),)
    elif low in BE or low in HAVE or low in DO or low in MODALS:
        yield ((Edit(field, end, end, "not") if low == "can" else Edit(field, end, end, " not")),)
        if low not in _UNCONTRACTED:
            negation = " n't" if is_spaced(document.text) else "n't"
            short = before_not(low)
            if short != low:
                new = match_case(document.words[index], short + negation)
                yield (token_edit(document, index, new),)
            else:
                yield (Edit(field, end, end, negation),)
    else:
        yield (Edit(field, end, end, " not"),)


def _with_do(document: Document, index: int) -> Iterator[tuple[Edit, ...]]:
    """Negation by a form of "do" with the verb's tense and person, and the verb's base form."""
    low = plain(document.words[index])
    if low.startswith("'"):
        return
    tag = document.tag(index)  # a noun's tag in a verb's position counts as one
    tag = _TENSES.get(low) or {"NNS": "VBZ", "VBN": "VBD"}.get(tag, tag)
    base = _base(document, index, tag)
    do = {"VBZ": "does", "VBD": "did"}.get(tag, "do")
    contracted = f"{do} n't" if is_spaced(document.text) else f"{do}n't"
    partner = []
    follows = index + 2 < len(document.words) and plain(document.words[index + 1]) in ("and", "or")
    if follows and tag in ("VBZ", "VBD", "VBP") and document.tag(index + 2) == tag:
        # a verb that is joined shares the auxiliary, and "and" becomes "or"
        verb = token_edit(document, index + 2, _base(document, index + 2, tag))
        partner = [token_edit(document, index + 1, "or"), verb]
    is_upper = document.words[index].isupper()
    for text in (f"{do} not {base}", f"{contracted} {base}"):
        text = text.upper() if is_upper else text
        yield (token_edit(document, index, text), *partner)


def _base(document: Document, index: int, tag: str) -> str:
    word = document.words[index].lower()
    return lemma(word, "VERB") if tag in ("VBZ", "VBD") else word


def affirm(document: Document, index: int, last: int) -> Iterator[tuple[Edit, ...]]:
    """The clause without this negation, with agreement of its verb and indefinites."""
    edits = _without(document, index, last)
    if edits is not None:
        yield tuple([*edits, *_positive(document, max(e.end for e in edits), last)])


def _without(document: Document, index: int, last: int) -> list[Edit] | None:
    word = plain(document.words[index])
    if word in ("n't", "not") and index > 0:
        low = plain(document.words[index - 1])
        if low in DO:
            return _without_do(document, index - 1, low, after=index, last=last)
        restored = full_form(document.words, index - 1)
        if word == "n't" and restored != low:
            text = match_case(document.words[index - 1], restored)
            return [token_edit(document, index - 1, text, last=index)]
    stem = negated_stem(word)
    if stem is None:
        return [_deletion(document, index)]
    if stem in DO:
        return _without_do(document, index, stem, after=index, last=last)
    if stem in ("can", "will", "shall"):
        return [token_edit(document, index, match_case(document.words[index], stem))]
    end = document.tokens[index][1]
    return [Edit(document.field, end - 3, end, "")]


def _without_do(
    document: Document, index: int, low: str, *, after: int, last: int
) -> list[Edit] | None:
    """Edits that remove "do not" and inflect the verb; only "not" if no verb follows."""
    at = beside(document, after, 1, lambda i: i < last and document.tag(i) in ADVERBS)
    verb = plain(document.words[at]) if at < last else ""
    if not verb.isalpha() or not exists(verb, "v") or lemma(verb, "VERB") != verb:
        if index != after:  # the form of "do" stays: "I don't." to "I do."
            return [_deletion(document, after)]
        start, end = document.tokens[index]
        return [Edit(document.field, start + len(low), end, "")]
    form = inflect(verb, {"does": "VBZ", "did": "VBD"}[low]) if low != "do" else verb
    if form is None:
        return None
    opens = document.words[index][:1].isupper()
    if at == after + 1:
        new = capitalize_first(form) if opens else form
        return [token_edit(document, index, new, last=at)]
    if opens:
        return None
    start, stop = document.tokens[index][0], document.tokens[after + 1][0]
    cut = Edit(document.field, start, stop, "")
    return [cut] if form == verb else [cut, token_edit(document, at, form)]


def _deletion(document: Document, index: int) -> Edit:
    """Edit that deletes a token with the space before it, or after it at the beginning."""
    start, end = document.tokens[index]
    if index > 0:
        return Edit(document.field, document.tokens[index - 1][1], end, "")
    if index + 1 < len(document.tokens):
        following, stop = document.tokens[index + 1]
        if document.words[0][:1].isupper():
            return Edit(document.field, start, stop, capitalize_first(document.words[1]))
        return Edit(document.field, start, following, "")
    return Edit(document.field, start, end, "")


def _positive(document: Document, place: int, last: int) -> Iterator[Edit]:
    """Edits of the words that need a negation, up to the next punctuation mark."""
    words = document.words
    for i in range(last):
        if document.tokens[i][0] < place:
            continue
        word = plain(words[i])
        if word in _STOPS:
            return
        if word == "at" and i + 1 < last and plain(words[i + 1]) == "all":
            yield Edit(document.field, document.tokens[i - 1][1], document.tokens[i + 1][1], "")
        elif word in ("anymore", "ever"):
            yield _deletion(document, i)
        elif word in ("either", "yet"):
            if i + 1 == last or plain(words[i + 1]) in _STOPS:
                yield token_edit(document, i, _POSITIVE[word])
        elif word in _POSITIVE:
            yield token_edit(document, i, match_case(words[i], _POSITIVE[word]))
