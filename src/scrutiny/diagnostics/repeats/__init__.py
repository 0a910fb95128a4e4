"""Noise floor: how many answers change when nothing changes."""
