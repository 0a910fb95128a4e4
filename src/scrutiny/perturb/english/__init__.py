"""English language rules for transformations: verbs, clitics, negation, mentions, synonyms."""
