"""Groups of items that a plain look at the text tells apart: negated, questions, long, ...

Each is a pure function of an example. They are declared before anything is measured, so all of
them can be tested together, with a correction for how many there are; none is chosen by its result.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scrutiny.core.example import Example
from scrutiny.data.questions import is_question_text
from scrutiny.text.lexicon import is_stop_word, zipf
from scrutiny.text.numbers import parse_number
from scrutiny.text.tokens import is_word, sentences, token_texts

#: Values of a label or a column beyond this number are no groups.
MOST_VALUES: Final = 12
_RARE: Final = 3.3  # on the scale of `zipf`: about twice in a million words
_FEWEST_LETTERS: Final = 4

_NEGATIVE: Final = frozenset(
    """no not never none nobody nothing nowhere neither nor cannot without hardly scarcely barely
    seldom rarely dont doesnt didnt cant wont isnt arent wasnt werent wouldnt couldnt shouldnt
    n't""".split()
)
_CONTRAST: Final = frozenset(
    "but however although though yet despite nevertheless nonetheless whereas".split()
)
_CONDITION: Final = frozenset("if unless whether would could should might".split())
_FIRST_PERSON: Final = frozenset("i me my mine myself we us our ours ourselves i'm i've".split())
_COMPARISON: Final = frozenset("more less most least than better worse best worst".split())
_HARDLY_NUMBERS: Final = frozenset("one first second".split())
_URL: Final = re.compile(r"https?://|www\.|\S+@\S+\.\w", re.IGNORECASE)
_QUOTATION: Final = re.compile(r"[\"“”«»]|(?<!\w)['‘][^'’]+['’](?!\w)")
_EMOJI: Final = re.compile("[\u2600-\u27bf\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff]")
_SMILEY: Final = re.compile(r"[:;=]-?[)(DPp](?!\w)")
_REPEATED: Final = re.compile(r"([a-z])\1\1|[!?]{2,}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slice:
    """A group of items.

    Parameters
    ----------
    name
        Short and stable ("negation").
    says
        What stands behind "inputs" in a sentence ("with a negation").
    holds
        Whether an item belongs to it.
    is_english
        Whether it goes by English words.
    """

    name: str
    says: str
    holds: Callable[[Example], bool]
    is_english: bool = False


@lru_cache(maxsize=64)  # all slices look at one item after the other
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(token_texts(text))


def _words(example: Example) -> list[str]:
    """Lower-case words of all fields, with straight apostrophes."""
    return [word.lower().replace("’", "'") for word in _tokens_of(example)]


def _tokens_of(example: Example) -> list[str]:
    """Words of all fields as they are written."""
    return [word for text in example.fields.values() for word in _tokens(text)]


def _any_text(test: Callable[[str], object]) -> Callable[[Example], bool]:
    """Whether some field of an example passes a test."""
    return lambda example: any(bool(test(text)) for text in example.fields.values())


def _any_of(words: frozenset[str]) -> Callable[[Example], bool]:
    """Whether an example has one of these words."""
    return lambda example: not words.isdisjoint(_words(example))


def is_negated(example: Example) -> bool:
    """Whether a negation word stands in the text, contracted or not.

    Examples
    --------
    >>> [is_negated(Example("1", {"text": text})) for text in ("It isn't bad.", "A knot.")]
    [True, False]
    """
    words = _words(example)
    return any(word in _NEGATIVE or word.endswith("n't") for word in words)


def is_question(example: Example) -> bool:
    """Whether the text asks, with or without its question mark.

    Examples
    --------
    >>> [is_question(Example("1", {"text": text})) for text in ("is it good", "so be it")]
    [True, False]
    """
    is_english = example.language.startswith("en")
    texts = example.fields.values()
    return any(is_question_text(text, is_english=is_english) for text in texts)


def has_number(example: Example) -> bool:
    """Whether a number stands in the text, in digits or in words; "one" and "first" are none.

    Examples
    --------
    >>> [has_number(Example("1", {"text": text})) for text in ("Seats 4", "two left", "No seats")]
    [True, True, False]
    """
    return any(_is_number(word) for word in _tokens_of(example))


def _is_number(word: str) -> bool:
    if any(letter.isdigit() for letter in word):
        return True
    return word.isalpha() and word.lower() not in _HARDLY_NUMBERS and parse_number(word) is not None


def is_in_capitals(example: Example) -> bool:
    """Whether a word of three letters or more is written in capitals."""
    return any(len(w) > 2 and w.isalpha() and w.isupper() for w in _tokens_of(example))


def has_name(example: Example) -> bool:
    """Whether a capitalized word stands inside a sentence.

    Examples
    --------
    >>> [has_name(Example("1", {"text": text})) for text in ("He met Ida.", "He left. So?")]
    [True, False]
    """
    for text in example.fields.values():
        for start, end in sentences(text):
            for word in token_texts(text[start:end])[1:]:
                if len(word) > 1 and word[0].isupper() and not word.isupper():
                    return True
    return False


def has_rare_word(example: Example) -> bool:
    """Whether a word of the text is rare in English, or unknown.

    Examples
    --------
    >>> has_rare_word(Example("1", {"text": "a zymurgic film"}))
    True
    >>> has_rare_word(Example("2", {"text": "a good film"}))
    False
    """
    return any(
        len(word) >= _FEWEST_LETTERS and word.isalpha() and word.islower() and zipf(word) < _RARE
        for word in _tokens_of(example)
    )


def _has_several_sentences(example: Example) -> bool:
    return any(len(sentences(text)) > 1 for text in example.fields.values())


def _is_without_stop_words(example: Example) -> bool:
    words = [word for word in _words(example) if is_word(word)]
    return bool(words) and not any(is_stop_word(word) for word in words)


def _has_other_letters(text: str) -> bool:
    """Whether letters beyond plain Latin stand in a text."""
    return any(c.isalpha() and ord(c) > 127 for c in text)


SLICES: Final = (
    Slice("negation", "with a negation", is_negated, is_english=True),
    Slice("question", "with a question", is_question),
    Slice("exclamation", "with an exclamation mark", _any_text(lambda text: "!" in text)),
    Slice("number", "with a number", has_number),
    Slice("capitals", "with a word in capitals", is_in_capitals),
    Slice("name", "with a capitalized word inside a sentence", has_name),
    Slice("rare word", "with a rare word", has_rare_word, is_english=True),
    Slice(
        "contrast", "with a word of contrast (but, however)", _any_of(_CONTRAST), is_english=True
    ),
    Slice("condition", "with a condition (if, would)", _any_of(_CONDITION), is_english=True),
    Slice("comparison", "with a comparison (more, than)", _any_of(_COMPARISON), is_english=True),
    Slice("first person", "in the first person", _any_of(_FIRST_PERSON), is_english=True),
    Slice("quotation", "with a quotation", _any_text(_QUOTATION.search)),
    Slice("address", "with a web or mail address", _any_text(_URL.search)),
    Slice(
        "emoji",
        "with an emoji or smiley",
        _any_text(lambda text: _EMOJI.search(text) or _SMILEY.search(text)),
    ),
    Slice("drawn out", "with drawn-out letters or marks", _any_text(_REPEATED.search)),
    Slice("other letters", "with letters beyond plain Latin", _any_text(_has_other_letters)),
    Slice("sentences", "of several sentences", _has_several_sentences),
    Slice("no function word", "without a function word", _is_without_stop_words, is_english=True),
)


def word_slice(word: str) -> Slice:
    """Slice of the items that have a word, whatever its case.

    Examples
    --------
    >>> word_slice("Refund").holds(Example("1", {"text": "I want a refund."}))
    True
    """
    wanted = word.lower().replace("’", "'")
    return Slice(f"word {word}", f"with the word {word!r}", lambda e: wanted in _words(e))


def slices_for(
    examples: Sequence[Example], *, words: Sequence[str] = (), fewest: int = 20
) -> list[tuple[Slice, tuple[bool, ...]]]:
    """All slices that divide some items, with who belongs to each.

    Beside those that stand in `SLICES`: a word each that the user names, thirds by length, every
    gold label, every value of the items' columns ``a_*``. Those that go by English words are left
    out where the items are not all English.

    Parameters
    ----------
    examples
        The items.
    words
        Words that the user names.
    fewest
        Items that a slice, and what is outside of it, must have.
    """
    is_english = all(e.language.startswith("en") for e in examples)
    declared = [one for one in SLICES if is_english or not one.is_english]
    candidates = [*declared, *map(word_slice, words), *_by_length(examples)]
    candidates += _by_value("label", _labels(examples))
    names = dict.fromkeys(n for e in examples for n in e.attributes if n.startswith("a_"))
    for name in sorted(names):
        values = {e.id: str(e.attributes[name]) for e in examples if name in e.attributes}
        candidates += _by_value(name.removeprefix("a_"), values)
    found = []
    known: set[tuple[bool, ...]] = set()
    table = [[one.holds(example) for one in candidates] for example in examples]
    for one, members in zip(candidates, zip(*table, strict=True), strict=False):
        inside = sum(members)
        if inside < fewest or len(members) - inside < fewest or members in known:
            continue  # too small to say anything of, or another slice's twin
        known.add(members)
        found.append((one, members))
    return found


def _labels(examples: Sequence[Example]) -> dict[str, str]:
    """Gold labels by item."""
    return {e.id: e.gold for e in examples if isinstance(e.gold, str)}


def _by_value(name: str, values: Mapping[str, str]) -> list[Slice]:
    """Slice of each value of a column, by the items' identities; none where there are too many."""
    counts = Counter(values.values())
    if not 2 <= len(counts) <= MOST_VALUES:
        return []
    return [
        Slice(f"{name} {value}", f"of {name} {value!r}", _has_value(values, value))
        for value in sorted(counts)
    ]


def _has_value(values: Mapping[str, str], value: str) -> Callable[[Example], bool]:
    return lambda example: values.get(example.id) == value


def _by_length(examples: Sequence[Example]) -> list[Slice]:
    """Shortest and longest third, by words."""
    lengths = {e.id: sum(map(is_word, _words(e))) for e in examples}
    ordered = sorted(lengths.values())
    if not ordered:
        return []
    low, high = ordered[len(ordered) // 3], ordered[2 * len(ordered) // 3]
    return [
        Slice("short", f"of fewer than {low} words", lambda e: lengths.get(e.id, low) < low),
        Slice("long", f"of more than {high} words", lambda e: lengths.get(e.id, high) > high),
    ]
