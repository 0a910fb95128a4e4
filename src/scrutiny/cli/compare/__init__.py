"""The verb `scrutiny compare`: two sides are read, then printed as lines, JSON or a page."""
