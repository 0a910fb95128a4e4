"""Runs: from a plan to a finished run folder.

A plan is resolved (`planning`), its models are trained where it says so, its shards are executed
and their answers kept (`asking`), and numbers and verdicts are estimated from the records alone.
"""
