"""Model strings: what they name, the adapters and families behind them, and how one is loaded."""
