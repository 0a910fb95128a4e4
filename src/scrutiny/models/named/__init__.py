"""Models by plain names, families of them, and untrained ones."""
