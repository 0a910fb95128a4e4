"""Planning: from a plan in TOML to resolved names and tasks.

::

    file           TOML and JSON to a Plan, with near names for typos
    audit          the plan of a profile; profiles: the profiles
    rerun          the plan of a finished run, for another model
    resolve        names of a Plan to data, models, diagnostics, designs, estimates, claims
    resolved       the resolved plan, which is sent to workers
    loading        model strings and objects to models; pairs: replicates with references
    params         parameters of diagnostics, checked by their declared types
    specs          estimates and claims of the designs, under full names; checkpoints below their
                   gates
    estimates      the plan's own estimates and contrasts
    claims         the plan's own claims, with the estimates that they name; what diagnostics
                   presuppose, added to a plan
    relations      correlations of two estimates over replicates: [[relate]]
    published      published figures compared with the run's: [[published]]
    assignment     estimates to compute from the records; kept in the manifest
    slicing        estimates on a slice: items whose columns have certain values
    tasks          the shards of work, in plan order
    doubtful_data  shared items, look-alike labels, data that models were trained on
    label_words    how labels of models and data were matched, in words
"""
