"""Running text without an answer."""
