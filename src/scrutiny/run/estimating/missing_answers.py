"""Missing answers of a run: how many, for which reasons."""

from collections.abc import Iterator
from typing import Final

import pyarrow as pa

from scrutiny.core.errors import RunIncompleteError
from scrutiny.core.queries.remote import NO_ANSWER
from scrutiny.store.coded import counts_of, is_value
from scrutiny.store.run_folder import RunFolder

_COLUMNS: Final = ("subject", "dataset", "reason")


def missing_answers(folder: RunFolder) -> Iterator[str]:
    """Sentence for each model and dataset with missing answers: how many, for which reasons."""
    records = folder.coded("records", [*_COLUMNS, "status"])
    for (subject, dataset), counts in _failed(records).items():
        yield (
            f"{subject} failed on {sum(counts.values()):,} of the {records.num_rows:,} rows of the "
            f"run ({_told(counts)}; {dataset}); they count as failed, not as wrong."
        )


def must_have_answered(folder: RunFolder) -> None:
    """Raise if a model has answered nothing that it was asked: such a run tells nothing of it.

    Raises
    ------
    RunIncompleteError
        With how many rows failed, and the first reason.
    """
    records = folder.coded("records", [*_COLUMNS, "status"])
    failed = _failed(records)
    if not failed:
        return
    said = folder.manifest.get("failures", ())
    first = f" The first failure said: {said[0].rstrip('.')}." if said else ""
    rows = counts_of(records, is_value(records["status"], "ok"), ["subject"])
    answered = {row["subject"] for row in rows}
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


def _failed(records: pa.Table) -> dict[tuple[str, str], dict[str, int]]:
    """Number of failed rows by reason, for each model and dataset that has some."""
    reasons: dict[tuple[str, str], dict[str, int]] = {}
    for row in counts_of(records, is_value(records["status"], "failed"), [*_COLUMNS]):
        own = reasons.setdefault((row["subject"], row["dataset"]), {})
        own[row["reason"]] = row["count"]
    return reasons


def _told(counts: dict[str, int]) -> str:
    """Numbers of failed rows by reason, in words."""
    return ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
