"""Attributes of an item's texts: negation, question, gender, numbers, length.

Each is a pure function of an example. They are declared before anything is measured, so all of
them can be tested together, with a correction for how many there are; none is chosen by its
result.
"""

import re
from functools import cache, lru_cache
from typing import Final

from scrutiny.core.answers.answer import label_in
from scrutiny.core.example import MARKED, Example
from scrutiny.core.languages import is_english
from scrutiny.data.attribute import (
    REMEMBERED,
    attribute,
    lower_of,
    sentences_in,
    straight,
    tokens_of,
    words_of,
    words_of_each,
)
from scrutiny.data.questions import is_question_text
from scrutiny.text.lexicon import first_names, is_stop_word, table, zipf
from scrutiny.text.numbers import parse_number
from scrutiny.text.tokens import is_word

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
_QUESTION_WORDS: Final = frozenset("who whom whose what which when where why how".split())
_FEMALE: Final = frozenset("she her hers herself she's she'd she'll".split())
_MALE: Final = frozenset("he him his himself he's he'd he'll".split())
_URL: Final = re.compile(r"https?://|www\.|\S+@\S+\.\w", re.IGNORECASE)
#: Each address has one of them.
_OF_ADDRESSES: Final = ("@", "://", "w.", "W.")
_QUOTATION_MARK: Final = re.compile("[\"“”«»'‘]")
_QUOTATION: Final = re.compile(r"[\"“”«»]|(?<!\w)['‘][^'’]+['’](?!\w)")
_EMOJI: Final = re.compile("[\u2600-\u27bf\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff]")
_SMILEY: Final = re.compile(r"[:;=]-?[)(DPp](?!\w)")
_OTHER_WORD: Final = 1
_FUNCTION_WORD: Final = 2
_REPEATED_LETTERS: Final = re.compile(r"([a-z])\1\1", re.IGNORECASE)
_REPEATED_MARKS: Final = re.compile("[!?]{2,}")


@attribute("with a negation", is_english=True, stream="negation", of_token=True)
def negated(token: str) -> bool:
    """Whether the text contains a negation word, contracted or not.

    Examples
    --------
    >>> [negated(Example("1", {"text": text})) for text in ("It isn't bad.", "A knot.")]
    [True, False]
    """
    word = straight(token)
    return word in _NEGATIVE or word.endswith("n't")


@attribute("with a question")
def question(example: Example) -> bool:
    """Whether the text is a question, with or without a question mark.

    Examples
    --------
    >>> [question(Example("1", {"text": text})) for text in ("is it good", "so be it")]
    [True, False]
    """
    in_english = is_english(example.language)
    texts = example.fields.values()
    return any(is_question_text(text, is_english=in_english) for text in texts)


@attribute("with an exclamation mark")
def exclamation(example: Example) -> bool:
    """Whether the text contains an exclamation mark."""
    return any("!" in text for text in example.fields.values())


@attribute("with a number")
def number(example: Example) -> bool:
    """Whether the text contains a number, in digits or words; "one" and "first" do not count.

    Words count in English alone.

    Examples
    --------
    >>> [number(Example("1", {"text": text})) for text in ("Seats 4", "two left", "No seats")]
    [True, True, False]
    """
    is_one = _is_number if is_english(example.language) else _has_digit
    return any(map(is_one, tokens_of(example)))


@lru_cache(maxsize=REMEMBERED)
def _has_digit(token: str) -> bool:
    return any(map(str.isdigit, token))


@lru_cache(maxsize=REMEMBERED)
def _is_number(token: str) -> bool:
    """Whether a token has a digit, or is a number by itself."""
    is_plain = token.isalpha() and token.lower() not in _HARDLY_NUMBERS
    return _has_digit(token) or (is_plain and parse_number(token) is not None)


@attribute("with a word in capitals", of_token=True)
def capitals(token: str) -> bool:
    """Whether a word of three letters or more is written in capitals."""
    return len(token) > 2 and token.isalpha() and token.isupper()


