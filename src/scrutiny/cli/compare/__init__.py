"""The verb `scrutiny compare`: reads two sides, and prints lines, JSON or a page."""
