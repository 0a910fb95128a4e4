"""What people see of a finished run.

::

    reading   a run folder as plain values: load_view(path) gives a RunView; raw measures when asked
    wording   names, digits that the interval decides, verdicts in signs, words and one sentence
    table     rows and sections of the audit table; which claims may be stated, by one rule
    charts    charts as plain dicts, and the tables that say the same
    parts     one file for each question on reliability; a list names them
    formats   one file (HTML), Markdown, LaTeX, CSV, NDJSON, what a notebook shows
    terminal  the table in 80 columns
    compare   the page of two runs side by side

Each room imports only those above it. Nothing here knows a diagnostic: estimates carry their
identity, claims come as findings.
"""
