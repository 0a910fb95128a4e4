"""Models of which the answers are stored."""
