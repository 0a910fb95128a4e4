"""Small classifiers over words: linear, recurrent, with one layer of attention."""
