"""Letter case of words: detect it, and give a replacement the case of its source."""

from typing import Literal

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
