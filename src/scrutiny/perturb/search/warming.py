"""Batched queries of transformations with models of their own, over many searches."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scrutiny.core.transformation import AsksAhead, Site
from scrutiny.perturb.engine.batch import ask_ahead
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.search.move import Move, Place
from scrutiny.perturb.search.state import State


class Needed(NamedTuple):
    """Announcement of a method: the texts and places whose candidates it needs."""

    pairs: tuple[tuple[State, tuple[Place, ...]], ...]


def warm(moves: Sequence[Move], needs: Iterable[Needed]) -> None:
    """Let every move query in a batch what many searches need next.

    What comes out is the same without: only the batches differ. Where it fails for no fault of the
    user's, every search asks by itself afterwards, and fails by itself.
    """
    pairs = [pair for need in needs for pair in need.pairs]
    for number, move in enumerate(moves):
        if not isinstance(move.transformation, AsksAhead):
            continue
        held = [entry for pair in pairs for entry in _sites_of(pair, number)]
        if held:
            documents, sites = zip(*held, strict=True)
            ask_ahead(move.transformation, documents, sites)


def _sites_of(
    pair: tuple[State, tuple[Place, ...]], number: int
) -> list[tuple[TextDocument, list[Site]]]:
    """Documents of a text with the sites of a move at its places."""
    state, places = pair
    by_field: dict[str, list[Site]] = {}
    for place in places:
        sites = [site for at, site in place.sites if at == number]
        if sites:
            by_field.setdefault(place.field, []).extend(sites)
    return [(state.document(field), sites) for field, sites in by_field.items()]