@attribute("with a capitalized word inside a sentence")
def name(example: Example) -> bool:
    """Whether a capitalized word occurs inside a sentence.

    Examples
    --------
    >>> [name(Example("1", {"text": text})) for text in ("He met Ida.", "He left. So?")]
    [True, False]
    """
    return any(
        any(map(_is_capitalized, sentence[1:]))
        for text in example.fields.values()
        for sentence in sentences_in(text)
    )


@lru_cache(maxsize=REMEMBERED)
def _is_capitalized(token: str) -> bool:
    return len(token) > 1 and token[0].isupper() and not token.isupper()


@attribute("with a rare word", is_english=True, of_token=True)
def rare_word(token: str) -> bool:
    """Whether the text contains a word that is rare in English, or unknown.

    Examples
    --------
    >>> rare_word(Example("1", {"text": "a zymurgic film"}))
    True
    >>> rare_word(Example("2", {"text": "a good film"}))
    False
    """
    is_plain = len(token) >= _FEWEST_LETTERS and token.isalpha() and token.islower()
    return is_plain and zipf(token) < _RARE


@attribute("with a word of contrast (but, however)", is_english=True, of_token=True)
def contrast(token: str) -> bool:
    """Whether the text contains a word of contrast."""
    return straight(token) in _CONTRAST


@attribute("with a condition (if, would)", is_english=True, of_token=True)
def condition(token: str) -> bool:
    """Whether the text contains a word of condition."""
    return straight(token) in _CONDITION


@attribute("with a comparison (more, than)", is_english=True, of_token=True)
def comparison(token: str) -> bool:
    """Whether the text contains a word of comparison."""
    return straight(token) in _COMPARISON


@attribute("in the first person", is_english=True, of_token=True)
def first_person(token: str) -> bool:
    """Whether the text is in the first person."""
    return straight(token) in _FIRST_PERSON


@attribute("with a quotation")
def quotation(example: Example) -> bool:
    """Whether the text contains a quotation in quotation marks."""
    marked = filter(_QUOTATION_MARK.search, example.fields.values())  # few are, and this is fast
    return any(map(_QUOTATION.search, marked))


@attribute("with a web or mail address")
def address(example: Example) -> bool:
    """Whether the text contains a web or mail address."""
    return any(
        _URL.search(text) is not None
        for text in example.fields.values()
        if any(map(text.__contains__, _OF_ADDRESSES))
    )


@attribute("with an emoji or smiley")
def emoji(example: Example) -> bool:
    """Whether the text contains an emoji or a smiley."""
    return any(
        bool(_SMILEY.search(text) or (not text.isascii() and _EMOJI.search(text)))
        for text in example.fields.values()
    )


@attribute("with drawn-out letters or marks")
def drawn_out(example: Example) -> bool:
    """Whether a letter is repeated three times, or a punctuation mark twice, in a row."""
    return any(map(_is_drawn_out, tokens_of(example))) or any(
        _REPEATED_MARKS.search(text) is not None for text in example.fields.values()
    )


@lru_cache(maxsize=REMEMBERED)
def _is_drawn_out(token: str) -> bool:
    return _REPEATED_LETTERS.search(token) is not None


@attribute("with letters beyond plain Latin")
def other_letters(example: Example) -> bool:
    """Whether the text contains letters beyond plain Latin."""
    beyond = (t for t in example.fields.values() if not t.isascii())
    return any(c.isalpha() and ord(c) > 127 for t in beyond for c in t)


@attribute("of several sentences", stream="sentences")
def several_sentences(example: Example) -> bool:
    """Whether a text has more than one sentence."""
    return any(len(sentences_in(text)) > 1 for text in example.fields.values())


@attribute("without a function word", is_english=True)
def no_function_word(example: Example) -> bool:
    """Whether the text has words, and none of them is a function word."""
    return max(map(_as_word, tokens_of(example)), default=0) == _OTHER_WORD


@lru_cache(maxsize=REMEMBERED)
def _as_word(token: str) -> int:
    """Kind of word that a token is, the larger the kind that decides; 0 for none."""
    word = straight(token)
    return is_word(word) and (_FUNCTION_WORD if is_stop_word(word) else _OTHER_WORD)


