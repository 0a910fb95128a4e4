"""Small classifiers over words: linear, recurrent, with one attention layer."""
