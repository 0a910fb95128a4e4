"""Agreement beyond chance: of raters, replicates or models that answer the same items."""
