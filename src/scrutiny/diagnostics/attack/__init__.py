"""Attacks: how few changes fool a model, of which valid, at what cost, beyond random change."""
