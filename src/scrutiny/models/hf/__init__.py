"""Networks of transformers: checkpoints, forward passes, attention, models of each head."""
