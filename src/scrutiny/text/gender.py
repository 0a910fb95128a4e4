"""Gender swap of words: pronouns by part of speech, nouns and titles by table."""

from functools import cache

from scrutiny.text.casing import match_case
from scrutiny.text.lexicon import Gender, first_names, table

_PRONOUNS = {
    "he": "she",
    "she": "he",
    "him": "her",
    "hers": "his",
    "himself": "herself",
    "herself": "himself",
    "he'd": "she'd",
    "he'll": "she'll",
    "he's": "she's",
    "she'd": "he'd",
    "she'll": "he'll",
    "she's": "he's",
}
# "Miss" the title and "miss" the verb differ by their capital only.
_CAPITAL_ONLY = frozenset({"Ms", "Mrs", "Mr", "Miss", "Lady", "Lord"})


@cache
def _pairs() -> dict[str, str]:
    """Pairs in both directions; if two words share a partner, the first row wins."""
    found: dict[str, str] = {}
    for female, male in table("gender_pairs"):
        found.setdefault(female, male)
        found.setdefault(male, female)
    return found


def _swap_lower(word: str, xpos: str | None) -> str | None:
    if word == "her":
        return {"PRP$": "his", "PRP": "him"}.get(xpos or "")
    if word == "his":
        return "her" if xpos in (None, "PRP$", "DT") else "hers"
    return _PRONOUNS.get(word) or _pairs().get(word)


def swap_gender(word: str, xpos: str | None = None) -> str | None:
    """Return the word of the other gender in the same case; None if there is none.

    Parameters
    ----------
    word
        One token; the possessive "'s" may be attached.
    xpos
        Penn tag; ``her`` has no answer without it (``PRP$``: his, ``PRP``: him).

    Examples
    --------
    >>> swap_gender("her", "PRP"), swap_gender("Her", "PRP$"), swap_gender("her")
    ('him', 'His', None)
    >>> swap_gender("Waitress's"), swap_gender("table")
    ("Waiter's", None)
    """
    if word in _CAPITAL_ONLY:
        return _pairs()[word]
    if word[-1:] == "." and word[:-1] in _CAPITAL_ONLY:
        return _pairs()[word[:-1]] + "."
    lower = word.lower().replace("’", "'")
    stem, clitic = lower, ""
    found = _swap_lower(stem, xpos)
    if found is None and lower.endswith("'s"):
        stem, clitic = lower[:-2], word[-2:]
        found = _pairs().get(stem)
    if found is None:
        return None
    return match_case(word, found) + clitic if clitic else match_case(word, found)


@cache
def _gender_of_name() -> dict[str, Gender]:
    found: dict[str, Gender] = dict.fromkeys(first_names("female"), "female")
    found.update(dict.fromkeys(first_names("male"), "male"))
    return found


def first_name_gender(name: str) -> Gender | None:
    """Return the gender that a first name of our lists is mostly given to, or None.

    Examples
    --------
    >>> first_name_gender("Anna"), first_name_gender("George"), first_name_gender("anna")
    ('female', 'male', None)
    """
    return _gender_of_name().get(name)
