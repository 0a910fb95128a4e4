"""Places of a text that a search may change, and the origin of its words in the base."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from scrutiny.core.edit import Borders, Edit
from scrutiny.core.languages import speaks
from scrutiny.core.transformation import Site
from scrutiny.perturb.engine.document import allowed_sites
from scrutiny.perturb.search.moves import Changeable, Move, Place, PlaceKey
from scrutiny.perturb.search.state import State

_Group = tuple[int, int, bool, tuple[tuple[int, Site], ...]]  # borders, whether a word, sites


def find_places(
    state: State, moves: Sequence[Move], field: str, *, is_full: bool
) -> Iterator[Place]:
    """Places of one field that may be changed, in text order.

    Parameters
    ----------
    state
        The text.
    moves
        What can change it.
    field
        Which field.
    is_full
        Whether no further word may be changed; one that was changed may be so again.
    """
    document = state.document(field)
    has_protected = bool(document.protected)
    edits = [edit for edit in state.edits if edit.field == field]
    trail = Trail(edits, state.origin.document(field).tokens) if edits else None
    for start, end, is_word, sites in _grouped(state, moves, field):
        if has_protected and document.is_protected(start, end):
            continue
        if trail is None:
            if not is_full:
                token = sites[0][1].token if is_word else -1
                yield Place(field, start, end, token, start, end, sites)
            continue
        source = trail.of_token(start, end) if is_word else trail.of_stretch(start, end)
        kept = sites
        if source.is_touched:
            kept = tuple([pair for pair in sites if not moves[pair[0]].may_change.is_once])
        if kept and (source.is_touched or not is_full):
            yield Place(field, source.start, source.end, source.token, start, end, kept)


def find_word(
    state: State, key: PlaceKey, places: Sequence[Place], *, is_full: bool
) -> tuple[Place | None, bool]:
    """Place of a word of the base in a text, found without looking at the others.

    For local moves and bases without annotations: a word that was not touched can be changed as it
    could be in the base.

    Parameters
    ----------
    state
        The text.
    key
        Which word.
    places
        Those of the base.
    is_full
        Whether no further word may be changed.

    Returns
    -------
    The place, or nothing if it may not be changed; and whether that is settled: where an edit is
    near, only `find_places` can tell. The tokens of its sites have the numbers of the base.
    """
    field, start, end, token = key
    if token < 0 or start >= end:
        return None, False
    gain = 0  # shift of the word
    for edit in state.edits:
        if edit.field != field or edit.start > end:
            continue
        if edit.end >= start:  # it touches the word or its boundary
            return None, False
        gain += len(edit.text) - edit.end + edit.start
    place = None if is_full else next((p for p in places if p[1] == start and p[:4] == key), None)
    if place is None or not gain:
        return place, True
    low, high = start + gain, end + gain
    sites = tuple([(number, Site(low, high, site.token)) for number, site in place.sites])
    return Place(field, start, end, token, low, high, sites), True


def _grouped(state: State, moves: Sequence[Move], field: str) -> list[_Group]:
    """Sites whose words may be changed, by boundaries and whether they are words, in order."""
    lists = _allowed(state, moves, field)
    first = lists[0]
    is_shared = bool(first) and all(sites == first for sites in lists[1:])
    are_words = is_shared and all(token >= 0 and start < end for start, end, token in first)
    # words in order, each at a place of its own
    if are_words and all(one[1] <= other[0] for one, other in pairwise(first)):
        numbers = range(len(moves))
        return [(s[0], s[1], True, tuple([(n, s) for n in numbers])) for s in first]
    found: dict[tuple[int, int, bool], list[tuple[int, Site]]] = {}
    for number, sites in enumerate(lists):
        for site in sites:
            start, end, token = site
            found.setdefault((start, end, token >= 0 and start < end), []).append((number, site))
    return [(*at, tuple(found[at])) for at in sorted(found)]


def _allowed(state: State, moves: Sequence[Move], field: str) -> list[list[Site]]:
    """For each move, its sites without the words that it may not change."""
    text = state.document(field).text
    found: list[list[Site]] = []
    seen: list[tuple[Changeable, Sequence[Site]]] = []
    for number, move in enumerate(moves):
        asked = move.may_change, _sites_of(state, number, move, field)
        if asked in seen:  # moves mostly share a rule, and often their sites
            found.append(found[seen.index(asked)])
        else:
            allows = asked[0].allows
            found.append(
                [s for s in asked[1] if s[2] < 0 or s[0] == s[1] or allows(text[s[0] : s[1]])]
            )
        seen.append(asked)
    return found


def _sites_of(state: State, number: int, move: Move, field: str) -> Sequence[Site]:
    """Sites of a move in one field of a text; cached with the text."""
    key = number, field
    kept = state.sites.get(key)
    if kept is not None and kept[0] is move:
        return kept[1]
    change, allowed, document = move.transformation, move.may_change.fields, state.document(field)
    found: Sequence[Site] = ()
    if (not allowed or field in allowed) and speaks(change.languages, document.language):
        found = allowed_sites(change.sites(document), document, move.where or change.where)
    state.sites[key] = move, found
    return found


class Source(NamedTuple):
    """Origin of a part of a changed text.

    Parameters
    ----------
    start, end
        Code points of the base: those of the word that it is, or was before it was changed.
    token
        That token of the base; -1 for what was inserted, and where no token was asked about.
    is_touched
        Whether an edit has changed it or brought it.
    """

    start: int
    end: int
    token: int
    is_touched: bool


class Trail:
    """Edits of one field of the base, and the positions of their texts afterwards.

    Examples
    --------
    >>> borders = [(0, 1), (2, 6), (7, 11)]  # a good film
    >>> trail = Trail([Edit("text", 2, 6, "bad")], borders)  # a bad film
    >>> trail.of_token(2, 5)
    Source(start=2, end=6, token=1, is_touched=True)
    >>> trail.of_token(6, 10)
    Source(start=7, end=11, token=2, is_touched=False)
    """

    __slots__ = ("_edits", "_gains", "_highs", "_lows", "_tokens")

    def __init__(self, edits: Sequence[Edit], tokens: Borders) -> None:
        self._edits = edits
        self._tokens = tokens
        self._lows: list[int] = []
        self._highs: list[int] = []
        self._gains = [0]
        for edit in edits:
            low = edit.start + self._gains[-1]
            self._lows.append(low)
            self._highs.append(low + len(edit.text))
            self._gains.append(self._gains[-1] + len(edit.text) - edit.end + edit.start)

    def of_token(self, start: int, end: int) -> Source:
        """Origin of a token of the changed text."""
        first = bisect_right(self._highs, start)
        if first < bisect_left(self._lows, end):  # edits reach into it
            edit, placed = self._edits[first], self._lows[first]
            is_within = placed <= start and end <= self._highs[first]
            if edit.start == edit.end and is_within and not self._is_inside(edit.start):
                return Source(edit.start, edit.end, -1, is_touched=True)
            token = self._token_at(start - self._gains[first] if start < placed else edit.start)
            low, high = self._tokens[token] if token >= 0 else (edit.start, edit.end)
            return Source(low, high, token, is_touched=True)
        low, high = start - self._gains[first], end - self._gains[first]
        token = self._token_at(low)
        if self._is_inside(low) or self._is_inside(high):
            return Source(*self._tokens[token], token, is_touched=True)
        return Source(low, high, token, is_touched=False)

    def of_stretch(self, start: int, end: int) -> Source:
        """Origin of a part of the changed text that is not a token, possibly empty."""
        low, high = self.place(start), self.place(end)
        is_touched = any(
            (a < end and b > start) or (e.start == e.end == low == high)
            for e, a, b in zip(self._edits, self._lows, self._highs, strict=True)
        )
        return Source(low, high, -1, is_touched=is_touched)

    def place(self, at: int) -> int:
        """Code point of the base from which a position of the changed text comes."""
        number = bisect_right(self._highs, at)
        if number < len(self._edits) and self._lows[number] < at:
            return self._edits[number].start
        return at - self._gains[number]

    def _token_at(self, place: int) -> int:
        """Token of the base that covers a code point, or begins next; -1 after the last."""
        at = bisect_right(self._tokens, place, key=itemgetter(1))
        return at if at < len(self._tokens) else -1

    def _is_inside(self, place: int) -> bool:
        """Whether a boundary of the base is strictly inside a token."""
        at = bisect_right(self._tokens, place, key=itemgetter(1))
        return at < len(self._tokens) and self._tokens[at][0] < place
