"""Model strings, their targets, and the records of a training."""
