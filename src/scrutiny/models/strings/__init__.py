"""Model strings, the families that they name, their adapters, and the records of a training."""
