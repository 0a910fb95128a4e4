"""Trees read off all heads together."""
