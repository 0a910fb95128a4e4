"""The perturbation engine: from an example and a recipe to a variant.

::

    apply      perturb(example, recipe, *, seed, draw, resources, constraints, task) -> Variant
    batch      perturb_stream(examples, recipes, ...)      many, lazily, in constant memory
               perturb_draws(examples, recipes, settings)  several draws of analyzed texts
    recipe     parse_recipe("typos(share=0.3)"), recipe_of(transformation, ...)
    rewrite    a function from text to text as a transformation, by the difference that it makes
    document   TextDocument: what transformations see
"""
