"""Whether a language model finds stereotypes more likely than their opposites."""
