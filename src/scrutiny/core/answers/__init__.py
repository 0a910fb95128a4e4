"""Answers by type, gold or predicted; importing the package makes all types known.

A type is an `AnswerType` (``LABEL``, ``SPANS``, ``TEXT``, ``EXTRACT``, ``WORDS``, ``CLUSTERS``,
``OPTION_OF``, ``LABEL_SET``, ``RANKING``, ``SEGMENTS``), known by the class of its values,
``type_of(answer)``, and by its name in stored answers. Several right answers are an `AnyOf`; an
answer as JSON is ``to_json(answer)`` and ``answer_text(answer)``.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
