"""Asking models: questions looked up, asked at a pace, answers kept."""
