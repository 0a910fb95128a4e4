"""Reports of a finished run.

::

    reading   a run folder as plain values: load_view(path) gives a RunView; raw measures when asked
    parts     which registered parts a run has what it takes for
    table     which findings can be reported, by one rule; what stands under every report
    formats   one file (HTML), Markdown, LaTeX, CSV, NDJSON, what a notebook shows
    terminal  the table in 80 columns

What parts are made of stands in `scrutiny.parts`. Nothing here knows a diagnostic: estimates carry
their identity, claims come as findings, parts of a family are found in the registry.
"""
