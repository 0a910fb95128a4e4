"""How alike two models are: in their answers to the same items, and in their vectors."""
