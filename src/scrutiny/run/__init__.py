"""From a plan to a finished run.

::

    plan_file       TOML and JSON to a Plan, with near names for typos
    resolve         a Plan looked up: data, models, diagnostics, designs, estimates, claims
    resolved        what that gives; it travels to workers
    loading         model strings and objects to models
    params          parameters of diagnostics, checked by their declared types
    assignment      what is to be computed from the records; kept in the manifest
    specs           estimates and claims of the designs, under full names
    plan_estimates  the plan's own estimates and contrasts
    plan_claims     the plan's own claims, with the estimates that they name
    tasks           the shards of work, in plan order
    context         what a diagnostic may use while it measures
    asking          a model asked through the answer cache
    blocks          what a task gives: tables of variants, records, outputs
    perform         one task, wherever it runs
    desk            answers and memos: SQLite in the driver, a pipe in a worker
    executors       serial, processes, Ray
    settled         whether a run is done already, with its files as it left them
    driver          prepare, measure, estimate, claim; resumable at any point
    estimating      estimates and findings of the records of a run
    contrasts       differences of two specifications, within a run or between two
    comparing       two runs, logs or live models side by side
    importing       logs of other tools as runs
    train_nodes     the nodes [[train]] of a plan; train_params: their parameters
    training        models trained before anything is measured
    judging         a finished run judged by rules
    audit           the plan of everything that applies
    checking        what a plan would cost
"""
