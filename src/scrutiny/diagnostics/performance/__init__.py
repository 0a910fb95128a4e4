"""How good the model is at its task: what every other diagnostic presupposes."""
