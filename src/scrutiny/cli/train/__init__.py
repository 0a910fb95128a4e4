"""What `scrutiny train` does: a module for each kind of training."""
