"""Input and output boundary: validation of input, canonical output without secrets."""
