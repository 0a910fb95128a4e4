"""Resources of transformations: models, vectors, taggers, and their interfaces.

``loading`` has ``load_resource(name, spec)`` and ``available_resources()``, ``capabilities`` a
small protocol for each thing that can be asked.
"""
