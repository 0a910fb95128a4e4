"""Runs: from a plan to a finished run folder.

::

    planning    TOML and JSON to a Plan; a Plan looked up: data, models, designs, estimates, claims
    asking      a model asked through the answer cache, at a pace; the same one as before
    training    models trained before anything is measured
    executing   one task, wherever it runs: serial, processes, Ray
    estimating  estimates, contrasts and verdicts of the records of a run
    comparing   two runs, logs or live models side by side
    importing   logs of other tools as runs
    driver      prepare, measure, estimate, claim; resumable at any point
    blocks      what a task gives: tables of variants, records, outputs
    costing     what a plan would cost, from a few items; what fits into a budget of time
    manifest    what ran, on what, with which versions
    opening     folders that take a run; whether all is done already
"""
