"""Data sets whose items are frozen, and whether they read as they did.

    python tools/golden_items.py check [PART ...]     read those whose data string holds a part
    python tools/golden_items.py freeze [PART ...]    freeze anew: in a commit that says why

``tests/golden/items.json`` has a line for each data string: the task, how many rows read and how
many do not, and a digest of all that every item keeps; or that it is refused. ``DATA`` in a data
string is the folder of ``SCRUTINY_DATA``; without one, only our own samples are read.
"""

import json
import os
import sys
from hashlib import blake2b
from pathlib import Path

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.data.dataset import load_dataset

PLACE = Path(__file__).parents[1] / "tests" / "golden" / "items.json"
REFUSED = "refused"


def digest(source: str) -> str:
    """Task, numbers of items and of bad rows, and a digest of the items; or that it is refused."""
    try:
        data = load_dataset(source.replace("DATA", os.environ.get("SCRUTINY_DATA", "")))
    except DataError:
        return REFUSED
    found = blake2b(digest_size=16)
    for example in data.examples:
        found.update(repr(kept(example)).encode("utf-8", "surrogatepass"))
    return f"{data.task} {len(data)} {len(data.bad_rows)} {found.hexdigest()}"


def kept(example: Example) -> tuple[object, ...]:
    """All that an item keeps but the place that it came from, in one order."""
    tokens = sorted((example.tokens or {}).items())
    attributes = sorted(example.attributes.items())
    fields = tuple(example.fields.items())
    return (example.id, fields, example.gold, example.spans, tokens, attributes, example.language)


def main() -> int:
    """Check or freeze the data strings that hold one of the parts; all without any."""
    what, *parts = sys.argv[1:] or [""]
    if what not in ("check", "freeze"):
        raise SystemExit(__doc__)
    frozen = json.loads(PLACE.read_text(encoding="utf-8"))
    has_data = bool(os.environ.get("SCRUTINY_DATA"))
    asked = [s for s in frozen if not parts or any(part in s for part in parts)]
    now = {s: digest(s) for s in asked if has_data or "DATA" not in s}
    differs = [source for source, found in now.items() if found != frozen[source]]
    for source in differs:
        print(f"{source}\n  was {frozen[source]}\n  is  {now[source]}")
    print(f"{len(now):,} of {len(frozen):,} data sets read, {len(differs)} differ")
    if what == "freeze":
        lines = json.dumps(frozen | now, indent=1, ensure_ascii=False) + "\n"
        PLACE.write_text(lines, encoding="utf-8")
        return 0
    return bool(differs)


if __name__ == "__main__":
    sys.exit(main())
