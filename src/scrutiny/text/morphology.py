"""Regular English inflection by rule: forms from a base, and bases that a form may come from.

Spelling only; irregular forms are in the table that `scrutiny.text.inflect` reads.
"""

import re
from collections.abc import Callable

_VOWELS = "aeiou"
_SIBILANT = ("s", "x", "z", "ch", "sh")
_SYLLABLE = re.compile(r"[aeiouy]+")


def is_monosyllable(word: str) -> bool:
    """Whether a word has one group of vowels, a silent final e aside.

    Examples
    --------
    >>> is_monosyllable("stop"), is_monosyllable("nice"), is_monosyllable("open")
    (True, True, False)
    """
    groups = _SYLLABLE.findall(word)
    if len(groups) == 2 and word.endswith("e") and not word.endswith(("le", "ee", "ie", "oe")):
        return True
    return len(groups) == 1


def _doubles(word: str) -> bool:
    """Whether the last consonant doubles before a vowel: stop -> stopped."""
    if len(word) < 3 or word[-1] in "aeiouwxyh" or word[-2] not in _VOWELS:
        return False
    before = word[-3]
    single_vowel = before not in _VOWELS or (before == "u" and word[-4:-3] == "q")
    return single_vowel and is_monosyllable(word)


def _ends_in_consonant_y(word: str) -> bool:
    return len(word) > 1 and word[-1] == "y" and (word[-2] not in _VOWELS or word[-3:-1] == "qu")


def add_s(word: str, *, is_verb: bool) -> str:
    """Return the plural of a noun or the third person of a verb.

    Examples
    --------
    >>> add_s("box", is_verb=False), add_s("try", is_verb=True), add_s("veto", is_verb=True)
    ('boxes', 'tries', 'vetoes')
    """
    if _ends_in_consonant_y(word):
        return word[:-1] + "ies"
    if word.endswith(_SIBILANT):
        return word + "es"
    if is_verb and len(word) > 1 and word[-1] == "o" and word[-2] not in _VOWELS:
        return word + "es"
    return word + "s"


def _add_vowel_suffix(word: str, suffix: str) -> str:
    if word.endswith("e"):
        return word[:-1] + suffix
    if _ends_in_consonant_y(word):
        return word[:-1] + "i" + suffix
    return word + (word[-1] if _doubles(word) else "") + suffix


def add_ed(word: str) -> str:
    """Return the past form of a regular verb.

    Examples
    --------
    >>> add_ed("stop"), add_ed("love"), add_ed("try"), add_ed("play")
    ('stopped', 'loved', 'tried', 'played')
    """
    return _add_vowel_suffix(word, "ed")


def add_ing(word: str) -> str:
    """Return the present participle of a verb.

    Examples
    --------
    >>> add_ing("make"), add_ing("die"), add_ing("see"), add_ing("run")
    ('making', 'dying', 'seeing', 'running')
    """
    if word.endswith("ie"):
        return word[:-2] + "ying"
    if word.endswith("e") and not word.endswith(("ee", "oe", "ye")) and len(word) > 2:
        return word[:-1] + "ing"
    return word + (word[-1] if _doubles(word) else "") + "ing"


def compare(word: str, suffix: str) -> str | None:
    """Return the comparative ("er") or superlative ("est"); None for long adjectives.

    Examples
    --------
    >>> compare("big", "er"), compare("happy", "est"), compare("beautiful", "er")
    ('bigger', 'happiest', None)
    """
    if not (is_monosyllable(word) or (_ends_in_consonant_y(word) and len(word) < 8)):
        return None
    return _add_vowel_suffix(word, suffix)


_REGULAR: dict[str, Callable[[str], str | None]] = {
    "NNS": lambda word: add_s(word, is_verb=False),
    "VBZ": lambda word: add_s(word, is_verb=True),
    "VBD": add_ed,
    "VBN": add_ed,
    "VBG": add_ing,
    "JJR": lambda word: compare(word, "er"),
    "JJS": lambda word: compare(word, "est"),
}


def regular_form(lemma: str, xpos: str) -> str | None:
    """Return the regular form of a base for a Penn tag; the base itself for VB, VBP, NN, JJ, RB.

    Examples
    --------
    >>> regular_form("walk", "VBD"), regular_form("walk", "VB"), regular_form("quickly", "RBR")
    ('walked', 'walk', None)
    """
    if xpos in _REGULAR:
        return _REGULAR[xpos](lemma)
    return None if xpos in ("RBR", "RBS") else lemma


def _stems(stem: str, *, prefer_e: bool) -> list[str]:
    """Bases that a stem before a vowel suffix may come from, most likely first."""
    found = [stem, stem + "e"]
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in _VOWELS:
        found.insert(1 if stem[-1] in "lsz" else 0, stem[:-1])
    if stem.endswith("i") and len(stem) > 2:
        found.insert(0, stem[:-1] + "y")
    if stem.endswith("ick"):
        found.append(stem[:-1])
    if prefer_e:
        found.insert(0, found.pop())
    return found


_BEFORE_E = tuple("c v u at iz yz rs ns dg rg ang eng ur ag lin".split())


def _prefers_e(stem: str) -> bool:
    """Whether "-ed" and "-ing" words of this stem, unknown otherwise, come from "-e"."""
    if stem.endswith(_BEFORE_E):
        return True
    is_vce = len(stem) > 2 and stem[-2] in _VOWELS and stem[-3] not in _VOWELS
    return is_vce and stem[-1] not in "wxyhnlrt" and is_monosyllable(stem)


def candidate_lemmas(word: str, xpos: str) -> list[str]:
    """Return bases whose regular form for a Penn tag may be the word, most likely first.

    Examples
    --------
    >>> candidate_lemmas("hoping", "VBG"), candidate_lemmas("cities", "NNS")
    (['hope', 'hop'], ['city', 'citie', 'citi'])
    """
    found: list[str] = []
    if xpos in ("NNS", "VBZ") and word.endswith("s") and not word.endswith("ss"):
        found.append(word[:-1])
        if word.endswith("es"):
            is_sibilant = word.endswith(("xes", "ches", "shes", "sses", "zzes"))
            found.insert(0 if is_sibilant else 1, word[:-2])
        if word.endswith("ies") and len(word) > 4:
            found.insert(0, word[:-3] + "y")
    suffix = {"VBD": "ed", "VBN": "ed", "VBG": "ing", "JJR": "er", "JJS": "est"}.get(xpos)
    if suffix and word.endswith(suffix) and len(word) > len(suffix) + 1:
        stem = word[: -len(suffix)]
        if suffix == "ing" and stem.endswith("y"):
            found.append(stem[:-1] + "ie")
        found += _stems(stem, prefer_e=_prefers_e(stem))
    return list(dict.fromkeys(found))
