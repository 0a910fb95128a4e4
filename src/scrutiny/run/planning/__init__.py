"""Planning: from a plan in TOML to data, models, designs, numbers, claims and shards of work.

What resolves a name stands above what it resolves to: `resolve` uses all others, and gives a
resolved plan, which is sent to workers.
"""
