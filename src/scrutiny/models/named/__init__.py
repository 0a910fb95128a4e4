"""Models by plain names, the zoo's, and untrained ones."""
