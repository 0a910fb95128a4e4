"""Clusters: mentions in a text, those of one cluster for the same person or thing."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from scrutiny.core.answers.answer import Agreement, AnswerType, PartDifference
from scrutiny.core.edit import EditRefusedError, Track
from scrutiny.core.example import Example, Span

Place = tuple[int, int]
_BY_WORDS: Final = "words"


class Clusters(NamedTuple):
    """Clusters of one text field, as `clusters_of` makes them.

    Parameters
    ----------
    field
        Name of the text field.
    clusters
        ``(start, end)`` of the mentions of each cluster in code points, end excluded; a mention
        that refers to what nothing else refers to is a cluster of its own.
    """

    field: str
    clusters: tuple[tuple[Place, ...], ...]

    @property
    def mentions(self) -> tuple[Place, ...]:
        """Places of all mentions."""
        return tuple([place for cluster in self.clusters for place in cluster])


def clusters_of(field: str, clusters: Iterable[Iterable[Place]]) -> Clusters:
    """Clusters in one order, so that equal partitions are equal answers.

    Examples
    --------
    >>> clusters_of("text", [[(9, 12)], [(4, 6), (0, 3)]])
    Clusters(field='text', clusters=(((0, 3), (4, 6)), ((9, 12),)))
    """
    found = [tuple(sorted(cluster)) for cluster in clusters]
    return Clusters(field, tuple(sorted(cluster for cluster in found if cluster)))


class ClustersType(AnswerType[Clusters]):
    """Partitions of mentions: who is meant where."""

    name = "clusters"
    holds = Clusters
    places = "mentions"
    merged = "merged_mentions"

    def fences(self, answer: Clusters) -> tuple[Span, ...]:
        """Each mention; mentions have no label."""
        return tuple([Span(answer.field, *place) for place in answer.mentions])

    def parts(self, answer: Clusters) -> tuple[Span, ...]:
        """Each mention."""
        return self.fences(answer)

    def spared(self, answer: Clusters) -> tuple[Span, ...]:
        """None: who is meant does not hang on how a word of a mention is written."""
        return ()

    def decode(self, value: Any) -> Clusters:
        """Clusters from their JSON."""
        field, clusters = value
        return clusters_of(field, [[(start, end) for start, end in c] for c in clusters])

    def given(self, value: Any, example: Example) -> Clusters:
        """Clusters of lists of mentions, which are pairs of code points, end excluded.

        ``{"words": ...}`` holds clusters by words: the first and the last one of each mention,
        counted from 0.
        """
        field = next(iter(example.fields))
        try:
            if isinstance(value, Mapping):
                borders = (example.tokens or {}).get(field, ())
                clusters = [
                    [(borders[_number(a)][0], borders[_number(b)][1]) for a, b in cluster]
                    for cluster in value[_BY_WORDS]
                ]
            else:
                clusters = [[(_number(a), _number(b)) for a, b in cluster] for cluster in value]
        except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
            raise TypeError(
                "an answer is a list of clusters, each a list of mentions (start, end) in code "
                'points; or {"words": clusters} with the first and the last word of each mention, '
                f"counted from 0 ({error!r})"
            ) from error
        return clusters_of(field, clusters)

    def check(self, answer: Clusters, example: Example) -> str | None:
        """Mentions outside of their text, and those that are there twice."""
        length = len(example.fields.get(answer.field, ""))
        seen: set[Place] = set()
        for start, end in answer.mentions:
            if not 0 <= start < end <= length:
                return (
                    f"has the mention {answer.field}[{start}:{end}], but {answer.field!r} is "
                    f"{length} code points long."
                )
            if (start, end) in seen:
                return f"has the mention {answer.field}[{start}:{end}] twice."
            seen.add((start, end))
        return None

    def agree(self, a: Clusters, b: Clusters) -> Agreement:
        """Number of mentions that both link to the same one before them, of all in either.

        A mention too many in a long cluster changes one link and not all that is in it.
        """
        ours, theirs = _linked(a), _linked(b)
        return Agreement(len(ours.items() & theirs.items()), len(ours.keys() | theirs.keys()))

    def right_parts(self, given: Clusters, right: Clusters) -> frozenset[Hashable]:
        """Mentions that both link to the same one before them, or to none."""
        return frozenset(_linked(given).items() & _linked(right).items())

    def differences(
        self, before: Clusters, after: Clusters, right: Clusters | None, track: Track, text: str
    ) -> Sequence[PartDifference]:
        """Mentions of the changed text that are linked to another one before them, or to none.

        Those that are linked in the right answer come first.
        """
        shown = track.texts[after.field]
        old, new = _linked(self.carry(before, track)), _linked(after)
        gold = None if right is None else _linked(self.carry(right, track))
        links = gold or {}
        return [
            PartDifference(
                f"{shown[slice(*place)]!r}",
                _link(old, place, shown),
                _link(new, place, shown),
                "" if gold is None else _link(gold, place, shown),
            )
            for place in sorted(old.keys() | new.keys(), key=lambda at: (not links.get(at), at))
            if (place in old, old.get(place)) != (place in new, new.get(place))
        ]

    def show(self, answer: Clusters, fields: Mapping[str, str]) -> str:
        """Words of the mentions of each cluster; those that stand alone are counted.

        Examples
        --------
        >>> answer = clusters_of("text", [[(0, 3), (14, 17)], [(8, 12)]])
        >>> CLUSTERS.show(answer, {"text": "Ida saw Rome; she left"})
        'Ida = she; 1 mention alone'
        """
        text = fields[answer.field]
        linked = [cluster for cluster in answer.clusters if len(cluster) > 1]
        said = [" = ".join(text[start:end] for start, end in cluster) for cluster in linked]
        if alone := len(answer.clusters) - len(linked):
            said.append(f"{alone} mention{'s' * (alone > 1)} alone")
        return "; ".join(said) or "no mentions"

    def brief(self, answer: Clusters) -> str:
        """Number of mentions and of clusters."""
        return f"{len(answer.mentions)} mentions in {len(answer.clusters)} clusters"

    def carry(self, answer: Clusters, track: Track) -> Clusters:
        """Clusters with each mention at its new place.

        No mention may go, unless the edits state that it does: whether the others still refer to
        the same without it, nobody else knows. A cluster that is left with one mention goes as
        well where the answer has none of one mention. Spans that edits bring beside mentions are
        mentions of clusters by their labels.

        Raises
        ------
        EditRefusedError
            ``crosses_span``, ``empties_span``: an edit crosses the border of a mention, or deletes
            one; ``replaced_mention``: an edit puts spans of its own in its place;
            ``merged_mentions``: two mentions have become one.
        """
        named = {f"cluster {number}": c for number, c in enumerate(answer.clusters, 1)}
        spans = [Span(answer.field, *place, name) for name, c in named.items() for place in c]
        if track.replaces(spans):
            raise EditRefusedError("replaced_mention", "an edit puts spans in a mention's place")
        found = track.spans(spans)
        if len({(span.start, span.end) for span in found}) < len(found):
            raise EditRefusedError(self.merged, "two mentions have become one")
        places: dict[str, list[Place]] = {}
        for span in found:
            places.setdefault(span.label, []).append((span.start, span.end))
        if all(len(cluster) > 1 for cluster in answer.clusters):
            places = {
                name: left for name, left in places.items() if len(left) > 1 or name not in named
            }
        return clusters_of(answer.field, places.values())


CLUSTERS = ClustersType()


def _number(value: Any) -> int:
    """A whole number, which is not negative.

    Raises
    ------
    ValueError
        For any other value.
    """
    if isinstance(value, bool) or value != int(value) or value < 0:
        raise ValueError(f"{value!r} is no place")
    return int(value)


def _linked(answer: Clusters) -> dict[Place, Place | None]:
    """Each mention with the one before it in its cluster; the first has none."""
    return {
        place: earlier
        for cluster in answer.clusters
        for place, earlier in zip(cluster, (None, *cluster[:-1]), strict=True)
    }


def _link(linked: Mapping[Place, Place | None], place: Place, text: str) -> str:
    """Links of a mention to others, in words."""
    if place not in linked:
        return "no mention"
    earlier = linked[place]
    return "new" if earlier is None else f"= {text[slice(*earlier)]!r}"
