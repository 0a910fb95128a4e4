"""Association: how two quantities, rankings, or sets of words go together."""
