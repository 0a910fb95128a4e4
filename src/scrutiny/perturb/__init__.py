"""Text perturbation: transformations, recipes that combine them, constraints, matched controls.

Transformations stand in rooms by what they change; whether searches choose among their candidates
or an audit applies them says ``is_for_search``. Rooms, the lowest first::

    resources       models, vectors and taggers that changes need besides the text
    languages       what several transformations know of English or Chinese
    engine          from an example and a recipe to a variant: `engine.apply.perturb`
    control         the matched random change of a variant
    characters, words, phrases, sentences      transformations
    constraints     vetoes
    search          the best of many changes, by a goal and a method
    recipes         published attacks
"""
