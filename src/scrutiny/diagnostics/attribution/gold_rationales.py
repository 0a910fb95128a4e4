"""Places that a label is known to rest on: what people marked, or what they changed to flip it.

An item with spans whose label begins with ``evidence`` has its own. Of a suite whose cases have
other right answers than the items that they were made of, as a contrast set has, it is the words in
which both differ, on both sides.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from scrutiny.core.example import EVIDENCE, Example
from scrutiny.diagnostics.attribution.read_texts import ReadText
from scrutiny.text.tokens import token_spans

#: A field of an item, and code points in it, end excluded.
Place = tuple[str, int, int]


def gold_places(examples: Sequence[Example]) -> dict[str, set[Place]]:
    """Places by the name of the item, of all that have some."""
    found: dict[str, set[Place]] = {}
    by_id = {one.id: one for one in examples}
    for one in examples:
        marked = {(s.field, s.start, s.end) for s in one.spans if s.label.startswith(EVIDENCE)}
        if marked:
            found[one.id] = marked
        base = by_id.get(one.case.of) if one.case else None
        if base is None or None in {one.gold, base.gold} or one.gold == base.gold:
            continue
        for item, place in _changed(base, one):
            if not any(s.label.startswith(EVIDENCE) for s in item.spans):
                found.setdefault(item.id, set()).add(place)
    return found


def _changed(base: Example, case: Example) -> Iterator[tuple[Example, Place]]:
    """Words in which an item and its case differ, each with the item that they stand in."""
    for field in base.fields.keys() & case.fields.keys():
        texts = base.fields[field], case.fields[field]
        places = [token_spans(text) for text in texts]
        before, after = (
            [text[start:end] for start, end in own] for text, own in zip(texts, places, strict=True)
        )
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        for kind, start, end, of_case, to_case in matcher.get_opcodes():
            if kind != "equal":
                yield from ((base, (field, *at)) for at in places[0][start:end])
                yield from ((case, (field, *at)) for at in places[1][of_case:to_case])


def rationale_of(text: ReadText, places: Mapping[str, set[Place]]) -> set[int]:
    """Words of a text that stand in one of its places, at least in part."""
    own = places.get(text.example.id, ())
    return {
        i
        for i, word in enumerate(text.words)
        if any(
            field == word.field and start < word.end and word.start < end
            for field, start, end in own
        )
    }
