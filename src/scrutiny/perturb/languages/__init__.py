"""English rules that several transformations share: verbs, statements, related words."""
