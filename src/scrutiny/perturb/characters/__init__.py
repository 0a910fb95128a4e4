"""Transformations of characters: typos, misspellings, OCR, letter case, unseen characters."""
