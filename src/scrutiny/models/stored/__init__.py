"""Models with stored answers."""
