"""Transformations of passages: their sentences, other passages behind them, and questions."""
