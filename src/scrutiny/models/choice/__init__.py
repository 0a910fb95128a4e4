"""Language models that choose between words for labels."""
