"""Models: model strings, the adapters that load them, and checks of their answers."""
