"""English rules for transformations: verbs, clitics, negation, counting, related words."""
