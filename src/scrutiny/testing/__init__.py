"""For authors of plug-ins and tests: toy models, strategies and conformance checks.

::

    toy models    KeywordClassifier, ConstantClassifier, FlakyClassifier, NanClassifier,
                  WrongShapeClassifier, GazetteerTagger     answers known by hand, no files
                  ToyMaskedLanguageModel, ToyCausalLanguageModel, ToyEncoder
    checks        check_adapter(model), check_language_model(model),
                  check_transformation(transformation),
                  check_statistic(statistic), check_diagnostic(diagnostic)
                  raise ConformanceError with a sentence about the first broken promise
    strategies    texts(), examples(), tagged_examples()    for hypothesis
"""

from scrutiny.core.errors import ConformanceError
from scrutiny.testing.check_adapters import check_adapter
from scrutiny.testing.check_diagnostics import check_diagnostic
from scrutiny.testing.check_language import check_language_model
from scrutiny.testing.check_statistics import check_statistic
from scrutiny.testing.check_transformations import check_transformation
from scrutiny.testing.faulty_models import FlakyClassifier, NanClassifier, WrongShapeClassifier
from scrutiny.testing.strategies import examples, tagged_examples, texts
from scrutiny.testing.toy_language import (
    ToyCausalLanguageModel,
    ToyEncoder,
    ToyMaskedLanguageModel,
)
from scrutiny.testing.toy_models import ConstantClassifier, GazetteerTagger, KeywordClassifier

__all__ = [
    "ConformanceError",
    "ConstantClassifier",
    "FlakyClassifier",
    "GazetteerTagger",
    "KeywordClassifier",
    "NanClassifier",
    "ToyCausalLanguageModel",
    "ToyEncoder",
    "ToyMaskedLanguageModel",
    "WrongShapeClassifier",
    "check_adapter",
    "check_diagnostic",
    "check_language_model",
    "check_statistic",
    "check_transformation",
    "examples",
    "tagged_examples",
    "texts",
]
