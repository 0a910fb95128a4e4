"""What is computed of attention heads' records."""
