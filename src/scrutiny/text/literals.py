r"""Literals: markup, code, addresses and formulas, which stand in a text letter by letter.

HTML entities and tags, code spans, JSON, escapes, names with underscores, paths, URLs, DOIs, mail
addresses, ``@mentions``, ``#hashtags``, phone numbers and LaTeX. Change one of their characters
and they are broken, or are another thing: no writer's slip, synonym or capital belongs there.
"""

import re
from typing import Final

from scrutiny.text.tokens import Span, token_spans

_ENDINGS: Final = (
    "txt|md|rst|tex|bib|pdf|docx?|xlsx?|pptx?|csv|tsv|jsonl?|xml|ya?ml|toml|ini|cfg|conf|log|html?|"
    "css|js|ts|py|ipynb|rb|rs|cpp|hpp|java|sh|bat|sql|exe|dll|zip|tar|gz|png|jpe?g|gif|"
    "svg|mp3|mp4|wav|avi"
)
# Endings of domains that are no English word: "it." and "in." end sentences.
_DOMAINS: Final = "com|org|net|edu|gov|mil|info|biz|io|ai|eu|tv|ly|uk|de|fr|es|nl|ch|jp|cn|br|ru"
_URL_END: Final = r"[^\s<>\"`]*(?:[^\s<>\"`.,;:!?)\]}'’”]|(?<=/)\?)"
_ATTRIBUTE: Final = r"\s+[\w:-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+)"

_QUOTED: Final = r'"(?:[^"\\\n]|\\.)*"'
_INNER: Final = r"[^{}]*"

# Each kind begins where no letter stands before it: a long word is read once.
_KINDS: Final = {
    "code": r"```.*?```|~~~.*?~~~|(?<![`\w])`(?=[^\s`])[^`\n]*(?<=[^\s`])`(?![`\w])",
    "comment": r"<!--.{0,2000}?-->",
    "tag": (
        rf"</?[A-Za-z][\w:-]*(?:{_ATTRIBUTE})*\s*/?>|<#>"
        rf"|&lt;/?[A-Za-z][\w:-]*(?:{_ATTRIBUTE})*\s*/?&gt;"
    ),
    "JSON": (  # an object of at most three levels, a list of texts
        rf"\{{\s*{_QUOTED}\s*:{_INNER}(?:\{{{_INNER}(?:\{{{_INNER}\}}{_INNER})*\}}{_INNER})*\}}"
        rf"|\[\s*{_QUOTED}(?:\s*,\s*{_QUOTED})+\s*\]"
    ),
    "placeholder": r"\{\{[^{}\n]+\}\}|\$\{[^{}\n]+\}|(?<!\w)\{\w+\}|%\(\w+\)[sdf]",
    "formula": (
        r"\$\$[^$]+\$\$|\\\([^\n]{0,500}?\\\)|\\\[.{0,500}?\\\]"
        r"|(?<![\w$\\])\$(?=[^\s$])(?=[^$\n]*[\\^_={}])[^$\n]*(?<=[^\s$])\$(?!\w)"
    ),
    "url": (
        rf"(?<![A-Za-z0-9+])(?:[A-Za-z][A-Za-z0-9+]{{1,12}}://|(?i:www)\.){_URL_END}"
        r"|(?<![\w.])10\.[0-9]{4,9}/[^\s<>\"`]*\w"  # a DOI
    ),
    "remote path": r"(?<![\w.+-])[\w.+-]+@[\w.-]+:[~/\w]\S*[\w/]",
    "mail address": r"(?<![\w.+-])(?:[\w.+-]*\w:)?[\w.+-]*\w@\w[\w-]*(?:\.\w[\w-]*)+",
    "domain": (
        r"(?<![\w@.])(?<!\w-)(?:[A-Za-z0-9][\w-]*)?(?:\.[A-Za-z0-9][\w-]*)*"
        rf"\.(?i:{_DOMAINS})(?![\w-]|\.\w)(?:/(?:{_URL_END})?)?"
    ),
    "mention or hashtag": r"(?<![\w&/])@\w+|(?<![\w&/])#(?=\w*[^\W\d])\w+",
    "entity": (  # "#39;" as well: some data has lost the "&"
        r"(?<![\w&])\#[0-9]{2,5};\w*"
        r"|(?:(?<!\w)\w+)?(?:&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});[\w#]*)+"
    ),
    "command": r"\\[A-Za-z]{2,}\*?(?:\[[^\]\n]*\])*(?:\{[^{}\n]*\})+|\\[A-Za-z]{3,}(?![A-Za-z])",
    "escape": (
        r"(?<!\w)\w*(?:\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}"
        r"|[nrt](?![A-Za-z])|[\"'\\])\w*)+"
    ),
    "path": (
        r"(?<![\w/])[A-Za-z]:\\[^\s<>\"|?*]*[^\s<>\"|?*.,;:!)]"
        r"|(?<![\w/.~])(?:~|\.\.?)/(?:[\w.+-]*/)*[\w.+-]*\w"
        r"|(?<![\w/.<])/[\w.+-]+(?:/[\w.+-]+)*/[\w.+-]*\w"
        rf"|(?<![\w/.-])(?:[\w.-]+/)*\w[\w.-]*\.(?i:{_ENDINGS})(?![\w-]|\.\w)"
    ),
    "name in code": (
        r"(?<![\w.])(?:\w+\.)*\w*[^\W_]_+[^\W_]\w*(?:\.\w+)*(?:\([^()\s]*\))?"
        r"|(?<![\w.])[A-Za-z]\w*(?:\.[A-Za-z]\w*)+\([^()\s]*\)|\b[A-Za-z]\w*\(\)"
    ),
    "phone number": (
        r"(?<![\w+])\+[0-9](?:[ ()./-]{0,3}[0-9]){6,16}(?!\w)"
        r"|\([0-9]{3}\) ?[0-9]{3}[-. ][0-9]{4}(?!\w)"
        r"|(?<![\w.-])[0-9]{3}[-.][0-9]{3}[-.][0-9]{4}(?![\w-])|(?<![\w.])0[0-9]{8,}(?!\w)"
    ),
}
_PATTERN: Final = re.compile("|".join(f"(?:{kind})" for kind in _KINDS.values()), re.DOTALL)
# No literal is without one of these; most texts have none of them, which is quick to see.
_SIGNS: Final = (*"&<`\\/@#_{~", '["', '[ "', "()", "%(", "www.", "WWW.")
_TRIGGER: Final = re.compile(r"\.[A-Za-z]|[0-9](?:[0-9]{8}|[-.][0-9]{3})|[(+][0-9]")


