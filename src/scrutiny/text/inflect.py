"""Inflection: base forms and inflected forms, by a table of irregular forms and rules.

The table is made from lemminflect's dictionary by ``tools/lexicons/build_forms.py``; it loads in
a twentieth of the time of that dictionary and without pickle files.

References
----------
Brad Jascob, lemminflect; derived from the SPECIALIST Lexicon (National Library of Medicine).
"""

import re
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from scrutiny.text.casing import match_case
from scrutiny.text.lexicon import read_bytes
from scrutiny.text.morphology import candidate_lemmas, regular_form

_CACHED = 1 << 16
_CLASS = {"NOUN": "N", "VERB": "V", "AUX": "V", "ADJ": "A", "ADV": "R"}
_TAGS = {
    "N": ("NNS",),
    "V": ("VBZ", "VBD", "VBG", "VBN"),
    "A": ("JJR", "JJS"),
    "R": ("RBR", "RBS"),
}
_VERB_TAGS = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")
_BE = dict(zip(_VERB_TAGS, ("be", "are", "is", "was", "been", "being"), strict=True))
_MODALS = frozenset("can could may might must shall should will would ought".split())
_CLITICS = {
    "n't": "not",
    "'m": "be",
    "'s": "be",
    "'d": "would",
    "'re": "be",
    "'ve": "have",
    "'ll": "will",
    "am": "be",
    "are": "be",
    "is": "be",
    "was": "be",
    "were": "be",
    "been": "be",
    "being": "be",
    "ca": "can",
    "wo": "will",
    "sha": "shall",
}


class _Forms(NamedTuple):
    irregular: dict[str, str]  # "VBD go" -> "went"; "" where there is no form
    lemmas: dict[str, str]  # "V went" -> "go", where rules would not find it
    known: dict[str, str]  # lemma -> classes that it has, of NVAR


@cache
def _forms() -> _Forms:
    first, second, third = read_bytes("forms.txt.xz").decode().split("\n\n")
    known: dict[str, str] = {}
    for line in third.rstrip("\n").split("\n"):
        classes, *bases = line.split(" ")
        known.update(dict.fromkeys(bases, classes))
    return _Forms(_pairs(first), _pairs(second), known)


def _pairs(lines: str) -> dict[str, str]:
    """Pairs of words of each line, keyed by the line's tag and the first of the two."""
    found = {}
    for line in lines.split("\n"):
        tag, *pairs = line.split(" ")
        for pair in pairs:
            one, _, other = pair.partition("=")
            found[f"{tag} {one}"] = other
    return found


@lru_cache(maxsize=_CACHED)
def _form(lemma: str, xpos: str) -> str | None:
    """Inflected form of a lower-case lemma."""
    if lemma == "be" and xpos in _BE:
        return _BE[xpos]
    if lemma in _MODALS and xpos[0] == "V":
        return None
    listed = _forms().irregular.get(f"{xpos} {lemma}")
    return regular_form(lemma, xpos) if listed is None else listed or None


def rule_lemma(word: str, word_class: str) -> str:
    """Return the base form of a lower-case word, by rules and the list of known bases."""
    forms = _forms()
    if word_class in forms.known.get(word, "") and not word.endswith("ing"):
        return word
    fallback = ""
    for tag in _TAGS[word_class]:
        for base in candidate_lemmas(word, tag):
            if word in (_form(base, tag), regular_form(base, tag) if tag == "NNS" else None):
                if word_class in forms.known.get(base, ""):
                    return base
                fallback = fallback or base
    if word_class == "A" or word in forms.known:
        return word
    return fallback or word


@lru_cache(maxsize=_CACHED)
def lemma(word: str, upos: str) -> str:
    """Return the base form of a word, in lower case; proper nouns and closed classes unchanged.

    Examples
    --------
    >>> lemma("went", "VERB"), lemma("Cities", "NOUN"), lemma("better", "ADJ")
    ('go', 'city', 'good')
    >>> lemma("isn't", "AUX")
    'be'
    """
    if upos == "PROPN":
        return word
    lower = word.lower().replace("’", "'")
    word_class = _CLASS.get(upos)
    if word_class is None:
        return "not" if lower == "n't" else lower
    if (word_class == "V" and "'" in lower) or lower in _CLITICS:
        lower = lower[:-3] if lower.endswith("n't") and len(lower) > 3 else lower
        if word_class == "V":
            lower = _CLITICS.get(lower, lower)
    if word_class == "V" and lower in _MODALS and upos == "AUX":
        return lower
    return _forms().lemmas.get(f"{word_class} {lower}") or rule_lemma(lower, word_class)


def inflect(lemma: str, xpos: str) -> str | None:
    """Return a base inflected for a Penn tag, in the casing given; None if it has no such form.

    ``be`` gives *are*, *is*, *was*; modals have no forms; unknown words are inflected regularly.

    Examples
    --------
    >>> inflect("take", "VBD"), inflect("Child", "NNS"), inflect("beautiful", "JJR")
    ('took', 'Children', None)
    """
    found = _form(lemma.lower(), {"NNPS": "NNS", "NNP": "NN"}.get(xpos, xpos))
    return None if found is None else match_case(lemma, found)


def reinflect(word: str, upos: str, xpos: str) -> str | None:
    """Return another form of an inflected word, in the same casing; None if it has none.

    Examples
    --------
    >>> reinflect("Went", "VERB", "VBZ"), reinflect("mice", "NOUN", "NN")
    ('Goes', 'mouse')
    """
    found = _form(lemma(word, upos).lower(), xpos)
    return None if found is None else match_case(word, found)


_AN = re.compile(r"(?:hour|honest|hono|heir|[aeiou])", re.IGNORECASE)
_A = re.compile(
    r"(?:one(?:self|[^a-z]|$)|once|ouija|eu|ewe|unanim|uni(?![nmd])|unesco|u[st][eiu]|utop|usa[bg]"
    r"|ubiq|ukr|ugan|uran|uri|uv)",
    re.IGNORECASE,
)


def indefinite_article(following: str) -> Literal["a", "an"]:
    """Return the indefinite article that goes before a word or number, by its sound.

    Examples
    --------
    >>> [indefinite_article(w) for w in ("user", "hour", "FBI", "UFO", "8th", "umbrella", "one")]
    ['a', 'an', 'an', 'a', 'an', 'an', 'a']
    """
    number = re.match(r"[0-9]+", following)
    if number is not None:
        return "an" if number[0][0] == "8" or number[0] in ("11", "18") else "a"
    letters = re.match(r"[A-Za-z]+", following)
    head = "" if letters is None else letters[0]
    is_spelled = head.isupper() and (len(head) <= 3 or not re.search("[AEIOUY]", head[1:]))
    if is_spelled or len(head) == 1:
        return "an" if head[0] in "AEFHILMNORSXaefhilmnorsx" else "a"
    return "an" if _AN.match(following) and not _A.match(following) else "a"
