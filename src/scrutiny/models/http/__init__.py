"""Models behind an endpoint: what is sent, how, and what is read from the reply."""
