"""Letters: a normal form of texts, the script of a language, classes of characters, and case."""

import re
import unicodedata
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final, Literal

#: Script of a language: words of A-Z and a-z, or single Chinese characters.
Script = Literal["latin", "han"]


def letters(text: str) -> str:
    """Letters of a text, case-folded; all other characters are dropped.

    Letters are the Unicode categories L; composed and decomposed accents come out equal.

    Examples
    --------
    >>> letters("It's -- a 2nd TRY.")
    'itsandtry'
    """
    if text.isascii():
        return text.lower().encode().translate(None, _NO_LETTERS).decode()
    return "".join(filter(str.isalpha, unicodedata.normalize("NFC", text).casefold()))


#: Characters of ASCII texts that are dropped: quicker than to look at each.
_NO_LETTERS: Final = bytes(code for code in range(128) if not chr(code).isalpha())
_NEITHER: Final = bytes(code for code in range(128) if not chr(code).isalnum())
#: Numbers, smileys and symbols: texts that differ in one say different things. A tokenizer may have
#: parted a number ("9 . 50"), and "&#8217" is no number.
_MARKS: Final = (
    r"(?:(?<![\w.])[-\u2212])?(?<!&#)(?<!\d)\d+(?: ?[.,:/] ?\d+)*|(?<!\w)[:;=]-?[()]"
    r"|[\u2190-\u2bff\U0001f000-\U0001faff]"
)
_MARK: Final = re.compile(_MARKS)
_CONTENT: Final = re.compile(rf"[^\W\d_]+|{_MARKS}")
#: What every smiley has.
_SMILE: Final = re.compile(r"[:;=-][()]")


def marks(text: str) -> tuple[str, ...]:
    """Numbers, smileys, emoji and other symbols of a text, in order of their characters.

    Examples
    --------
    >>> marks("9 out of 10, not -1.5 \u263a"), marks("none - at all")
    (('-1.5', '10', '9', '\u263a'), ())
    """
    return tuple(sorted(found.replace(" ", "") for found in _MARK.findall(text)))


def letters_and_marks(text: str) -> str:
    """Letters of a text, case-folded, with its numbers and symbols; other characters are dropped.

    That of a text without numbers and symbols is its `letters`.

    Examples
    --------
    >>> letters_and_marks("It's -- a 2nd TRY.")
    'itsa2ndtry'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    elif not _SMILE.search(text):
        kept = text.lower().encode().translate(None, _NEITHER)
        if kept.isalpha():  # no number is among them
            return kept.decode()
    return "".join(_CONTENT.findall(text.casefold())).replace(" ", "")


def script_of(language: str) -> Script:
    """Script that the letters of a language belong to.

    Examples
    --------
    >>> script_of("zh-Hans"), script_of("en")
    ('han', 'latin')
    """
    return "han" if language.partition("-")[0] == "zh" else "latin"


_BLOCK: Final = 32
_ALPHABETS: Final = (  # Russian and Greek, whose blocks begin with letters of other languages
    range(ord("А"), ord("Я") + 1),
    range(ord("а"), ord("я") + 1),
    range(ord("Α"), ord("Ω") + 1),
    range(ord("α"), ord("ω") + 1),
)


@lru_cache(maxsize=4096)
def same_class(char: str) -> str:
    r"""Characters of the same class: digits, or letters of the same case and script.

    A decomposed letter counts as its base. Empty for punctuation, spaces and symbols.

    Examples
    --------
    >>> same_class("7")
    '012345689'
    >>> same_class("-"), "q" in same_class("e\u0301"), "ж" in same_class("д")
    ('', True, True)
    """
    base = char[:1]
    for known in (ascii_lowercase, ascii_uppercase, digits):
        if base and base in known:
            return known.replace(base, "")
    if not base.isalnum():
        return ""
    category = unicodedata.category(base)
    alphabet = next((codes for codes in _ALPHABETS if ord(base) in codes), None)
    if alphabet is None:  # what stands near in Unicode
        start = ord(base) - ord(base) % _BLOCK
        alphabet = range(start, start + _BLOCK)
    near = (chr(code) for code in alphabet)
    return "".join(c for c in near if c != base and unicodedata.category(c) == category)


CasePattern = Literal["lower", "upper", "title", "mixed", "none"]


def case_pattern(word: str) -> CasePattern:
    """Return the case pattern of a word; one capital letter alone counts as ``title``.

    Examples
    --------
    >>> [case_pattern(w) for w in ("dog", "NASA", "Dog", "iPhone", "42", "I")]
    ['lower', 'upper', 'title', 'mixed', 'none', 'title']
    """
    if word.islower():
        return "lower"
    letters = [char for char in word if char.isalpha()]
    if not letters:
        return "none"
    if letters[0].isupper() and not any(char.isupper() for char in letters[1:]):
        return "title"
    if word.isupper():
        return "upper"
    return "mixed" if any(char.isupper() for char in letters) else "none"


def capitalize_first(word: str) -> str:
    """Return the word with its first letter in upper case and the rest unchanged.

    Examples
    --------
    >>> capitalize_first("mcDonald")
    'McDonald'
    """
    for i, char in enumerate(word):
        if char.isalpha():
            return word[:i] + char.upper() + word[i + 1 :]
    return word


def match_case(source: str, replacement: str) -> str:
    """Return the replacement in the case of the source, if the source has a clear one.

    A lower-case source leaves the replacement alone, so that proper names keep their capital.

    Examples
    --------
    >>> match_case("Dog", "cat"), match_case("DOG", "cat"), match_case("dog", "Hawaii")
    ('Cat', 'CAT', 'Hawaii')
    """
    if source.islower():
        return replacement
    pattern = case_pattern(source)
    if pattern == "upper":
        return replacement.upper()
    return capitalize_first(replacement) if pattern == "title" else replacement


def lowered(text: str) -> str:
    """Text in lower case, with code points at the same positions.

    Examples
    --------
    >>> lowered("İstanbul ANKARA")
    'İstanbul ankara'
    """
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
