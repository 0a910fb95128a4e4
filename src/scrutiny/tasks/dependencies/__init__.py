"""Dependencies and parts of speech: a head, a relation and tags for each word."""
