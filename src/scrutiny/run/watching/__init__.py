"""Watching an endpoint: the same questions day after day, beside the answers of a baseline."""
