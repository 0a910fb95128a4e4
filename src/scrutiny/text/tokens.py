"""Words, sentences and user-perceived characters, as offsets into the untouched text.

Tokens are surface words, because edits address the original string: ``isn't`` is one token, and
text that already comes split in the Penn manner (``is n't``) keeps its two. A token never ends
inside a grapheme, so an edit cannot tear an accent, a flag or a family emoji apart.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

Span = tuple[int, int]


# Clitics that stand alone in pre-tokenized text ("it 's").
_CLITIC = (
    r"(?<![\w'’])['’](?:[sSdDmM]|[rR][eE]|[vV][eE]|[lL][lL]|[eE][mM]|[tT]is|[tT]was)\b(?!['’])"
)
_SMILEY = r"[:;=]-?[)(DPp](?!\w)"
_RUNS = r"\.\.+|--+"

# The common case, Latin letters without URLs, mentions or tags, has a pattern of its own: it is
# four times as fast. Both patterns agree there (tested).
_LETTER = "A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff"
_ALNUM = f"0-9\u00b2\u00b3\u00b9\u00bc-\u00be{_LETTER}"
_IS_LATIN = re.compile("[\x00-\u00a8\u00ab\u00ac\u00af-\u00ff\u2010-\u2027\u2030-\u203a\u20ac]*")
_LATIN = re.compile(  # beginning with what all alternatives begin with spares a quarter of the time
    rf"(?=\S)(?:[{_LETTER}]+(?![{_ALNUM}'’&_.-])"
    rf"|[A-Za-z]\.(?:[A-Za-z]\.)+"
    rf"|[{_ALNUM}]+(?:(?:['’&_-]|(?<=[0-9])[.,:/](?=[0-9]))[{_ALNUM}]+)*"
    rf"|{_CLITIC}|(?<!\w)\.[0-9]+|{_RUNS}|{_SMILEY}|\S)"
)
_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_EMOJI = (
    "[\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"


@cache
def _extenders() -> str:
    """Pattern of combining characters: marks, joiners, variation selectors, skin tones, tags."""
    ranges: list[str] = []
    start = -1
    for code in range(0x300, 0x1E950):
        is_mark = unicodedata.category(chr(code))[0] == "M"
        if is_mark and start < 0:
            start = code
        elif not is_mark and start >= 0:
            ranges.append(f"{chr(start)}-{chr(code - 1)}")
            start = -1
    rest = "\u00ad\u200b-\u200d\u2060\ufeff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
    return "".join(ranges) + rest + "\U000e0100-\U000e01ef"


@cache
def _full_pattern() -> re.Pattern[str]:
    ext = f"[{_extenders()}]"
    # A character in the negated class would no longer be able to carry marks: letters only here.
    letter = rf"[^\W_{_CJK}]"
    run = rf"{letter}+(?:{ext}+{letter}*)*"
    word = rf"{run}(?:(?:['’&_-]|(?<=\d)[.,:/](?=\d)){run})*"
    return re.compile(
        rf"(?:(?:https?://|www\.)[^\s<>\"]*[^\s<>\".,;:!?)\]}}'’]"
        rf"|[@#]\w+(?:-\w+)*"
        rf"|[\w.+-]*\w@\w[\w-]*(?:\.\w[\w-]*)+"
        rf"|[A-Za-z]\.(?:[A-Za-z]\.)+"
        rf"|{word}"
        rf"|[{_CJK}]"
        rf"|{_FLAG}"
        rf"|{_EMOJI}{ext}*(?:(?<=\u200d){_EMOJI}{ext}*)*"
        rf"|{_CLITIC}|(?<!\w)\.\d+|{_RUNS}|{_SMILEY}|\S){ext}*"
    )


def _pattern(text: str) -> re.Pattern[str]:
    if "@" in text or "#" in text or "://" in text or "www." in text:
        return _full_pattern()
    if text.isascii() or _IS_LATIN.fullmatch(text):
        return _LATIN
    return _full_pattern()


def token_spans(text: str) -> list[Span]:
    """Offsets of all tokens, in order; all text but white space is covered.

    Examples
    --------
    >>> token_spans("Isn't it 3.5?")
    [(0, 5), (6, 8), (9, 12), (12, 13)]
    """
    return list(map(re.Match.span, _pattern(text).finditer(text)))


def token_texts(text: str) -> list[str]:
    """Surface words of all tokens, in order.

    Examples
    --------
    >>> token_texts("Well-known, e.g. in the U.S.: don't e-mail a@b.org!")
    ['Well-known', ',', 'e.g.', 'in', 'the', 'U.S.', ':', "don't", 'e-mail', 'a@b.org', '!']
    """
    return _pattern(text).findall(text)


@cache
def _grapheme_pattern() -> re.Pattern[str]:
    ext = f"[{_extenders()}]"
    jamo = "[\u1100-\u115f\ua960-\ua97c]+[\u1160-\u11a7\ud7b0-\ud7c6]*[\u11a8-\u11ff\ud7cb-\ud7fb]*"
    pictures = rf"{_EMOJI}{ext}*(?:(?<=\u200d){_EMOJI}{ext}*)*"
    return re.compile(rf"\r\n|(?:{_FLAG}|{pictures}|{jamo}|.){ext}*", re.DOTALL)


def graphemes(text: str) -> list[str]:
    r"""User-perceived characters; joined they are the text again.

    Extended grapheme clusters of UAX 29 but for two rules that need tables the standard library
    lacks: prepended marks and Indic conjuncts.

    Examples
    --------
    >>> [len(g) for g in graphemes("e\u0301a\U0001f468\u200d\U0001f469")]
    [2, 1, 3]
    """
    if text.isascii() and "\r\n" not in text:
        return list(text)
    return _grapheme_pattern().findall(text)


def is_word(token: str) -> bool:
    """Whether a token is a word: it has letters, does not start with a digit, @ or #, is no URL.

    Examples
    --------
    >>> [is_word(t) for t in ("don't", "42", "2nd", "#tag", "http://a.b", "...")]
    [True, False, False, False, False, False]
    """
    if token.isalpha():
        return True
    if not token or token[0] in "@#" or token[0].isdigit():
        return False
    if "://" in token or "@" in token or token.startswith("www."):
        return False
    return any(char.isalpha() for char in token)


def is_number(token: str) -> bool:
    """Whether a token is written in digits and separators ("3.5", "25,000", "10:30").

    Examples
    --------
    >>> [is_number(t) for t in ("3.5", "25,000", "2nd", "-", "five")]
    [True, True, False, False, False]
    """
    if token.isdecimal():
        return True
    return any(c.isdecimal() for c in token) and all(c.isdecimal() or c in ".,:/-" for c in token)


_CATEGORY_P_OR_S = frozenset("PS")


def is_punctuation(token: str) -> bool:
    """Whether a token consists of punctuation and symbols only (emoji are symbols).

    Examples
    --------
    >>> [is_punctuation(t) for t in ("...", "$", "a", "")]
    [True, True, False, False]
    """
    if not token or token.isalnum():
        return False
    return all(unicodedata.category(char)[0] in _CATEGORY_P_OR_S for char in token)


# Words whose period does not end a sentence.
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof rev hon gen col capt lt sgt maj cmdr gov sen rep pres st mt ft ave blvd rd "
    "jr sr vs etc inc ltd co corp dept univ est approx appt fig figs no nos vol vols pp ed eds al "
    "cf ca jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun".split()
)
_END = re.compile(r"(?:[.!?…]+[\"'”’)\]»]*)(?=\s|$)|[。！？]+[”’」』）]*|\n\s*\n")
_LAST_WORD = re.compile(r"[^\W\d_]+$")


def _ends_sentence(text: str, match: re.Match[str], *, lower: bool) -> bool:
    mark = match[0]
    if mark[0] in "!?。！？\n…":
        return True
    before = match.start()
    if before == 0 or text[before - 1].isspace():  # " . ": pre-tokenized text
        return True
    rest = text[match.end() : match.end() + 40].lstrip()
    if not rest:
        return True
    if rest[0].islower() and not lower:
        return False
    if not mark.startswith("..") and text[before - 1].isalpha():
        word = _LAST_WORD.search(text, max(0, before - 20), before)
        if word is not None:
            initial = len(word[0]) == 1 and word[0] not in "Ia"
            if initial and text[max(0, before - 3) : before].lower() in ("a.m", "p.m"):
                return True
            return not initial and word[0].lower() not in _ABBREVIATIONS
    return True


def sentences(text: str) -> list[Span]:
    """Offsets of sentences, in order, without the white space around them.

    A rule, not a model: terminal punctuation before white space, known abbreviations and initials
    aside; a lower-case word after a period goes on, unless the whole text is lower-case.

    Examples
    --------
    >>> text = "Dr. Lee left. Did he? Yes."
    >>> [text[a:b] for a, b in sentences(text)]
    ['Dr. Lee left.', 'Did he?', 'Yes.']
    """
    lower = text == text.lower()
    found: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if _ends_sentence(text, match, lower=lower):
            _append_stripped(found, text, start, match.end())
            start = match.end()
    _append_stripped(found, text, start, len(text))
    return found


def _append_stripped(found: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if right > left:
        found.append((start + left, start + right))


def offsets_of_words(text: str, words: Sequence[str]) -> tuple[tuple[int, int], ...] | None:
    """Offsets of given words in a text that they make up but for spaces; None if they don't."""
    borders, place = [], 0
    for word in words:
        start = text.find(word, place)
        if start < 0 or text[place:start].strip():
            return None
        place = start + len(word)
        borders.append((start, place))
    return None if text[place:].strip() else tuple(borders)


def is_lexical(word: str) -> bool:
    """Whether a token counts as a word: it has a letter or a digit."""
    return any(map(str.isalnum, word))


_CLITICS: Final = r"(?:n['’]t|['’](?:s|m|re|ve|ll|d))\b"
_SPACED: Final = re.compile(
    rf"(?<=\w) {_CLITICS}(?!['’])|(?<=[^\s.,]) [.,;:](?=\s|$)", re.IGNORECASE
)
_GLUED: Final = re.compile(  # the period of "Mr." or "U.S." is no evidence
    rf"(?<=\w){_CLITICS}|(?:(?<=\w)(?:[,;:]|[!?]+|\.\.+)|(?<=[a-z]{{3}})\.)(?=\s|$)", re.IGNORECASE
)


def is_spaced(text: str) -> bool:
    """Whether a text has spaces between its tokens, as in the Penn treebank ("it 's good .").

    What most of its contractions and marks are like decides, so that one odd space does not.

    Examples
    --------
    >>> is_spaced("it 's good ."), is_spaced("It's good."), is_spaced("Ah , it's good.")
    (True, False, False)
    """
    if " " not in text:
        return False
    return len(_SPACED.findall(text)) > len(_GLUED.findall(text))
