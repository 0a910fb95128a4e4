"""Contractions and their full forms, found in context, both ways.

Where a clitic is ambiguous the next word decides: ``'s`` is *has* before ``got``, ``been`` and the
like, *is* before anything that cannot be a participle, and left alone in between ("it's made").
In questions the word behind the subject does ("what's he done?"; "what's he do?" is left alone).
``'d`` is *had* before a participle and *would* before another verb form. Negative questions
("isn't it?") have no full form in place and are left alone, as are possessives.
"""

import re
from functools import cache
from typing import NamedTuple

from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import listed, word_pairs, word_set


class Rewording(NamedTuple):
    """Replacement of ``text[start:end]`` of the original by another string."""

    start: int
    end: int
    text: str


_NEGATED = (
    "is are was were do does did has have had could would should might must need dare ought"
).split()
_IRREGULAR = {"can't": "cannot", "won't": "will not", "shan't": "shall not"}
_CLITICS = word_pairs("subjects_of_clitics")
_FULL = {
    "'m": ("am",),
    "'re": ("are",),
    "'ve": ("have",),
    "'ll": ("will",),
    "'s": ("is", "has"),
    "'d": ("would", "had"),
}
_SUBJECTS = "|".join(sorted({subject for group in _CLITICS.values() for subject in group.split()}))
_INFORMAL = word_pairs("informal")
_ADVERBS = word_set("skipped_adverbs")
_HAS = word_set("had_participles")
# In a question a person "is called" and "is made", but has been, has done and has said.
_ASKED_HAS = frozenset("been done got gotten had said".split())
# In a question "'s" before one of these is "does".
_ASKED_DOES = word_set("asked_does")
_DETERMINERS = frozenset("the a an this that these those my your his her its our their all".split())
_ASKED_FAR = 8  # words of a question that are read
_INVERTED = frozenset("i you he she it we they this that these those there".split())
_QUESTION = frozenset("why how when where what which".split())
# After these a form of be, have or will ends its clause and cannot lean on the word before it.
_GAP = word_set("clause_ends")
_PARTICIPLES = frozenset(listed("irregular_participles"))
_ED_BUT_NO_PARTICIPLE = word_set("ed_but_no_participle")


def _is_participle(word: str) -> bool:
    if word in _PARTICIPLES:
        return True
    return len(word) > 3 and word.endswith("ed") and word not in _ED_BUT_NO_PARTICIPLE


_NEXT = re.compile(r"\s+([A-Za-z]+(?:['’][A-Za-z]+)?)")
_PREVIOUS = re.compile(r"([A-Za-z]+)\s+$")


def _next_word(text: str, position: int) -> str:
    """Next word in lower case, adverbs skipped; empty before punctuation or the end."""
    match = _NEXT.match(text, position)
    while match is not None and match[1].lower() in _ADVERBS:
        match = _NEXT.match(text, match.end())
    return "" if match is None else match[1].lower()


def _asked(text: str, position: int) -> list[str]:
    """Words behind a question word and its clitic, in lower case, up to the next mark."""
    found: list[str] = []
    match = _NEXT.match(text, position)
    while match is not None and len(found) < _ASKED_FAR:
        found.append(match[1].lower())
        match = _NEXT.match(text, match.end())
    return [word for word in found if word not in _ADVERBS]


def _verb_asked(words: list[str]) -> str | None:
    """What "'s" stands for in "what's he …" and "where's the dog …"; None where it can't be told.

    Examples
    --------
    >>> [_verb_asked(q.split()) for q in ("he done", "he like", "he do", "he called")]
    ['has', 'is', None, None]
    >>> [_verb_asked(q.split()) for q in ("tom done", "tom eating", "tom eaten", "ready to go")]
    ['has', 'is', None, 'is']
    """
    rest = words[2:] if words[0] in _DETERMINERS and words[1:] else words[1:]
    if rest and rest[0] in _ASKED_HAS:
        return "has"
    if words[0] not in _DETERMINERS | _INVERTED:  # a name, or no subject at all ("who's ready")
        rest = rest[: rest.index("to")] if "to" in rest else rest
    is_unclear = any(_is_participle(word) or word in _ASKED_DOES for word in rest)
    return None if is_unclear else "is"


def _opens_sentence(text: str, position: int) -> bool:
    before = text[:position].rstrip(" \"'“‘(")
    return not before or before[-1] in ".!?:;\n"


@cache
def _contracted_pattern() -> re.Pattern[str]:
    negated = "|".join(sorted(_NEGATED))
    informal = "|".join(sorted(w for w in _INFORMAL if "'" not in w))
    return re.compile(
        rf"(?<![\w'’-])(?:(?P<irregular>ca|wo|sha) ?n['’]t|(?P<verb>{negated}) ?n['’]t"
        rf"|(?P<subject>{_SUBJECTS}) ?(?P<clitic>['’](?:m|re|ve|ll|s|d))"
        rf"|(?P<let>let) ?['’]s|(?P<informal>{informal}|['’](?:em|tis|twas)))(?![\w'’-]|\s-)",
        re.IGNORECASE,
    )


def _expand_clitic(subject: str, clitic: str, following: str, asked: list[str]) -> str | None:
    if subject not in _CLITICS[clitic].lower().split():
        return None
    if clitic not in ("'s", "'d"):
        return _FULL[clitic][0]
    if not following:
        return None
    if clitic == "'s":
        is_question = subject in _QUESTION or subject == "who"
        if following in _HAS:
            return "has"
        if _is_participle(following):
            return None
        return _verb_asked(asked) if is_question and asked else "is"
    if following == "better" or _is_participle(following):
        is_base = lemma(following, "VERB") == following  # "he'd put": had or would
        return None if is_base and following != "better" else "had"
    return None if following in ("a", "an", "the", "my", "no", "to", "of", "it") else "would"