def _may_have(text: str) -> bool:
    """Whether a text may have a literal: a quick look that misses none."""
    if any([sign in text for sign in _SIGNS]) or text.count("$") > 1:
        return True
    return _TRIGGER.search(text) is not None


def find_literals(text: str) -> tuple[Span, ...]:
    """Offsets of the literals of a text, in order and disjoint; those that touch are one.

    Examples
    --------
    >>> text = "AT&amp;T <b>wins</b>: see https://a.org/x, ask @kim or run `x + y`."
    >>> [text[start:end] for start, end in find_literals(text)]
    ['AT&amp;T', '<b>', '</b>', 'https://a.org/x', '@kim', '`x + y`']
    >>> find_literals("He and/or she paid $5 or $6 at 10 p.m., i.e. 'late'.")
    ()
    """
    if not _may_have(text):
        return ()
    found: list[Span] = []
    for match in _PATTERN.finditer(text):
        start, end = match.span()
        if found and found[-1][1] == start:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return tuple(found)


def tokens_with(literals: tuple[Span, ...], text: str) -> list[Span]:
    """Tokens of a text in which each of these literals is one.

    Examples
    --------
    >>> text = "so <b>good</b>"
    >>> tokens_with(find_literals(text), text)
    [(0, 2), (3, 6), (6, 10), (10, 14)]
    """
    if not literals:
        return token_spans(text)
    kept: list[Span] = []
    done = 0
    for low, high in literals:
        kept += [(done + a, done + b) for a, b in token_spans(text[done:low])]
        kept.append((low, high))
        done = high
    return kept + [(done + a, done + b) for a, b in token_spans(text[done:])]
