"""Cases that a model failed, kept to be read: both texts, and the answers to them.

Each shard keeps them as JSON in an array of bytes named ``failing``.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.diagnostic import Cell
from scrutiny.core.example import Example
from scrutiny.core.suites.case import Case
from scrutiny.core.suites.expectation import Asked
from scrutiny.diagnostics.suites.expectations import parse_expectation
from scrutiny.parts.run.view import Found
from scrutiny.store.edits import edits_of
from scrutiny.text.edits.apply import edits_between

FAILING: Final = "failing"


def failing(
    case: Case, asked: Asked, base: Asked | None, *, cell: Cell, labels: tuple[str, ...]
) -> Found:
    """A failed case: what was changed, and what was said before and after.

    Of a text of its own, what was expected stands for what was said before.
    """
    expected = parse_expectation(case.expect)
    right = expected.wanted(asked.example)
    return Found(
        model=cell.subject,
        replicate=cell.replicate,
        dataset=cell.dataset,
        item=(base or asked).example.id,
        change=case.test,
        draw=0,
        edits=()
        if base is None
        else [edit[:4] for edit in _edits(case, base.example, asked.example)],
        before=f"{right} expected" if base is None else expected.told(base, labels),
        after=expected.told(asked, labels),
        name=asked.example.id,
        right=right,
    )


def _edits(case: Case, base: Example, changed: Example) -> Sequence[Sequence[Any]]:
    """Edits that made a case, as stated, or those that differ in whole words."""
    if case.edits:
        return edits_of([case.edits])[0]
    pairs = ((name, text, changed.fields.get(name, "")) for name, text in base.fields.items())
    return [edit for pair in pairs for edit in edits_between(*pair)]


def pack(found: Sequence[Found]) -> NDArray[np.uint8]:
    """Failed cases as an array of bytes."""
    rows = [{**one._asdict(), "facts": dict(one.facts)} for one in found]
    return np.frombuffer(canonical_json(rows).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def failing_in(folder: Path) -> Iterator[Found]:
    """Failed cases of suites in a run folder, shard by shard in the order of their names."""
    for path in sorted((folder / "arrays").rglob(f"{FAILING}.npy")):
        data = np.load(path, allow_pickle=False).tobytes().decode("utf-8", "surrogatepass")
        yield from (Found(**row) for row in json.loads(data))