def _may_negate(text: str, match: re.Match[str]) -> bool:
    """Whether "X not" is possible here: not in negative questions."""
    following = _NEXT.match(text, match.end())
    if following is not None and following[1].lower() in _INVERTED:
        return False
    if _opens_sentence(text, match.start()):
        return (match["verb"] or "").lower() == "do"
    previous = _PREVIOUS.search(text, max(0, match.start() - 20), match.start())
    return previous is None or previous[1].lower() not in _QUESTION


def _cased(found: str, text: str) -> str:
    """Text in capitals, or with one at its start, as what it replaces has."""
    if found.isupper():
        return text.upper()
    return text[0].upper() + text[1:] if found[0].isupper() else text


def _expanded(text: str, match: re.Match[str]) -> str | None:
    found = match[0]
    if match["informal"] is not None:
        full = _INFORMAL[found.lower().replace("’", "'")]
    elif match["let"] is not None:
        full = "let us"
    elif match["subject"] is not None:
        subject, clitic = match["subject"], match["clitic"].lower().replace("’", "'")
        end = match.end()
        verb = _expand_clitic(subject.lower(), clitic, _next_word(text, end), _asked(text, end))
        if verb is None:
            return None
        return f"{subject} {verb.upper() if match['clitic'][1:].isupper() else verb}"
    elif not _may_negate(text, match):
        return None
    elif match["irregular"] is not None:
        full = _IRREGULAR[match["irregular"].lower() + "n't"]
    else:
        full = f"{match['verb'].lower()} not"
    return _cased(found, full)


def find_contractions(text: str) -> list[Rewording]:
    """Return contractions with their full forms, in order and disjoint; ``is n't`` counts too.

    Examples
    --------
    >>> find_contractions("She's got it, isn't it? Don't ask: it's Bob's.")
    [Rewording(start=0, end=5, text='She has'), Rewording(start=24, end=29, text='Do not'), \
Rewording(start=35, end=39, text='it is')]
    """
    return [
        Rewording(match.start(), match.end(), full)
        for match in _contracted_pattern().finditer(text)
        if (full := _expanded(text, match)) is not None
    ]


@cache
def _full_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w'’-])(?:(?P<verb>{'|'.join(sorted(_NEGATED))}|will|shall) not|can ?not"
        rf"|(?P<subject>{_SUBJECTS}) (?P<be>am|is|are|has|have|had|will|would)"
        rf"(?! not| n ?['’])"
        rf"|(?P<let>let us))(?![\w'’-])",
        re.IGNORECASE,
    )


def _may_lean(text: str, start: int, subject: str, verb: str) -> bool:
    """Whether a verb can contract with its subject: not in comparisons, nor with a pair."""
    before = _PREVIOUS.search(text, max(0, start - 20), start)
    word = "" if before is None else before[1].lower()
    if word in ("than", "as") or (word == "and" and verb in ("am", "have") and subject == "i"):
        return word == "as" and _opens_sentence(text, start - 3)
    return subject != "here" or word in ("", "and", "but") or _opens_sentence(text, start)


def _clitic_of(subject: str, verb: str, text: str, *, start: int, end: int) -> str | None:
    """Clitic for a subject and its verb, None where they cannot be contracted here."""
    if not _may_lean(text, start, subject, verb):
        return None
    immediate = _NEXT.match(text, end)
    if immediate is None or immediate[1].lower() in _GAP or immediate[1].lower() == "not":
        return None
    clitic = next(c for c, fulls in _FULL.items() if verb in fulls)
    if subject not in _CLITICS[clitic].lower().split():
        return None
    if immediate[1].lower() == "it" and _NEXT.match(text, immediate.end()) is None:
        return None  # "what is it?"
    is_perfect = _is_participle(_next_word(text, end)) or immediate[1].lower() in ("been", "got")
    if verb in ("has", "had", "have"):
        return clitic if is_perfect else None
    return clitic


def _contracted(text: str, match: re.Match[str]) -> str | None:
    found = match[0]
    if match["let"] is not None:
        return found[:3] + "'s" if _opens_sentence(text, match.start()) else None
    if match["subject"] is not None:
        subject, verb = match["subject"], match["be"]
        clitic = _clitic_of(
            subject.lower(), verb.lower(), text, start=match.start(), end=match.end()
        )
        return None if clitic is None else subject + (clitic.upper() if verb.isupper() else clitic)
    following = _NEXT.match(text, match.end())
    if following is not None and following[1].lower() in ("only", "merely", "but"):
        return None  # "can not only sing", "cannot but agree"
    verb = (match["verb"] or "can").lower()
    short = {"can": "can't", "will": "won't", "shall": "shan't"}.get(verb, verb + "n't")
    return _cased(found, short)


def find_expansions(text: str) -> list[Rewording]:
    """Return full forms with their contractions, in order and disjoint.

    Examples
    --------
    >>> [r.text for r in find_expansions("It is not what it is. I am sure he has gone.")]
    ["isn't", "I'm", "he's"]
    """
    apostrophe = "’" if "’" in text and "'" not in text else "'"
    found, end = [], 0
    for match in _full_pattern().finditer(text):
        short = _contracted(text, match)
        if short is not None and match.start() >= end:
            found.append(Rewording(match.start(), match.end(), short.replace("'", apostrophe)))
            end = match.end()
    return found
