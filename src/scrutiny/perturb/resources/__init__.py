"""Resources of transformations: models, vectors, taggers and checkers, and their interfaces."""
