"""Label check: items whose gold label is doubtful."""
