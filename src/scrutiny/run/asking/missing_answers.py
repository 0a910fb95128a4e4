"""Missing answers: how many, for which reasons, and those asked for again after an outage.

A shard whose texts met an outage is done, so that the run ends and its numbers stand; what it lacks
is kept beside its tables in the journal. The same command later does such shards once more: their
replies are in the cache of answers, and only what is missing is sent. Without that cache all of
their texts would be paid for again, so they stay as they are.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa

from scrutiny.core.errors import RunIncompleteError
from scrutiny.core.queries.remote import NO_ANSWER, Spent
from scrutiny.store.arrow import combined
from scrutiny.store.database import Block, Journal
from scrutiny.store.run_folder import RunFolder


@dataclass(slots=True)
class Tally:
    """Counts of queries and cache hits so far, and what was sent to an endpoint.

    ``failures`` are messages of the first missing answers; ``unanswered`` counts the texts without
    a reply of an endpoint, None of a model that is none; ``redirects`` are of it (`RemoteModel`).
    """

    asked: int = 0
    cached: int = 0
    model_seconds: float = 0.0
    failures: list[str] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    unanswered: int | None = None
    redirects: Mapping[str, str] = field(default_factory=dict)


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


def asked_again_in_words(lacking: Mapping[str, int]) -> str:
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


_COLUMNS: Final = ("subject", "dataset", "reason", "status")


def missing_answers(folder: RunFolder) -> Iterator[str]:
    """Sentence for each model and dataset with missing answers: how many, for which reasons."""
    records = _outcomes(folder)
    for (subject, dataset), counts in _failed(records).items():
        yield (
            f"{subject} failed on {sum(counts.values()):,} of the {records.total():,} rows of the "
            f"run ({_told(counts)}; {dataset}); they count as failed, not as wrong."
        )


def must_have_answered(folder: RunFolder) -> None:
    """Raise if a model has answered nothing that it was asked: such a run tells nothing of it.

    Raises
    ------
    RunIncompleteError
        With how many rows failed, and the first reason.
    """
    records = _outcomes(folder)
    failed = _failed(records)
    if not failed:
        return
    said = folder.manifest.get("failures", ())
    first = f" The first failure said: {said[0].rstrip('.')}." if said else ""
    answered = {subject for subject, _, _, status in records if status == "ok"}
    for (subject, dataset), counts in failed.items():
        if subject not in answered:
            mend = (
                "Once it replies, issue the same command again: it asks these texts once more"
                if counts.keys() <= NO_ANSWER
                else "Fix the model or the data, then run it again in another folder (--out); "
                f"{folder.path} holds the failed rows"
            )
            raise RunIncompleteError(
                f"{subject} has answered nothing that it was asked on {dataset}: all "
                f"{sum(counts.values()):,} rows failed ({_told(counts)}), so nothing is known of "
                f"it.{first} {mend}."
            )


def _outcomes(folder: RunFolder) -> Counter[tuple[str, str, str, str]]:
    """Number of records by subject, dataset, reason and status, by first appearance."""
    found: Counter[Any] = Counter()
    for part in folder.groups("records", _COLUMNS):
        kinds, codes = combined(part, _COLUMNS)
        found.update(dict(zip(kinds, np.bincount(codes).tolist(), strict=True)))
    return found


def _failed(
    records: Counter[tuple[str, str, str, str]],
) -> dict[tuple[str, str], dict[str, int]]:
    """Number of failed rows by reason, for each model and dataset that has some."""
    reasons: dict[tuple[str, str], dict[str, int]] = {}
    for (subject, dataset, reason, status), count in records.items():
        if status == "failed":
            reasons.setdefault((subject, dataset), {})[reason] = count
    return reasons


def _told(counts: dict[str, int]) -> str:
    """Numbers of failed rows by reason, in words."""
    return ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
