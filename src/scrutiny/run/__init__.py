"""Runs: from a plan to a finished run folder.

::

    planning    TOML and JSON to a Plan; a Plan looked up: data, models, designs, estimates, claims
    asking      model clients with answer cache, batch pacing, and identity checks at a resume
    training    models trained before anything is measured
    executing   execution of tasks: serial, processes, Ray
    estimating  estimates, contrasts and verdicts of the records of a run
    comparing   two runs, logs or live models side by side
    importing   logs of other tools as runs
    driver      prepare, measure, estimate, decide; resumable at any point
    budgeting   estimated cost of a plan, from a few items; plans cut to a time budget
    manifest    what ran, on what, with which versions
    opening     run folders: identity, lock, and whether the run is finished
"""
