"""Pre-training of small BERTs (masked words, next sentence) from plain text, resumable by step."""
