"""Diagnose language models and say how far each diagnosis can be trusted."""
