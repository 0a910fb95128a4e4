"""Models that write texts."""
