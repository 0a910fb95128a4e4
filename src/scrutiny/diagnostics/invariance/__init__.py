"""Shared invariances: changes of a text that leave the answers of two models unchanged."""
