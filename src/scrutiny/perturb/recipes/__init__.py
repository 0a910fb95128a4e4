"""Published attacks, one class for each paper: a search space, a goal and a method.

An attack says what it does otherwise than its paper (``deviations``), what it can use and what
it does without that (``lacking``), and where paper, released code and TextAttack differ it has a
``variant`` for each.
"""
