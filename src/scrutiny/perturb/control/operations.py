"""Edits as operations: the kinds and amounts of change that a control must match.

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
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from scrutiny.core.edit import Edit
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.text.lexicon import zipf
from scrutiny.text.tokens import is_number

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
        is_between = _is_between(text, edit)
        return [Operation("words" if is_between and has_words else "letters", 0, new)]
    if tokens and not new:
        return [Operation("words", len(old), "", tokens, len(old) - len(old.strip()))]
    if tokens == 0 or not new.strip():
        return [Operation("letters", *_trimmed(old, new))]
    is_other_word = tokens == 1 and (zipf(new) > 0 or is_number(new))
    if is_other_word or not _is_near(old, new):
        return [Operation("words", len(old.strip()), new.strip(), tokens)]
    return _within(old, new)


def _has_words(text: str) -> bool:
    return text.isalnum() or any(map(str.isalnum, text))


def _is_between(text: str, edit: Edit) -> bool:
    """Whether an insertion is between tokens, not attached to a word."""
    before = text[edit.start - 1 : edit.start] if edit.start else ""
    after = text[edit.start : edit.start + 1]
    glued_left = before.isalnum() and edit.text[:1].isalnum()
    glued_right = after.isalnum() and edit.text[-1:].isalnum()
    return not (glued_left or glued_right or (before.isalnum() and after.isalnum()))


def _is_near(old: str, new: str) -> bool:
    return 2 * Levenshtein.distance(old.lower(), new.lower()) <= max(len(old), len(new))


def _trimmed(old: str, new: str) -> tuple[int, str]:
    """Code points deleted and text inserted, without the common prefix and suffix."""
    most = min(len(old), len(new))
    head = 0
    while head < most and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < most - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return len(old) - head - tail, new[head : len(new) - tail]


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
