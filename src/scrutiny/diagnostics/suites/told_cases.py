"""Cases of a suite, kept to be read: what was asked and answered, and whether it was as expected.

Each shard keeps them as JSON in an array of bytes named ``cases``.
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

CASES: Final = "cases"


def told(
    case: Case,
    sides: tuple[Asked, Asked | None],
    cell: Cell,
    labels: tuple[str, ...],
    *,
    failed: bool,
) -> Found:
    """A case with its answers: what was changed, and what was said before and after.

    Of a text of its own, what was expected stands for what was said before. A search for failures
    would have found those that failed.
    """
    asked, base = sides
    expected = parse_expectation(case.expect)
    right = expected.wanted(asked.example)
    before = f"{right} expected" if base is None else expected.told(base, labels)
    found = _unanswered(case, asked.example, None if base is None else base.example, cell=cell)
    return found._replace(
        before=before, after=expected.told(asked, labels), is_success=failed, right=right
    )


def unanswered(case: Case, asked: Example, base: Example | None, *, cell: Cell) -> Found:
    """A case to which, or to whose original, there is no answer that could be judged."""
    right = parse_expectation(case.expect).wanted(asked)
    return _unanswered(case, asked, base, cell=cell)._replace(right=right)


def _unanswered(case: Case, asked: Example, base: Example | None, *, cell: Cell) -> Found:
    edits = () if base is None else [edit[:4] for edit in _edits(case, base, asked)]
    return Found(
        model=cell.subject,
        replicate=cell.replicate,
        dataset=cell.dataset,
        item=(base or asked).id,
        change=case.test,
        draw=0,
        edits=edits,
        before=None,
        after=None,
        is_success=False,
        name=asked.id,
    )


def _edits(case: Case, base: Example, changed: Example) -> Sequence[Sequence[Any]]:
    """Edits that made a case, as stated, or those that differ in whole words."""
    if case.edits:
        return edits_of([case.edits])[0]
    pairs = ((name, text, changed.fields.get(name, "")) for name, text in base.fields.items())
    return [edit for pair in pairs for edit in edits_between(*pair)]


def pack(found: Sequence[Found]) -> NDArray[np.uint8]:
    """Cases as an array of bytes."""
    rows = [{**one._asdict(), "facts": dict(one.facts)} for one in found]
    return np.frombuffer(canonical_json(rows).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def cases_in(folder: Path) -> Iterator[Found]:
    """Cases of suites in a run folder, shard by shard in the order of their names."""
    for path in sorted((folder / "arrays").rglob(f"{CASES}.npy")):
        data = np.load(path, allow_pickle=False).tobytes().decode("utf-8", "surrogatepass")
        yield from (Found(**row) for row in json.loads(data))
