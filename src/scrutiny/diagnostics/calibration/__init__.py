"""Whether a model's confidence is what its accuracy says: measure, metrics, part of the page."""
