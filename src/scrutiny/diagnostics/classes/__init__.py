"""Per-class scores: recall, precision and F1 of each class, and macro-F1."""
