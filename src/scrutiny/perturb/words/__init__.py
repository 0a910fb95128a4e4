"""Changes of single words, best or nearest first, for searches to choose from."""
