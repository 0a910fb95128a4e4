"""Wordings of a prompt: what each costs, which claims survive all, and where the error is from."""
