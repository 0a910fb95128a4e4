"""Association of two quantities, rankings, or sets of words."""
