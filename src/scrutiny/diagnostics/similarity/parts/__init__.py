"""Report parts about two models: their answers, and the similarity of their vectors."""
