"""Planning: from a plan in TOML to resolved names and tasks.

::

    file           TOML and JSON to a Plan, with near names for typos
    audit          the plan of what a profile asks; profiles: which there are
    rerun          the plan of a finished run, for another model
    resolve        a Plan looked up: data, models, diagnostics, designs, estimates, claims
    resolved       what that gives; it travels to workers
    loading        model strings and objects to models; pairs: which stands beside which
    params         parameters of diagnostics, checked by their declared types
    specs          estimates and claims of the designs, under full names
    estimates      the plan's own estimates and contrasts
    claims         the plan's own claims, with the estimates that they name; what diagnostics
                   presuppose, added to a plan; checkpoints below their gates
    relations      how two estimates go together over replicates: [[relate]]
    published      printed figures beside the run's own: [[published]]; printed: their digits
    assignment     what is to be computed from the records; kept in the manifest
    slicing        estimates on a slice: items whose columns have certain values
    tasks          the shards of work, in plan order
    doubtful_data  what is wrong with the data
"""
