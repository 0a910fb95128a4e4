"""From a plan to a finished run.

::

    plan_file    TOML and JSON to a Plan, with near names for typos
    resolve      a Plan with its data, models, diagnostics and designs looked up
    tasks        the shards of work, in plan order
    context      what a diagnostic may use while it measures
    perform      one task, wherever it runs
    desk         answers and memos: SQLite in the driver, a pipe in a worker
    executors    serial, processes, Ray
    driver       prepare, measure, estimate, claim; resumable at any point
    estimating   estimates and findings of the records of a run
    audit        the plan of everything that applies
"""
