"""Tense of finite verbs: told, changed with agreement, and where it is unclear what a verb is."""

from typing import Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.languages.sentence_tokens import (
    CLITICS,
    before_not,
    beside,
    clitic_of,
    full_form,
    is_before_not,
    plain,
    token_edit,
)
from scrutiny.perturb.languages.verbs import (
    ADVERBS,
    auxiliary_kind,
    could_be_verb,
    finite_kind,
    is_dependent,
    next_content,
)
from scrutiny.text.inflection import inflect, lemma, reinflect
from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import is_stop_word, word_pairs, word_set
from scrutiny.text.wordnet import exists

PastOrPresent = Literal["past", "present"]
Agreement = Literal["VBZ", "VBP"]
_PAST: Final = word_pairs("past_auxiliaries")
_PRESENT_MODALS: Final = {"could": "can", "would": "will", "might": "may"}
_PRESENT: Final[dict[str, dict[Agreement, str]]] = {
    "was": {"VBZ": "is", "VBP": "are"},
    "were": {"VBZ": "is", "VBP": "are"},
    "had": {"VBZ": "has", "VBP": "have"},
    "did": {"VBZ": "does", "VBP": "do"},
}
_PAST_CLITICS: Final = {"'m": "was", "'re": "were", "'ve": "had", "'ll": "would"}
_SINGULAR: Final = word_set("singular_subjects")
_PLURAL: Final = frozenset("we you they these those".split())
SUBJECTS: Final = _SINGULAR | _PLURAL | {"i"}
_ASKING: Final = frozenset("please pls plz plse kindly".split())  # a command follows
_FORMULAIC: Final = frozenset({"thank", "thanks", "please"})
_BARRIERS: Final = frozenset('.!?;:,()"')


def tense_of(document: Document, index: int) -> PastOrPresent | None:
    """Tense of a finite verb, or `None` if the token is not one or its form is ambiguous."""
    kind = finite_kind(document, index)
    if kind is None:
        return None
    word = plain(document.words[index])
    if word in _FORMULAIC or _is_formula(document, index, word):
        return None
    clitic = clitic_of(word) or (word if word.startswith("'") else None)
    if clitic is not None:
        if clitic == "'d":
            return None
        return None if clitic == "'s" and _may_be_has(document, index) else "present"
    stem = full_form(document.words, index)
    if stem in _PAST:
        return "present"
    if stem in _PRESENT or stem in _PRESENT_MODALS:
        return "past"
    if kind == "verb":
        return "past" if document.tag(index) == "VBD" else "present"
    return None


def _is_formula(document: Document, index: int, word: str) -> bool:
    """Whether a verb has no other tense here: "used to", "21 may", and commands."""
    if word == "may" and index and document.words[index - 1][:1].isdigit():
        return True  # the month
    following = plain(document.words[index + 1]) if index + 1 < len(document.words) else ""
    if index and plain(document.words[index - 1]) in _ASKING:
        return True
    if word == "had" and following == "better":
        return True
    if word in ("used", "use"):
        return following == "to"
    if word not in ("do", "have") or (index > 0 and document.words[index - 1] not in _BARRIERS):
        return False
    return following not in SUBJECTS


def _may_be_has(document: Document, index: int) -> bool:
    following = next_content(document, index)
    if following >= len(document.words):
        return False
    word = plain(document.words[following])
    if document.tag(following) in ("VBN", "VBD") or word == "got":
        return True
    return inflect(lemma(word, "VERB"), "VBN") == word and not exists(word, "a")  # "he 's spun"


