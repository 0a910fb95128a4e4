"""Crossover of texts of one search, place by place."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.perturb.search.origin import Origin
from scrutiny.perturb.search.problem import Problem
from scrutiny.perturb.search.state import State

Locus = tuple[int, int, int]  # field, token, and code point of an insertion between tokens, or -1
Genes = Mapping[Locus, tuple[Edit, ...]]

T = TypeVar("T")

_ARTICLES = frozenset({"a", "an"})


def genes(state: State) -> dict[Locus, tuple[Edit, ...]]:
    """Edits of a text by the place that they change, in text order.

    An article that follows the sound of the word behind it belongs to that word.
    """
    origin = state.origin
    found: dict[Locus, tuple[Edit, ...]] = {}
    loci = [_locus_of(origin, edit) for edit in state.edits]
    known = set(loci)
    for locus, edit in zip(loci, state.edits, strict=True):
        field, token, at = locus
        following = (field, token + 1, -1)
        if at < 0 and following in known and _is_article(origin, edit, token):
            locus = following
        found[locus] = (*found.get(locus, ()), edit)
    return found


def _locus_of(origin: Origin, edit: Edit) -> Locus:
    """Place that an edit of the base changes."""
    touched = origin.touched(edit)
    if touched:
        return origin.numbers[edit.field], touched[0], -1
    return origin.numbers[edit.field], len(origin.document(edit.field).tokens), edit.start


def join(problem: Problem, parts: Genes) -> State | None:
    """Text with all these edits; `None` if they are incompatible or refused.

    Vetoes that compare a text with the one before it have nothing to say here.
    """
    edits = [edit for held in parts.values() for edit in held]
    try:
        state = State.of(problem.base.state.origin, edits)
    except EditRefusedError:
        return None
    return state if problem.space.admits(state) else None


def mixed(
    first: Genes, second: Genes, from_second: Sequence[bool]
) -> dict[Locus, tuple[Edit, ...]]:
    """Edits of one text at some places and of another at the others.

    Parameters
    ----------
    first, second
        Two texts by place.
    from_second
        For each place that either changes, in the order of the text: whether the second text says
        what stands there, be it nothing.
    """
    loci = sorted({*first, *second})
    chosen: dict[Locus, tuple[Edit, ...]] = {}
    for locus, is_second in zip(loci, from_second, strict=True):
        edits = (second if is_second else first).get(locus)
        if edits:
            chosen[locus] = edits
    return chosen


def chosen_parent(options: Sequence[T], weights: Sequence[float], share: float) -> T:
    """Parent of a crossing: the option whose part of the cumulative weights contains a number."""
    for option, weight in zip(options, weights, strict=True):
        share -= weight
        if share < 0:
            return option
    return next(o for o, w in zip(reversed(options), reversed(weights), strict=True) if w > 0)


def _is_article(origin: Origin, edit: Edit, token: int) -> bool:
    document = origin.document(edit.field)
    return (
        document.tokens[token] == (edit.start, edit.end)
        and document.words[token].lower() in _ARTICLES
        and edit.text.lower() in _ARTICLES
    )
