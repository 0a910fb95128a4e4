"""Missing answers of a run: how many, for which reasons."""

from collections.abc import Iterator

from scrutiny.store.coded import counts_of, is_value
from scrutiny.store.run_folder import RunFolder


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
