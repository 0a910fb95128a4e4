"""The models that scrutiny brings."""
