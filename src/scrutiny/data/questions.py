"""Questions: recognized by their mark or by word order (*what is it*, *is it good*)."""

from collections.abc import Mapping, Sequence
from typing import Final

from scrutiny.data.attribute import sentences_in, straight

_MARKS: Final = "?？؟"
_OPENING: Final = frozenset("and but so or well oh hey ok okay now then please".split())
_ASKING: Final = frozenset("who whom whose what which when where why how".split())
#: Words that may stand between a question word and its verb: *how good is it*, *what time is it*.
_MOST_BETWEEN: Final = 2
_SINGULAR: Final = frozenset("he she it this there".split())
_PLURAL: Final = frozenset("you we they these those there".split())
_ALL: Final = _SINGULAR | _PLURAL | {"i"}
#: Subjects that a verb takes in a question; a statement without its subject goes on otherwise
#: (*is that ...*, *has it all*, *do it*, *have this*).
_SUBJECTS: Final[Mapping[str, frozenset[str]]] = {
    "is": _SINGULAR,
    "was": _SINGULAR | {"i"},
    "are": _PLURAL,
    "were": _PLURAL,
    "am": frozenset({"i"}),
    "do": frozenset("i you we they".split()),
    "does": frozenset("he she it this".split()),
    "did": frozenset("i you we they he she it this".split()),
    "have": frozenset("i you we they".split()),
    "has": frozenset("he she".split()),
    "may": frozenset("i we".split()),
    "must": frozenset("i you we they he she".split()),
} | dict.fromkeys(("can", "could", "will", "would", "shall", "should"), _ALL)
_DETERMINERS: Final = frozenset("the a an my your his her its our their any anyone".split())
#: Question words and verbs between which and a noun no statement stands: *why does the film ...*
_BEFORE_NOUNS: Final = frozenset("what when where why how".split())
_WITH_NOUNS: Final = frozenset("is are was were do does did".split())
_SHORT: Final = {"s": "is", "re": "are", "d": "did", "ll": "will"}
_CONDITIONS: Final = frozenset(
    "were should".split()
)  # *were they here, ...*, *should it rain, ...*


def is_question_text(text: str, *, is_english: bool) -> bool:
    """Whether a text is a question: by a question mark, or in English by its word order.

    Without its mark, a question is a sentence that begins with a question word and a verb before
    its subject, or with that verb: a word order that no statement has. What a statement may begin
    with as well is none: *what a film*, *when i saw it*, *is a fine film*, *do it*.

    Parameters
    ----------
    text
        Any text.
    is_english
        Whether words are looked at.

    Examples
    --------
    >>> [is_question_text(t, is_english=True) for t in ("What is it", "is it good", "Really?")]
    [True, True, True]
    >>> [is_question_text(t, is_english=True) for t in ("What a film", "Is a fine film")]
    [False, False]
    """
    if any(map(text.__contains__, _MARKS)):
        return True
    return is_english and any(map(_asks, sentences_in(text)))


def _asks(sentence: Sequence[str]) -> bool:
    lower = map(straight, sentence)  # of most sentences, the first word is enough
    opening = next((word for word in lower if word != "," and word not in _OPENING), "")
    if opening.partition("'")[0] not in _ASKING and opening.removesuffix("n't") not in _SUBJECTS:
        return False
    # lower-case words, with contracted negations as one (*isn't*) and *what's* as two
    found: list[str] = []
    for word in map(straight, sentence):
        first, _, short = word.partition("'")
        if word == "n't" and found:
            found[-1] += word
        elif short in _SHORT and (first or "".join(found[-1:])) in _ASKING:
            found += [first, _SHORT[short]] if first else [_SHORT[short]]
        else:
            found.append(word)
    words = found
    while words and (words[0] in _OPENING or words[0] == ","):
        words = words[1:]
    if not words:
        return False
    if words[0] in _ASKING:
        return _is_inverted_behind(words)
    verb = words[0].removesuffix("n't")
    if len(words) < 2 or (verb in _CONDITIONS and "," in words):
        return False
    return words[1] in _SUBJECTS.get(verb, ())


def _is_inverted_behind(words: list[str]) -> bool:
    """Whether a verb precedes its subject behind a question word: *how good is it*."""
    most = _MOST_BETWEEN if words[0] in ("how", "what", "which", "whose") else 0
    padded = [*words, *[""] * (most + 2)]
    for place in range(1, most + 2):
        verb, subject = padded[place : place + 2]
        verb = verb.removesuffix("n't")
        if subject in _SUBJECTS.get(verb, ()):
            return True
        if place == 1 and words[0] in _BEFORE_NOUNS and verb in _WITH_NOUNS:
            return subject in _DETERMINERS or subject == "that"
        if verb in _SUBJECTS or verb in _ALL:
            return False  # *what you did is ...*
    return False
