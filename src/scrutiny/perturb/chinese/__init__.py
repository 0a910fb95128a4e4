"""Changes of Chinese characters: those that sound alike, and those that look alike."""
