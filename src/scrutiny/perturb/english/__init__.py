"""English as changes need it: verbs and their groups, clitics, negation, mentions, replacements."""
