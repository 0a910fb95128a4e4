"""The verb `scrutiny train`: a module for each kind of training."""
