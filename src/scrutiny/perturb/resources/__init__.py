"""What changes need besides the text: models, vectors, taggers, and what each can be asked.

``loading`` has ``load_resource(name, spec)`` and ``available_resources()``, ``capabilities`` a
small protocol for each thing that can be asked.
"""
