"""Models: strings that name them, adapters that load them, checks on what they answer."""
