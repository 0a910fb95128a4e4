"""Objects of the user's own code."""