def in_tense(
    document: Document, index: int, tense: PastOrPresent, agreement: Agreement | None
) -> Edit | None:
    """Edit that conjugates a finite verb in another tense; `None` if the form is unclear."""
    word = document.words[index]
    low = plain(word)
    start, end = document.tokens[index]
    clitic = clitic_of(low) or (low if low.startswith("'") else None)
    if clitic is not None:
        full = "was" if clitic == "'s" else _PAST_CLITICS.get(clitic)
        if full is None or tense == "present":
            return None
        space = "" if clitic == low and document.text[start - 1 : start].isspace() else " "
        return Edit(document.field, end - len(clitic), end, space + full)
    stem = full_form(document.words, index)
    form = _form(document, index, stem, tense=tense, agreement=agreement)
    if form is None or form == stem:
        return None
    is_fused = low.endswith("n't")
    if low == "cannot":
        form = f"{form} not"
    elif is_fused or is_before_not(document.words, index):
        if form in ("may", "am"):
            return None
        form = before_not(form) + (word[-3:] if is_fused else "")
    return token_edit(document, index, match_case(word, form))


def _form(
    document: Document, index: int, low: str, *, tense: PastOrPresent, agreement: Agreement | None
) -> str | None:
    if tense == "past":
        return _PAST[low] if low in _PAST else reinflect(low, "VERB", "VBD")
    if low in _PRESENT_MODALS:
        return _PRESENT_MODALS[low]
    if agreement is None:
        return None
    if low == "was":
        at = before_adverbs(document, index)
        if at >= 0 and plain(document.words[at]) == "i":
            return "am"
    if low in _PRESENT:
        return _PRESENT[low][agreement]
    return reinflect(low, "VERB", agreement)


def before_adverbs(document: Document, index: int) -> int:
    """Index of the nearest token to the left that is neither an adverb nor "not"."""

    def is_passed(at: int) -> bool:
        return document.tag(at) in ADVERBS or plain(document.words[at]) in ("not", "n't")

    return beside(document, index, -1, is_passed)


def is_conjunct(document: Document, index: int) -> bool:
    """Whether a verb shares the subject of an earlier verb."""
    at = before_adverbs(document, index)
    return at > 0 and plain(document.words[at]) in ("and", "but", "or", ",")


def agreement_of(document: Document, index: int) -> Agreement | None:
    """Present tense tag that agrees with a verb's subject; `None` if that is unclear.

    The forms "was", "has", "does" say it themselves. Otherwise the subject is looked for to the
    left: a pronoun right there, or the first noun of its phrase, before any preposition.
    """
    stem = full_form(document.words, index)
    if document.tag(index) == "VBZ" or stem in ("was", "is", "has", "does"):
        return "VBZ"
    if stem in ("are", "have", "do", "am"):
        return "VBP"
    at = before_adverbs(document, index)
    if at < 0:
        return None
    word = plain(document.words[at])
    if word in _SINGULAR and (word != "that" or document.tag(at) == "DT"):
        return "VBZ"
    if word in _PLURAL or word == "i":
        return "VBP"
    if word in ("who", "which", "that"):
        at -= 1
    if at < 0 or not document.tag(at).startswith("NN"):
        return None
    return _number_of_phrase(document, at)


def _number_of_phrase(document: Document, last: int) -> Agreement | None:
    """Agreement of the noun phrase that ends with a noun."""
    words = document.words

    def is_inside(at: int) -> bool:
        return words[at] not in _BARRIERS and finite_kind(document, at) is None

    first = 1 + beside(document, last, -1, is_inside)
    head = last
    for at in range(first + 1, last):
        if document.tag(at) in ("IN", "TO") and document.tag(at - 1).startswith("NN"):
            head = at - 1
            break
    if any(plain(document.words[at]) == "and" for at in range(first, head)):
        return None
    return "VBP" if document.tag(head) in ("NNS", "NNPS") else "VBZ"


_MODIFIERS: Final = frozenset("CD JJ JJR JJS PRP$ POS".split())
_OBJECT: Final = frozenset("DT PRP PRP$ CD NNP RB RP".split())
_JOINING: Final = frozenset("and but or never always also often then".split())
_NEAR: Final = 12


