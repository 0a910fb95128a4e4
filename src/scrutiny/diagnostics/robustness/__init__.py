"""How much worse a model gets when its input changes in ways that should not matter."""
