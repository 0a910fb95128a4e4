"""English as changes need it: verbs, clitics, negation, mentions, words that replace others."""
