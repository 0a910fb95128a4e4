"""Cases of a run: an item, its change, the answers to both, and the changed words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from scrutiny.blocks.scored_texts import ScoredText
from scrutiny.core.answers.answer import PartDifference
from scrutiny.core.edit import Edit
from scrutiny.stats.agreement.flips import FlipCounts
from scrutiny.text.edits import apply_to_text


class SearchedText(NamedTuple):
    """Text that a search found for one replicate of a model, or a case that it failed.

    ``before`` and ``after`` are the answers to the item and to the text; ``is_success`` says
    whether the search reached its goal. ``role`` is ``control`` for random change, and ``facts``
    is what else is known of it. ``name`` tells several texts of one item apart, ``right`` is the
    right answer to the text, where it is another one than the item's, and ``capability`` that of a
    suite's test.
    """

    model: str
    replicate: str | None
    dataset: str
    item: str
    change: str
    draw: int
    edits: Sequence[Sequence[Any]]
    before: str | None
    after: str | None
    is_success: bool = True
    role: str = "measured"
    facts: Mapping[str, float] = MappingProxyType({})
    name: str = ""
    right: str = ""
    capability: str = ""


#: What a change did to an answer: right to wrong, wrong to right, or neither that is known; or that
#: a case of a suite is not as expected.
Turn = Literal["broken", "failed", "fixed", "changed"]


@dataclass(frozen=True, slots=True)
class ReplicateAnswers:
    """Answers of one replicate before and after the change."""

    replicate: str
    before: str
    after: str

    @property
    def is_flipped(self) -> bool:
        """Whether the answer changed."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """An example item of a verdict: its text, the change, the answers of all replicates.

    Parameters
    ----------
    item, dataset, variant
        Identity of the item and of its variant.
    source
        ``file:line`` the item came from.
    gold
        The gold answer in words.
    fields
        Texts before the change, by field.
    edits
        What was changed: code-point offsets of the texts before.
    answers
        One for each replicate.
    turned
        Whether more replicates were right before the change, or after it; None if nobody can tell.
    note
        What else there is to say of it.
    cost
        What the change costs its score, where an answer is more than right or wrong.
    explained
        The changed text with the words that the answer to it hangs on; None if nobody asked.
    """

    item: str
    dataset: str
    variant: str
    source: str
    gold: str
    fields: Mapping[str, str]
    edits: tuple[Edit, ...]
    answers: tuple[ReplicateAnswers, ...]
    turned: Turn | None = None
    note: str = ""
    cost: float | None = None
    explained: ScoredText | None = None

    @property
    def points(self) -> str:
        """Cost of the change in score, in words: "costs 12.1 points"."""
        if not self.cost:
            return ""
        return f"{'costs' if self.cost > 0 else 'gains'} {100 * abs(self.cost):.1f} points"

    @property
    def turn(self) -> Turn:
        """Outcome of the case in a word; "changed" if no more is known."""
        return self.turned or "changed"

    @property
    def n_flipped(self) -> int:
        """Number of replicates in which the answer changed."""
        return sum(answer.is_flipped for answer in self.answers)

    @property
    def told(self) -> ReplicateAnswers:
        """Answers of the first replicate that changed its own; of the first if none did."""
        return next((one for one in self.answers if one.is_flipped), self.answers[0])

    def edits_of(self, name: str) -> list[Edit]:
        """Edits of one of the texts, as the case shows them."""
        return [edit for edit in self.edits if edit.field == name]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Example items of one claim.

    Parameters
    ----------
    cases
        Some of the items; of those that are broken and those that are fixed, the clearest first.
    flips
        How many items changed their answer in how many replicates.
    n_cases
        Items whose answer changed in any replicate.
    n_turned
        How many of them are broken, fixed, or changed in a way that nobody can judge.
    """

    cases: tuple[EvidenceItem, ...] = ()
    flips: FlipCounts | None = None
    n_cases: int = 0
    n_turned: Mapping[Turn, int] = field(default_factory=dict)


_MOST_PARTS: Final = 3


def parts_in_words(
    parts: Sequence[PartDifference], side: Literal["before", "after", "right"]
) -> str:
    """Differing parts of two answers as one side gives them: the first, and how many more.

    Examples
    --------
    >>> parts_in_words([PartDifference("it", "obj of sold", "obj of She", "obj of sold")], "after")
    'it obj of She'
    """
    shown = [f"{part.part} {getattr(part, side)}" for part in parts[:_MOST_PARTS]]
    shown += [f"{len(parts) - _MOST_PARTS} more"] * (len(parts) > _MOST_PARTS)
    return "; ".join(shown)


CONTEXT: Final = 160


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment of text: kept, removed or inserted; ``gap`` stands for omitted text."""

    kind: Literal["kept", "removed", "inserted", "gap"]
    text: str


_GAP: Final = Segment("gap", "\N{HORIZONTAL ELLIPSIS}")


def stretches(text: str, edits: Sequence[Edit], *, context: int = CONTEXT) -> list[Segment]:
    """Return a text with its changes, in reading order.

    Kept text farther than ``context`` code points from every change is replaced by a gap. Edits
    that do not fit the text, which a damaged file may hold, are left out.

    Examples
    --------
    >>> [(s.kind, s.text) for s in stretches("a bed", [Edit("text", 2, 5, "cot")])]
    [('kept', 'a '), ('removed', 'bed'), ('inserted', 'cot')]
    """
    found: list[Segment] = []
    position = 0
    fitting = [e for e in sorted(edits, key=lambda e: (e.start, e.end)) if e.end <= len(text)]
    for i, edit in enumerate(fitting):
        if edit.start < position:
            continue
        before = text[position : edit.start]
        found += _kept(before, context=context, starts=i == 0, ends=False)
        if old := text[edit.start : edit.end]:
            found.append(Segment("removed", visible(old)))
        if edit.text:
            found.append(Segment("inserted", visible(edit.text)))
        position = edit.end
    found += _kept(text[position:], context=context, starts=not fitting, ends=True)
    return found


def first_stretches(whole: Sequence[Segment], most: int) -> list[Segment]:
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
    found = []
    for start, end, own in groups:
        moved = [e._replace(start=e.start - start, end=e.end - start) for e in own]
        found.append((text[start:end], apply_to_text(text[start:end], moved)))
    return found


def visible(text: str) -> str:
    """Text with invisible characters spelled out, so that changes can be seen.

    Examples
    --------
    >>> visible(f"a{chr(0x200B)}b")
    'a⟨U+200B⟩b'
    """
    return "".join(c if c.isprintable() or c == "\n" else f"⟨U+{ord(c):04X}⟩" for c in text)


def _kept(text: str, *, context: int, starts: bool, ends: bool) -> Iterator[Segment]:
    """Text between changes, with its middle omitted if it is long."""
    if starts and ends:
        yield Segment("kept", text[: 2 * context])
        if len(text) > 2 * context:
            yield _GAP
    elif len(text) > (context if starts or ends else 2 * context):
        if not starts:
            yield Segment("kept", text[:context])
        yield _GAP
        if not ends:
            yield Segment("kept", text[-context:])
    elif text:
        yield Segment("kept", text)
