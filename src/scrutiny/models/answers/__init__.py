"""Answers of models: what they are asked, what comes back, and whether it can be used."""
