"""Changing texts: transformations, recipes of them, constraints, and matched controls.

::

    engine     perturb(example, recipe, *, seed, draw, resources, constraints, task) -> Variant
    batch      perturb_stream(examples, recipes, ...)      many, lazily, in constant memory
               perturb_draws(examples, recipes, settings)  several draws of analyzed texts
    recipe     parse_recipe("typos(share=0.3)"), cross(...), recipes_for(task, language, resources)
    control    matched_control(example, variant, *, seed, draw) -> Variant
               Controls(example, documents)                those of texts that are analyzed already
    document   TextDocument: what transformations see
    resources  load_resource(name, spec), available_resources(): models, vectors, taggers
    capabilities           what such a resource can be asked

Rooms: ``universal`` (in every audit), ``characters``, ``words`` and ``chinese`` (single places, for
searches to choose among), ``constraints`` (vetoes), ``search``, ``recipes`` (published attacks).
"""
