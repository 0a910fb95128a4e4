"""Networks of transformers: checkpoints, batches, vectors, log-probabilities."""
