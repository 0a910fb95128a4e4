"""What a control is made of: the treatment's operations, the ground that may change, random text.

============  =====================================  ===========================================
kind          an edit that                           its amount
============  =====================================  ===========================================
``case``      changes letter case only               letters turned, as deleted and as inserted
``marks``     adds or drops punctuation              its code points
``words``     adds, drops or replaces whole words    code points of the old and of the new words
``letters``   changes a word within                  code points deleted and inserted, at the least
============  =====================================  ===========================================

A whole word that becomes another counts as ``words`` if the new one is a known word or a number, or
if more than half of it is different. Otherwise ("definitely", "difinately") it was changed within.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from string import ascii_lowercase
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from rapidfuzz.distance import Levenshtein, Postfix, Prefix

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng, pick
from scrutiny.core.record import grouped
from scrutiny.core.transformation import Where
from scrutiny.perturb.engine.document import TextDocument, tokens_where
from scrutiny.text.letters import match_case, same_class
from scrutiny.text.lexicon import frequencies, is_stop_word, zipf
from scrutiny.text.tokens import graphemes, is_number, is_punctuation, is_word, token_spans

Kind = Literal["case", "marks", "words", "letters"]


class Operation(NamedTuple):
    """A change without its position.

    A plain tuple, because a million variants make several million of them.

    Parameters
    ----------
    kind
        What sort of change.
    deleted
        Code points that go.
    inserted
        What comes: code points whose class or text the control takes over.
    tokens, spaces
        Tokens that go, for ``words``, and the white space around them that goes along.
    """

    kind: Kind
    deleted: int
    inserted: str
    tokens: int = 0
    spaces: int = 0


def operations_of(document: TextDocument, edits: Sequence[Edit]) -> list[Operation]:
    """Operations of the edits of one field, in order.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> operations_of(document_of("so definitely"), [Edit("text", 3, 13, "difinately")])
    [Operation(kind='letters', deleted=2, inserted='ia', tokens=0, spaces=0)]
    """
    pairs = [(edit, _whole_tokens(document, edit)) for edit in edits]
    return [one for edit, n in pairs for one in _classify(document.text, edit, n)]


def _whole_tokens(document: TextDocument, edit: Edit) -> int:
    """Number of whole tokens that an edit covers; 0 if it covers only a part of one."""
    _, left, right, *_ = edit
    old = document.text[left:right]
    if not old.isalnum():  # spaces may stand around the tokens
        left += len(old) - len(old.lstrip())
        right -= len(old) - len(old.rstrip())
    starts, ends = document.starts, document.ends
    first = bisect_left(starts, left)
    if first == len(starts) or starts[first] != left:
        return 0
    last = bisect_left(ends, right)
    is_whole = last < len(ends) and ends[last] == right
    return max(0, last - first + 1) if is_whole else 0


def _classify(text: str, edit: Edit, tokens: int) -> list[Operation]:
    """Operations of one edit that covers this number of whole tokens and nothing else, or 0."""
    old, new = text[edit.start : edit.end], edit.text
    if old.lower() == new.lower() and len(old) == len(new):
        turned = [b for a, b in zip(old, new, strict=True) if a != b]
        return [Operation("case", len(turned), "".join(turned))]
    has_words = _has_words(old) or _has_words(new)
    if not has_words and (old + new).strip():
        return [Operation("marks", *_trimmed(old, new))]
    if not old:
        # whether an insertion is between tokens, not attached to a word
        before = text[edit.start - 1 : edit.start] if edit.start else ""
        after = text[edit.start : edit.start + 1]
        glued_left = before.isalnum() and edit.text[:1].isalnum()
        glued_right = after.isalnum() and edit.text[-1:].isalnum()
        is_between = not (glued_left or glued_right or (before.isalnum() and after.isalnum()))
        return [Operation("words" if is_between and has_words else "letters", 0, new)]
    if tokens and not new:
        return [Operation("words", len(old), "", tokens, len(old) - len(old.strip()))]
    if tokens == 0 or not new.strip():
        return [Operation("letters", *_trimmed(old, new))]
    is_other_word = tokens == 1 and (zipf(new) > 0 or is_number(new))
    most = max(len(old), len(new)) / 2
    if is_other_word or Levenshtein.distance(old.lower(), new.lower()) > most:
        return [Operation("words", len(old.strip()), new.strip(), tokens)]
    return _within(old, new)


def _has_words(text: str) -> bool:
    return text.isalnum() or any(map(str.isalnum, text))


def _trimmed(old: str, new: str) -> tuple[int, str]:
    """Code points deleted and text inserted, without the common prefix and suffix."""
    head = Prefix.similarity(old, new)
    old, new = old[head:], new[head:]
    tail = Postfix.similarity(old, new)
    return len(old) - tail, new[: len(new) - tail]


def _within(old: str, new: str) -> list[Operation]:
    """Smallest changes inside a word: letters, and letters that only change their case."""
    low_old, low_new = old.lower(), new.lower()
    if len(low_old) != len(old) or len(low_new) != len(new):
        return [Operation("letters", *_trimmed(old, new))]
    deleted, inserted, turned = 0, "", ""
    for op in Levenshtein.opcodes(low_old, low_new):
        gone, come = old[op.src_start : op.src_end], new[op.dest_start : op.dest_end]
        if op.tag == "equal":
            turned += "".join(b for a, b in zip(gone, come, strict=True) if a != b)
        else:
            deleted += len(gone)
            inserted += come
    found = [Operation("letters", deleted, inserted)] if deleted or inserted else []
    return found + ([Operation("case", len(turned), turned)] if turned else [])


class Ground:
    """Tokens of a text, grouped by what a control may do with them; lists are computed on demand.

    Parameters
    ----------
    document
        The text as it was.
    where
        Which tokens may be changed, as for the treatment.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> ground = Ground(document_of("Oh, well"), "around")
    >>> ground.allowed, ground.words, sorted(ground.free)
    ([0, 1, 2], [0, 2], [0, 2])
    """

    def __init__(self, document: TextDocument, where: Where) -> None:
        self.document = document
        self.where = where

    @cached_property
    def allowed(self) -> list[int]:
        """Tokens that may be changed."""
        return tokens_where(self.document, self.where)

    @cached_property
    def words(self) -> list[int]:
        """The words among the tokens that may be changed."""
        surface = self.document.words
        return [i for i in self.allowed if surface[i].isalpha() or is_word(surface[i])]

    @cached_property
    def free(self) -> frozenset[int]:
        """Tokens that random words may replace; inside entities only if the treatment may."""
        surface = self.document.words
        if self.where == "beside":
            return frozenset(self.words)
        inside = frozenset(tokens_where(self.document, "within"))
        is_inside = self.where == "within"
        return frozenset(
            i
            for i, word in enumerate(surface)
            if (i in inside) == is_inside and not is_punctuation(word)
        )

    @cached_property
    def composed(self) -> frozenset[int]:
        """Words with combining marks, in which not every position lies between two characters."""
        if self.document.text.isascii():
            return frozenset()
        surface = self.document.words
        return frozenset(i for i in self.words if len(graphemes(surface[i])) < len(surface[i]))


def random_text(like: str, rng: Rng, *, unlike: str = "", is_english: bool = True) -> str:
    """Text of random words with the spaces, marks, capitals and word lengths of another text.

    Parameters
    ----------
    like
        What it takes its shape from; it has exactly as many code points.
    unlike
        A word that must not come out.
    is_english
        Otherwise the words are random letters of the same classes.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> drawn = random_text("As far as I know, ", default_rng(0))
    >>> len(drawn), drawn[-2:], drawn[0].isupper()
    (18, ', ', True)
    """
    if not is_english:
        return filler_letters(like, rng, unlike=unlike)
    pieces, done = [], 0
    for start, end in token_spans(like):
        word = like[start:end]
        if any(char.isalnum() for char in word):
            shares = rng.random(end - start).tolist()
            fresh = random_word(end - start, shares, unlike=unlike.lower())
            pieces += [like[done:start], match_case(word, fresh)]
            done = end
    return "".join([*pieces, like[done:]])


def filler_letters(like: str, rng: Rng, *, unlike: str = "") -> str:
    """Random filler of the same classes of characters, each different from the one it replaces.

    Letters stay letters of their case and script, digits digits; everything else stays as it is.
    """
    drawn = ""
    for i, (char, share) in enumerate(zip(like, rng.random(len(like)).tolist(), strict=True)):
        options = same_class(char) + char if char.isalnum() else char
        if taken := unlike[i : i + 1]:
            options = options.replace(taken, "") or options
        drawn += pick(options, share)
    return drawn


def of_length(text: str, length: int) -> str | None:
    """Text whose last words are made longer or shorter; `None` if that is impossible.

    Examples
    --------
    >>> of_length("so good", 9), of_length("so good", 4), of_length("so", 0)
    ('so goodxx', 'so g', None)
    """
    spans = [s for s in token_spans(text) if any(c.isalnum() for c in text[s[0] : s[1]])]
    excess = len(text) - length
    if not spans:
        return text if excess == 0 else None
    if excess <= 0:
        end = spans[-1][1]
        filling = text[end - 1] if text[end - 1].isalpha() else "x"
        return text[:end] + ("x" if filling.islower() else filling) * -excess + text[end:]
    for start, end in reversed(spans):
        cut = min(excess, end - start - 1)
        text = text[: end - cut] + text[end:]
        excess -= cut
    return text if excess == 0 else None


_LEAST_ZIPF: Final = 3.5  # about three times in a million words
_ENOUGH: Final = 20
_LONGEST: Final = 11


@cache
def _words_by_length() -> Mapping[int, tuple[str, ...]]:
    """Frequent English words by their number of letters, in the list's order.

    Function words are left out: a random "not" would not be a neutral change.
    """
    found = grouped(
        (len(word), word)
        for word, value in frequencies().items()
        if value >= _LEAST_ZIPF and word.isascii() and word.isalpha() and not is_stop_word(word)
    )
    return MappingProxyType({length: tuple(words) for length, words in found.items()})


def random_word(length: int, shares: Sequence[float], *, unlike: str = "") -> str:
    """Random word with exactly so many letters.

    Beyond the lengths that have words enough, two words are run together; a single letter is
    drawn from the alphabet.

    Parameters
    ----------
    length
        At least 1.
    shares
        Numbers drawn from [0, 1), one for each letter that is wanted at most.
    unlike
        A lower-case word that must not come out.

    Examples
    --------
    >>> [len(random_word(n, [0.3] * n)) for n in (1, 4, 30)]
    [1, 4, 30]
    """
    if length > _LONGEST:
        half = length // 2
        return random_word(half, shares) + random_word(length - half, shares[half:])
    words = _words_by_length().get(length, ())
    if len(words) < _ENOUGH:
        return "".join(pick(ascii_lowercase, share) for share in shares[:length])
    at = int(shares[0] * len(words))
    return words[at] if words[at] != unlike else words[(at + 1) % len(words)]
