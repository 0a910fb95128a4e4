"""Outages: texts to which an endpoint sent no reply, asked when the command is issued again.

A shard whose texts met an outage is done, so that the run ends and its numbers stand; what it lacks
is kept beside its tables in the journal. The same command later does such shards once more: their
replies are in the cache of answers, and only what is missing is sent. Without that cache all of
their texts would be paid for again, so they stay as they are.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import pyarrow as pa

from scrutiny.run.asking.client import Tally
from scrutiny.store.journal import Block, Journal
from scrutiny.store.run_folder import RunFolder

_NAME: Final = "unanswered"
_SENT: Final = ("requests", "requests_again", "tokens_in", "tokens_out")


def unanswered_table(tallies: Iterable[Tally]) -> dict[str, pa.Table]:
    """Table for the journal: how many texts of a shard have no reply; none without an endpoint."""
    counts = [tally.unanswered for tally in tallies if tally.unanswered is not None]
    return {_NAME: pa.table({_NAME: [sum(counts)]})} if counts else {}


def unanswered(journal: Journal, tasks: Iterable[str]) -> dict[str, int]:
    """Number of texts without a reply, by the identity of the finished task that lacks them."""
    found = {}
    for task in journal.done().intersection(tasks):
        table = journal.part(task, _NAME)
        if table is not None and (lacking := sum(table[_NAME].to_pylist())):
            found[task] = lacking
    return found


def in_words(lacking: Mapping[str, int]) -> str:
    """Sentence about answers that are asked for again."""
    count = sum(lacking.values())
    what = "1 answer is" if count == 1 else f"{count:,} answers are"
    return f"{what} missing because no reply came, and asked for again."


def with_earlier(journal: Journal, task: str, block: Block) -> Block:
    """Tables of a shard that was done once more: what was sent before counts, too."""
    before = journal.part(task, "timings")
    if before is None:
        return block
    old, (new,) = before.to_pylist()[0], block["timings"].to_pylist()
    for name in (*_SENT, "cost"):
        known = [one[name] for one in (old, new) if one[name] is not None]
        new[name] = sum(known) if known else None
    new["redirects"] = [*old["redirects"], *new["redirects"]]
    return {**block, "timings": pa.Table.from_pylist([new], schema=block["timings"].schema)}


def sent_in(folder: RunFolder) -> dict[str, Any]:
    """Sums of what the run sent to endpoints; empty if it sent nothing.

    Requests of shards that a kill has interrupted are not among them.
    """
    table = folder.table("timings")
    sums = {name: sum(table[name].to_pylist()) for name in _SENT}
    costs = [cost for cost in table["cost"].to_pylist() if cost is not None]
    return {**sums, "cost": sum(costs) if costs else None} if sums["requests"] else {}


def redirects_in(folder: RunFolder) -> dict[str, list[str]]:
    """Addresses of endpoints that have redirected in a run, each with those that answered."""
    found: dict[str, list[str]] = {}
    for pairs in folder.table("timings")["redirects"].to_pylist():
        for address, at in pairs or ():
            places = found.setdefault(address, [])
            places += [at] if at not in places else []
    return found
