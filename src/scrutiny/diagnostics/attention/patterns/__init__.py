"""Where heads look, whatever the text says."""
