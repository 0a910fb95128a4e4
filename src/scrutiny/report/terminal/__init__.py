"""The report in a terminal of 80 columns."""
