"""Report parts about attention heads: maps, changes, layers, ranks and sentences."""
