"""Language models as classifiers: words that stand for labels."""
