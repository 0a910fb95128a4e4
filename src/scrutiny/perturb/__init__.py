"""Text perturbation: transformations, recipes that combine them, constraints, matched controls.

Transformations stand in rooms by what they change; whether searches choose among their candidates
or an audit applies them says ``is_for_search``.
"""
