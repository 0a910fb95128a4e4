"""Cases of a risk whose texts a search found: each item once, in the text that changes it least."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from scrutiny.core.claim import Finding
from scrutiny.core.edit import Edit
from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.parts.run.view import Answer, Evidence, EvidenceItem, Found
from scrutiny.parts.wording.labels import replicate_words
from scrutiny.report.parts import registered
from scrutiny.report.reading.evidence import MOST_CASES, Tables, item_rows
from scrutiny.report.reading.told import NO_ANSWER, brief_words


def evidence_found(finding: Finding, found: Sequence[Found], tables: Tables) -> Evidence | None:
    """Items that a search reached its goal on, those of most replicates first.

    None where the finding speaks of no search.
    """
    if finding.estimate is None:
        return None
    key = finding.estimate.key
    draw = key.condition.get("draw", 0)
    own = [
        one
        for one in found
        if (one.model, one.dataset, one.draw) == (key.subject, key.dataset, draw)
        and one.change in key.condition.values()
        and one.is_success
    ]
    by_item = list(grouped((one.name or one.item, one) for one in own).values())
    if not by_item:
        return None
    by_item.sort(key=lambda texts: (-len(texts), min(len(one.edits) for one in texts)))
    shown = by_item[:MOST_CASES]
    names = pa.chunked_array([[texts[0].item for texts in shown]])
    places = item_rows(names, key.dataset, tables.items).tolist()
    items = tables.at("items", places, ["gold", "source", "fields"])
    n_replicates = max(finding.estimate.n_replicates, 1)
    cases = tuple(
        _case(min(texts, key=lambda one: len(one.edits)), item, (len(texts), n_replicates))
        for texts, item in zip(shown, items, strict=True)
    )
    return Evidence(cases, None, len(by_item), {cases[0].turn: len(by_item)})


def _case(one: Found, item: Mapping[str, Any], fooled: tuple[int, int]) -> EvidenceItem:
    """The text of one replicate, with its answers."""
    before, after = one.before or NO_ANSWER, one.after or NO_ANSWER
    times, of = fooled
    return EvidenceItem(
        item=one.item,
        dataset=one.dataset,
        variant="",
        source=item["source"],
        gold=one.right or brief_words(item["gold"]),
        fields=json.loads(item["fields"]),
        edits=tuple(Edit(*edit[:4]) for edit in one.edits),
        answers=(Answer(replicate_words(one.replicate), before, after),),
        turned="failed" if one.name else "broken",  # as what is looked for
        note=_note(one, times, of),
    )


def _note(one: Found, times: int, of: int) -> str:
    """Note on a case: the answer that stayed, and how many of several replicates it fools."""
    still = f"still {one.after}" if one.before == one.after else ""
    said = f"{times} of {of} models"
    models = f"in {said}" if one.name else f"fools {said}, each by a text of its own"
    return "; ".join(filter(None, (still, models if of > 1 else "")))


def found_texts(folder: Path, estimates: Sequence[Estimate]) -> list[Found]:
    """Texts that searches of a run ended with, of all families, without those of controls."""
    return [one for one in searched_texts(folder, estimates) if one.role == "measured"]


def searched_texts(folder: Path, estimates: Sequence[Estimate]) -> Iterator[Found]:
    """Texts that searches of a run ended with, of all families, and those of random change."""
    for part in registered(estimates):
        yield from part.found_in(folder)
