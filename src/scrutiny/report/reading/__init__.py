"""Reading of a finished run: a run folder as plain values."""
