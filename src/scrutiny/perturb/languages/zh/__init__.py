"""Chinese for transformations: characters that sound or look alike."""
