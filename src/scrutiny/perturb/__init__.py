"""Text perturbation: transformations, recipes that combine them, constraints, matched controls.

Rooms, the lowest first::

    resources       models, vectors and taggers that changes need besides the text
    english         verbs, clitics, negation, mentions, words that could take another's place
    engine          from an example and a recipe to a variant: `engine.apply.perturb`
    control         the matched random change of a variant
    universal       transformations in every audit
    characters, words, chinese      single places, for searches to choose among
    constraints     vetoes
    search          the best of many changes, by a goal and a method
    recipes         published attacks
"""
