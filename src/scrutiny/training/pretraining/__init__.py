"""Pre-training of small BERTs: masked words and next sentence, from plain text, to the step."""
