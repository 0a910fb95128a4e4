"""Parts of answers: their attributes, and buckets that a score falls apart by."""
