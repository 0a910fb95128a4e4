"""What a model's vectors put close together: association tests and clusters of their targets."""