@attribute("words of all texts", of_words=True, of_token=True)
def length(token: str) -> int:
    """Number of words in all texts.

    Examples
    --------
    >>> length(Example("1", {"premise": "It rains.", "hypothesis": "It is wet."}))
    5
    """
    return is_word(straight(token))


@attribute("words of the longest text", of_words=True)
def longest_text(example: Example) -> int:
    """Number of words in the longest of the item's texts."""
    return max(map(len, words_of_each(example)))


@attribute("distinct words, as a share of all words", of_words=True)
def lexical_richness(example: Example) -> float | None:
    """Share of distinct words among the words of all texts, 0 to 1; shorter texts have more.

    Examples
    --------
    >>> lexical_richness(Example("1", {"text": "so it is, so it was"}))
    0.6666666666666666
    """
    words = words_of(example)
    return len(set(words)) / len(words) if words else None


@attribute("words between the two marked parts of the text (a relation's)", of_words=True)
def marked_distance(example: Example) -> float | None:
    """Words between the two marked parts of a text; None where there are not two.

    Examples
    --------
    >>> from scrutiny.core.example import Span
    >>> parts = Span("text", 0, 10, MARKED), Span("text", 27, 38, MARKED)
    >>> pair = {"text": "<e1>I</e1> left, for good, <e2>Oz</e2>"}
    >>> marked_distance(Example("1", pair, protected=parts))
    3.0
    """
    parts = sorted((s for s in example.protected if s.label == MARKED), key=lambda s: s.start)
    if len(parts) != 2 or parts[0].field != parts[1].field or parts[0].field not in example.fields:
        return None
    between = example.fields[parts[0].field][parts[0].end : parts[1].start]
    return float(len(words_of(Example("", {"": between}))))


@attribute(
    "frequency of the rarest word in English, on the Zipf scale (3: once in a million)",
    is_english=True,
)
def rarest_word(example: Example) -> float:
    """Frequency of the rarest word in the text, on the Zipf scale.

    Examples
    --------
    >>> rarest_word(Example("1", {"text": "a good film"})) > 4
    True
    """
    return min(map(zipf, filter(str.isalpha, words_of(example))), default=0.0)


@attribute("gender that words and first names have: woman, man, both or none", is_english=True)
def gender(example: Example) -> str:
    """Gender of the pronouns, nouns and first names in the text.

    Examples
    --------
    >>> [gender(Example("1", {"text": t})) for t in ("Ida met her aunt.", "Her son.", "It rains.")]
    ['woman', 'both', 'none']
    """
    written, lower = frozenset(tokens_of(example)), frozenset(lower_of(example))
    has = [
        not (lower.isdisjoint(words) and written.isdisjoint(names))
        for words, names in (_gendered("female"), _gendered("male"))
    ]
    return {(True, True): "both", (True, False): "woman", (False, True): "man"}.get(
        (has[0], has[1]), "none"
    )


@cache
def _gendered(which: str) -> tuple[frozenset[str], frozenset[str]]:
    """Lower-case words, and first names, that are of one gender only."""
    is_female = which == "female"
    pairs = table("gender_pairs")
    mine, other = ([row[k].lower() for row in pairs] for k in ((0, 1) if is_female else (1, 0)))
    names = frozenset(first_names("female")), frozenset(first_names("male"))
    own, others = names if is_female else names[::-1]
    return (_FEMALE if is_female else _MALE) | (set(mine) - set(other)), own - others


@attribute("first question word (what, how), or none", is_english=True)
def question_word(example: Example) -> str:
    """First question word in the text, at any position.

    Examples
    --------
    >>> question_word(Example("1", {"text": "Tell me how."}))
    'how'
    """
    return next((word for word in lower_of(example) if word in _QUESTION_WORDS), "none")


@attribute("gold label")
def label(example: Example) -> str | None:
    """Gold label of the item, if its gold answer is a label."""
    return label_in(example.gold)


@attribute("language of the texts (BCP 47)")
def language(example: Example) -> str:
    """Language of the texts."""
    return example.language
