"""What people see of a finished run.

::

    view      RunView: a run as plain values          load       load_view(path) of a run folder
    rows      lines of the audit table                sections   a run cut by diagnostic
    verdicts  signs, words, the opening sentence      numbers    digits that the interval decides
    trusted   which claims may be stated, by one rule records    raw measures, read when asked for
    parts     one file for each question on reliability; a list names them
    terminal, markdown, latex, delimited, ndjson      the table, for reading and for pasting
    html      one file; page, lines, charts, trust: what stands in it
    snippet   what a notebook shows

Nothing here knows a diagnostic: estimates carry their identity, claims come as findings.
"""