def is_unclear(document: Document, index: int, word: str) -> bool:
    """Whether a word may be a finite verb that no rule can change.

    Such are clitics whose verb is not known ("it's been", "I'd", "plot 's"), verbs in an unusual
    place ("their ambitions far exceed"), and those that may share the auxiliary of another one
    ("will gasp and laugh").
    """
    clitic = clitic_of(word) or word
    if clitic == "'d":
        return True
    if clitic == "'s":
        is_known = tense_of(document, index) is not None
        return not is_known and (clitic != word or document.tag(index) != "POS")
    if not word.isalpha() or clitic_of(word) or is_before_not(document.words, index):
        return False
    if finite_kind(document, index) is None:
        return clitic not in CLITICS and _may_be_finite(document, index, word)
    tag = document.tag(index)
    # a coordinated verb may be an infinitive, because one precedes it closely
    is_joined = tag in ("VB", "VBP") and is_conjunct(document, index)
    is_shared = is_joined and any(
        plain(document.words[i]) == "to" or auxiliary_kind(document, i) in ("modal", "do")
        for i in range(max(0, index - _NEAR), index)
    )
    return is_shared or _may_be_noun(document, index, word)


def _may_be_finite(document: Document, index: int, word: str) -> bool:
    """Whether a word that no rule takes for a finite verb may be one."""
    tag = document.tag(index)
    if tag in ("NN", "NNS", "VBN"):
        is_verb = index == 0 and tag == "NNS"  # at the start, after "we", or no known noun
        if index:
            before = plain(document.words[index - 1])
            is_known = exists(lemma(word, "NOUN"), "n")
            is_verb = tag != "VBN" and (before in ("i", "you", "we", "they") or not is_known)
        return could_be_verb(word) and (is_verb or _has_object(document, index, tag))
    if tag == "IN":  # no preposition, but a word that the tagger does not know
        return word.endswith("s") and not is_stop_word(word) and could_be_verb(word)
    return tag in ("VBZ", "VBP", "VB") and not is_dependent(document, index)


def _may_be_noun(document: Document, index: int, word: str) -> bool:
    """Whether a word that is tagged as a verb of the present may be a noun.

    Such stand behind a number or an adjective ("two more sleeps"), do not agree with a noun before
    them ("half day leave"), or have the sentence's verb behind them ("chick flicks go").
    """
    tag = document.tag(index)
    at = before_adverbs(document, index)
    if tag not in ("VBZ", "VBP", "VB") or at < 0 or not exists(lemma(word, "NOUN"), "n"):
        return False
    if auxiliary_kind(document, index) is not None:
        return False
    before = document.tag(at)
    if before in _MODIFIERS or (tag == "VBZ" and before in ("NNS", "NNPS")):
        return True
    if before == "IN" and plain(document.words[at]) != "that":
        return True  # "in turns"
    if tag != "VBZ" and before in ("NN", "NNP", "VBG", "VBN"):
        return True
    behind = beside(document, index, 1, lambda i: not document.words[i][0].isalnum())
    return behind < len(document.words) and finite_kind(document, behind) is not None


def _has_object(document: Document, index: int, tag: str) -> bool:
    """Whether a word has a subject before and an object behind, so that it may be a finite verb.

    So "the forces accused each other" with a tag of a participle, and "the team trots out", "and
    winds up", "but never mixes", "dazzles the eye , challenges the brain".
    """
    if tag == "NN" or not 0 < index < len(document.words) - 1:
        return False
    before, behind = document.tag(index - 1), document.tag(index + 1)
    if tag == "NNS":
        # a verb of the third person that is joined: "tries , and fails"
        at = beside(document, index, 1, lambda i: plain(document.words[i]) in (",", "and", "but"))
        is_verb = at < len(document.words) and document.tag(at) == "VBZ"
        if at > index + 1 and is_verb and finite_kind(document, at) == "verb":
            return True
        if before == "RB" or (before == "CC" and behind in ("RP", "RB", "IN")):
            return plain(document.words[index - 1]) in _JOINING
        return (before in ("NN", "NNP") and behind in _OBJECT) or (
            before == "," and behind in ("DT", "PRP", "PRP$")
        )
    if before not in ("NN", "NNS", "NNP", "NNPS", "RB", "JJ") or behind not in _OBJECT:
        return False
    return not any(auxiliary_kind(document, i) for i in range(max(0, index - 4), index))
