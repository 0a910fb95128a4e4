"""Sentences of a passage: which can stand elsewhere, and which lean on others.

A sentence that begins with "But" or has a "she" is read with the one before it. Where mentions are
known (`scrutiny.core.answers.clusters.Clusters`), they tell, too, which sentences others need.
"""

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from scrutiny.core.answers.clusters import Clusters
from scrutiny.core.transformation import Document, Site
from scrutiny.text.lexicon import listed
from scrutiny.text.tokens import is_spaced, sentences, token_texts

# Words that point back to another sentence.
_POINTING: Final = frozenset(
    "he she it they him her them his hers its their theirs himself herself itself themselves "
    "this these those such both latter former".split()
)
# First words of a sentence that goes on from the one before it.
_JOINING: Final = frozenset(
    "and but or nor so yet then thus hence therefore however moreover furthermore also instead "
    "otherwise still besides nevertheless meanwhile afterwards later finally similarly conversely "
    "accordingly consequently indeed here there that another others one some many most".split()
)
# Quotation marks as tokens; an apostrophe within a word or a clitic is none.
_OPENING: Final = frozenset(("“", "‘", "``", "`", "«", "„"))
_CLOSING: Final = frozenset(("”", "’", "''", "'", "»"))
_MARKS: Final = _OPENING | _CLOSING | {'"'}
_ENDS: Final = frozenset(".!?")
_FEWEST: Final = 3  # words of a sentence


class PassageSentence(NamedTuple):
    """Sentence of a passage.

    Parameters
    ----------
    start, end
        Code points, without the spaces around.
    token
        Its first token.
    next
        Where the sentence behind it begins, or the text ends.
    is_whole
        Whether it could stand elsewhere as it is: it begins as sentences do, ends in a mark, has no
        open bracket, and is no part of what somebody is quoted to say ("I" would be another).
    leans
        Whether it points to another sentence, or joins one.
    """

    start: int
    end: int
    token: int
    next: int
    is_whole: bool
    leans: bool

    @property
    def site(self) -> Site:
        """The sentence as a place of the text."""
        return Site(self.start, self.end, self.token)


@lru_cache(maxsize=8)
def sentences_of(document: Document) -> Sequence[PassageSentence]:
    """Sentences of a text in order; kept with the document.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> found = sentences_of(document_of("Ida left town. But she came back. Bo slept well."))
    >>> [(one.token, one.leans) for one in found]
    [(0, False), (4, True), (9, False)]
    """
    text = document.text
    starts = [start for start, _ in document.tokens]
    is_lower = text == text.lower()
    borders = [*sentences(text), (len(text), len(text))]
    quoted = _quoted(document.words)
    found = []
    for (start, end), (behind, _) in pairwise(borders):
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        if first == last:
            continue
        words = document.words[first:last]
        low = [word.lower() for word in words]
        opens = next((word for word in low if word[0].isalnum()), "")
        found.append(
            PassageSentence(
                start,
                end,
                first,
                behind,
                is_whole=first not in quoted
                and _is_whole(words, text[start:end], is_lower=is_lower),
                leans=opens in _JOINING or not _POINTING.isdisjoint(low),
            )
        )
    return found


def _is_whole(words: Sequence[str], text: str, *, is_lower: bool) -> bool:
    if text[-1] not in _ENDS or sum(word[0].isalnum() for word in words) < _FEWEST:
        return False
    if not (text[0].isdigit() or (text[0].isalpha() and (is_lower or text[0].isupper()))):
        return False
    is_bracketed = text.count("(") != text.count(")") or text.count("[") != text.count("]")
    return _MARKS.isdisjoint(words) and not is_bracketed


def _quoted(words: Sequence[str]) -> frozenset[int]:
    """Tokens within quotation marks; all behind the first straight one of an odd number."""
    found: list[int] = []
    depth, is_open = 0, False
    is_odd = words.count('"') % 2 == 1
    for i, word in enumerate(words):
        if word == '"':
            is_open = is_odd or not is_open
        depth = max(0, depth + (word in _OPENING) - (word in _CLOSING))
        if depth or is_open:
            found.append(i)
    return frozenset(found)


@lru_cache(maxsize=8)
def free_sentences(document: Document, any_sentence: bool) -> Sequence[PassageSentence]:  # noqa: FBT001
    """Sentences that can be moved or dropped without harm to others; with `any_sentence` all whole.

    Neither they nor those right behind them lean on others, and no pronoun that the gold answer
    links to them has its nearest antecedent there.
    """
    found = sentences_of(document)
    if any_sentence:
        return [one for one in found if one.is_whole]
    following = [*found[1:], None][: len(found)]  # of no sentences, none
    needed = _needed(document)
    return [
        one
        for one, behind in zip(found, following, strict=True)
        if one.is_whole and not one.leans and not (behind and behind.leans)
        if one.start not in needed
    ]


def _needed(document: Document) -> frozenset[int]:
    """Starts of the sentences with a mention that one in a later sentence needs.

    A later mention needs the one before it if it is a pronoun, or if that one is the first of its
    cluster and the later one is no name.
    """
    gold = document.example.gold
    if not isinstance(gold, Clusters) or gold.field != document.field:
        return frozenset()
    starts = [one.start for one in sentences_of(document)]
    needed: set[int] = set()
    for cluster in gold.clusters:
        for number, (before, (start, end)) in enumerate(pairwise(cluster)):
            said = document.text[start:end]
            is_pronoun = said.lower() in _POINTING
            if is_pronoun or (number == 0 and not said[:1].isupper()):
                own = bisect_left(starts, before[0] + 1) - 1
                if own != bisect_left(starts, start + 1) - 1:
                    needed.add(starts[own])
    return frozenset(needed)


def plain_sentence(document: Document, share: float) -> str:
    """A listed sentence that names nobody and no place, spelled as the document is.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> plain_sentence(document_of("so it 's good ."), 0.0)
    'a bell rang in the distance .'
    """
    options = listed("plain_sentences")
    return spelled_like(document, options[int(share * len(options))])


def spelled_like(document: Document, sentence: str) -> str:
    """A sentence with the spaces and the letter case of a document: spaced, or in small letters."""
    spaced, lower = _spelling(document)
    if spaced:
        sentence = " ".join(token_texts(sentence))
    return sentence.lower() if lower else sentence


@lru_cache(maxsize=8)
def _spelling(document: Document) -> tuple[bool, bool]:
    """Whether the text has spaces between its tokens, and no capital."""
    return is_spaced(document.text), document.text == document.text.lower()
