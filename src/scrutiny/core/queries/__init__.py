"""What a model can be asked beside predictions, and what it answers."""
