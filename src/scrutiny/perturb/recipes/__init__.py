"""Published attacks: one small file a paper, each a space, a goal and a method by name.

An attack says what it does otherwise than its paper (``deviations``), what it can use and what
it does without that (``lacking``), and where paper, released code and TextAttack differ it has a
``variant`` for each. `scrutiny.perturb.recipes.attack` reads their written form.
"""
