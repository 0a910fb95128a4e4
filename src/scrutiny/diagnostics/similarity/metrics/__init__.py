"""What is computed of the records of two models side by side."""
