"""Changes of a text, as segments before and after."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal

from scrutiny.core.edit import Edit
from scrutiny.text.edits.apply import apply_to_text

CONTEXT: Final = 160


@dataclass(frozen=True, slots=True)
class Stretch:
    """A segment of text: kept, removed or inserted; ``gap`` stands for omitted text."""

    kind: Literal["kept", "removed", "inserted", "gap"]
    text: str


_GAP: Final = Stretch("gap", "\N{HORIZONTAL ELLIPSIS}")


def stretches(text: str, edits: Sequence[Edit], *, context: int = CONTEXT) -> list[Stretch]:
    """Return a text with its changes, in reading order.

    Kept text farther than ``context`` code points from every change is replaced by a gap. Edits
    that do not fit the text, which a damaged file may hold, are left out.

    Examples
    --------
    >>> [(s.kind, s.text) for s in stretches("a bed", [Edit("text", 2, 5, "cot")])]
    [('kept', 'a '), ('removed', 'bed'), ('inserted', 'cot')]
    """
    found: list[Stretch] = []
    position = 0
    fitting = [e for e in sorted(edits, key=lambda e: (e.start, e.end)) if e.end <= len(text)]
    for i, edit in enumerate(fitting):
        if edit.start < position:
            continue
        before = text[position : edit.start]
        found += _kept(before, context=context, starts=i == 0, ends=False)
        found += _changed(text[edit.start : edit.end], edit.text)
        position = edit.end
    found += _kept(text[position:], context=context, starts=not fitting, ends=True)
    return found


def first_stretches(whole: Sequence[Stretch], most: int) -> list[Stretch]:
    """First stretches of a text, of about so many code points in all, and a gap for the rest.

    Examples
    --------
    >>> [s.text for s in first_stretches(stretches("a bed", [Edit("text", 2, 5, "cot")]), 4)]
    ['a ', 'bed', '…']
    """
    sizes = accumulate(len(one.text) for one in whole)
    n = 1 + sum(size < most for size in sizes)
    return [*whole[:n], *([_GAP] if n < len(whole) else [])]


def changed_words(text: str, edits: Sequence[Edit]) -> list[tuple[str, str]]:
    """Whole words that edits touch, as the report says them: before and after, left to right.

    Examples
    --------
    >>> changed_words("a fine film", [Edit("text", 3, 4, ""), Edit("text", 11, 11, "s")])
    [('fine', 'fne'), ('film', 'films')]
    """
    groups: list[tuple[int, int, list[Edit]]] = []
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        start, end = edit.start, edit.end
        while text[max(0, start - 1) : start].isalnum():
            start -= 1
        while text[end : end + 1].isalnum():
            end += 1
        own = [edit]
        if groups and start < groups[-1][1]:  # of one word
            start, _, earlier = groups.pop()
            own = [*earlier, edit]
        groups.append((start, end, own))
    return [(text[a:b], _within(text, a, b, own)) for a, b, own in groups]


def _within(text: str, start: int, end: int, edits: Sequence[Edit]) -> str:
    """Result of the edits in a part of the text."""
    moved = [e._replace(start=e.start - start, end=e.end - start) for e in edits]
    return apply_to_text(text[start:end], moved)


def _changed(old: str, new: str) -> Iterator[Stretch]:
    if old:
        yield Stretch("removed", visible(old))
    if new:
        yield Stretch("inserted", visible(new))


def visible(text: str) -> str:
    """Text with invisible characters spelled out, so that changes can be seen.

    Examples
    --------
    >>> visible(f"a{chr(0x200B)}b")
    'a⟨U+200B⟩b'
    """
    return "".join(c if c.isprintable() or c == "\n" else f"⟨U+{ord(c):04X}⟩" for c in text)


def _kept(text: str, *, context: int, starts: bool, ends: bool) -> Iterator[Stretch]:
    """Text between changes, with its middle omitted if it is long."""
    if starts and ends:
        yield Stretch("kept", text[: 2 * context])
        if len(text) > 2 * context:
            yield _GAP
    elif len(text) <= (context if starts or ends else 2 * context):
        if text:
            yield Stretch("kept", text)
    elif starts:
        yield _GAP
        yield Stretch("kept", text[-context:])
    elif ends:
        yield Stretch("kept", text[:context])
        yield _GAP
    else:
        yield Stretch("kept", text[:context])
        yield _GAP
        yield Stretch("kept", text[-context:])
