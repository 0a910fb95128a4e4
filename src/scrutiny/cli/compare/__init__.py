"""What `scrutiny compare` does: two sides read, then said as lines, as objects, as a page."""
