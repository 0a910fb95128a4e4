"""Generic parts of a report; they know no family of diagnostics.

::

    run      a finished run as plain values: a RunView, what differs between its estimates, its rows
    wording  names, digits that the interval decides, verdicts in words, lines of a terminal
    charts   charts as plain dicts, and the tables that say the same

A part is a module with a function ``part(view)`` that gives a `Part`, or nothing where the run
lacks the ingredients (replicates, conditions, margins), and ``PART``, which a line of the registry
names: its line may say what it needs. Parts on what one family measures stand in its folder.
"""
