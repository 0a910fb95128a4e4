"""A finished run as plain values: which estimates belong together, references, rows, risks."""
