"""Words that prevent changing the gender of all people in a text consistently.

A text in which some words change and others can't is worse than none: "Tom Cruise … an actress …
her". So a text is left alone where a name of the old gender would stay, where a word presupposes
the old gender, or where a word that would change belongs to a title.
"""

from collections.abc import Collection
from typing import Final

from scrutiny.core.transformation import Document
from scrutiny.text.gender import first_name_gender
from scrutiny.text.lexicon import Gender

# Words that say of whose gender they speak: who has a wife is rarely meant as a woman.
_PRESUPPOSES: Final[dict[Gender, frozenset[str]]] = {
    "male": frozenset(
        "wife wives girlfriend girlfriends fiancee bride mistress widow sir sire beard".split()
    ),
    "female": frozenset(
        "husband husbands boyfriend boyfriends groom widower pregnant madam ma'am".split()
    ),
}
_OF_TITLES: Final = frozenset(
    """king kings queen queens prince princess lord lady duke duchess godfather godmother god
    goddess master mistress monk nun wizard witch priest priestess emperor empress""".split()
)
_NAME_TAGS: Final = ("NN", "FW", "JJ")
_SAINTS: Final = frozenset({"st", "st.", "san", "saint"})


def has_conflict(document: Document, changed: Collection[int], gender: Gender) -> bool:
    """Whether some word prevents changing the gender of a whole text.

    Parameters
    ----------
    document
        The text.
    changed
        Tokens that would change.
    gender
        Gender that the people of the text have now.
    """
    is_small = document.text.islower()
    for i, word in enumerate(document.words):
        low = word.lower()
        if i in changed:
            if (is_small and low in _OF_TITLES) or _is_torn(document, i):
                return True
        elif low in _PRESUPPOSES[gender] or _is_kept_name(document, i, gender, is_small=is_small):
            return True
    return False


def is_no_first_name(document: Document, index: int) -> bool:
    """Whether a name is a city of a saint ("St. Louis") or a family name ("Eddie George")."""
    words = document.words[max(0, index - 2) : index]
    low = [word.lower() for word in words]
    if not low:
        return False
    if low[-1] in _SAINTS or low == ["st", "."]:
        return True
    is_behind_name = words[-1][:1].isupper() and first_name_gender(words[-1]) is not None
    return is_behind_name and document.words[index][:1].isupper()


def _is_torn(document: Document, index: int) -> bool:
    """Whether a word is the rest of a split word ("( t ) his")."""
    before = document.words[max(0, index - 3) : index]
    return len(before) == 3 and before[0] == "(" and before[2] == ")" and len(before[1]) == 1


def _is_kept_name(document: Document, index: int, gender: Gender, *, is_small: bool) -> bool:
    word = document.words[index]
    name = word.capitalize() if is_small else word
    if (
        not name[:1].isupper()
        or first_name_gender(name) != gender
        or is_no_first_name(document, index)
    ):
        return False
    return document.tag(index).startswith(_NAME_TAGS)
