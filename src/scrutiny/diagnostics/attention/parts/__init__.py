"""Parts on single heads of attention: maps, changes, layers, ranks and sentences."""
