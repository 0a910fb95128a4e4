"""Missing answers of a run: how many for which reason, and three of them; what was sent for all."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scrutiny.store.coded import counts_of, is_value
from scrutiny.store.run_folder import RunFolder

_SHOWN: Final = 3
_SENT: Final = ("requests", "requests_again", "tokens_in", "tokens_out")


def missing_answers(folder: RunFolder) -> Iterator[str]:
    """Sentence for each model and dataset with missing answers: how many, for which reasons."""
    columns = ["subject", "dataset", "reason"]
    records = folder.coded("records", [*columns, "status"])
    reasons: dict[tuple[str, str], dict[str, int]] = {}
    for row in counts_of(records, is_value(records["status"], "failed"), columns):
        own = reasons.setdefault((row["subject"], row["dataset"]), {})
        own[row["reason"]] = row["count"]
    for (subject, dataset), counts in reasons.items():
        told = ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
        yield (
            f"{subject} failed on {sum(counts.values()):,} of the {records.num_rows:,} rows of the "
            f"run ({told}; {dataset}); they count as failed, not as wrong."
        )


def said_of_failures(folder: RunFolder) -> list[str]:
    """What was said of the first missing answers; it may quote texts of the data."""
    told = folder.table("timings")["failures"].to_pylist()
    return [*dict.fromkeys(message for own in told for message in own or ())][:_SHOWN]


def sent(folder: RunFolder) -> dict[str, Any]:
    """Sums of what the run sent to endpoints; empty if it sent nothing.

    Requests of shards that a kill has interrupted are not among them.
    """
    table = folder.table("timings")
    sums = {name: sum(table[name].to_pylist()) for name in _SENT}
    costs = [cost for cost in table["cost"].to_pylist() if cost is not None]
    return {**sums, "cost": sum(costs) if costs else None} if sums["requests"] else {}


def sent_in_words(sums: Mapping[str, Any]) -> str:
    """Sentence about what was sent.

    Examples
    --------
    >>> sent_in_words(
    ...     {"requests": 1200, "requests_again": 8, "tokens_in": 9000, "tokens_out": 0, "cost": 1.5}
    ... )
    'Sent 1,200 requests (8 of them again), 9,000 tokens read and 0 written; cost: 1.50.'
    """
    again = f" ({sums['requests_again']:,} of them again)" if sums["requests_again"] else ""
    cost = "" if sums["cost"] is None else f"; cost: {sums['cost']:,.2f}"
    return (
        f"Sent {sums['requests']:,} requests{again}, {sums['tokens_in']:,} tokens read and "
        f"{sums['tokens_out']:,} written{cost}."
    )
