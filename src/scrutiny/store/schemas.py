"""Schemas of the tables in a run folder; rows are in plan order."""

from typing import Final

import pyarrow as pa

ROW_GROUP: Final = 65_536

RECORDS: Final = pa.schema(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("subject", pa.string(), nullable=False),
        pa.field("reference", pa.string()),
        pa.field("replicate", pa.string()),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
        pa.field("item", pa.string(), nullable=False),
        pa.field("variant", pa.string()),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("values", pa.list_(pa.float64())),
    ]
)

VARIANTS: Final = pa.schema(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("item", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
        pa.field("control_of", pa.string()),
        pa.field("recipe", pa.string(), nullable=False),
        pa.field("draw", pa.int32(), nullable=False),
        pa.field("edits", pa.string(), nullable=False),
        pa.field("gold", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
    ]
)

OUTPUTS: Final = pa.schema(
    [
        pa.field("subject", pa.string(), nullable=False),
        pa.field("replicate", pa.string()),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),
        pa.field("item", pa.string(), nullable=False),
        pa.field("variant", pa.string()),
        pa.field("answer", pa.string()),
        pa.field("scores", pa.list_(pa.float32())),
        pa.field("said", pa.string()),
    ]
)

TIMINGS: Final = pa.schema(
    [
        pa.field("task", pa.string(), nullable=False),
        pa.field("seconds", pa.float64(), nullable=False),
        pa.field("model_seconds", pa.float64(), nullable=False),
        pa.field("asked", pa.int64(), nullable=False),
        pa.field("cached", pa.int64(), nullable=False),
        pa.field("failures", pa.list_(pa.string())),
        pa.field("requests", pa.int64(), nullable=False),
        pa.field("requests_again", pa.int64(), nullable=False),
        pa.field("tokens_in", pa.int64(), nullable=False),
        pa.field("tokens_out", pa.int64(), nullable=False),
        pa.field("cost", pa.float64()),
        pa.field("redirects", pa.list_(pa.list_(pa.string()))),  # address, and what answered
    ]
)

ESTIMATES: Final = pa.schema(
    [
        pa.field("diagnostic", pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),
        pa.field("subject", pa.string(), nullable=False),
        pa.field("reference", pa.string()),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("replicate", pa.string()),
        pa.field("role", pa.string(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),
        pa.field("group", pa.string(), nullable=False),
        pa.field("value", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("level", pa.float64(), nullable=False),
        pa.field("method", pa.string(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("n_units", pa.int64(), nullable=False),
        pa.field("planned", pa.int64(), nullable=False),
        pa.field("undefined", pa.int64(), nullable=False),
        pa.field("failed", pa.int64(), nullable=False),
        pa.field("skipped", pa.int64(), nullable=False),
        pa.field("refused", pa.int64(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("n_replicates", pa.int64(), nullable=False),
        pa.field("variance", pa.string(), nullable=False),
        pa.field("by_replicate", pa.string(), nullable=False),
        pa.field("across", pa.string(), nullable=False),
        pa.field("resample_id", pa.string(), nullable=False),
        pa.field("denominator", pa.float64()),
    ]
)
