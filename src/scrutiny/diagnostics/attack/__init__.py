"""Adversarial attacks: success, preserved meaning, cost, and comparison with random change."""
