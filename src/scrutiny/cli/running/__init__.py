"""Commands that ask models: plans from flags, progress, output, a child that is watched."""
