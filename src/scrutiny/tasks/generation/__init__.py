"""Tasks whose answers are texts that a model writes, and their metrics."""
