"""Edits of Chinese characters: homophones and look-alikes."""
