"""Models from objects in the user's code."""
