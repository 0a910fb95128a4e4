"""Testing tools for plug-ins: toy models, hypothesis strategies and conformance checks.

::

    toy models    KeywordClassifier, ConstantClassifier, FlakyClassifier, NanClassifier,
                  WrongShapeClassifier, GazetteerTagger     answers known by hand, no files
                  LinearClassifier          a bag of words with exact gradients
                  ToyMaskedLanguageModel, ToyCausalLanguageModel, ToyEncoder
                  ToyAttention, ToyAttentionClassifier, made of CueHead, OffsetHead,
                  UniformHead, NoiseHead
    changes       WordTable                 candidates written down beforehand
    checks        check_adapter(model), check_language_model(model),
                  check_attends(model), check_intervenes(model),
                  check_gradients(model, examples),
                  check_transformation(transformation),
                  check_statistic(statistic), check_diagnostic(diagnostic),
                  check_attribute(attribute),
                  check_task(task, rows), check_reader(data string),
                  check_part(part, view)
                  raise ConformanceError with a sentence about the first broken promise
    strategies    texts(), examples(), tagged_examples()    for hypothesis
"""

from scrutiny.core.errors import ConformanceError
from scrutiny.testing.check_adapters import check_adapter
from scrutiny.testing.check_attention import check_attends, check_intervenes
from scrutiny.testing.check_data import check_attribute, check_reader, check_task
from scrutiny.testing.check_diagnostics import check_diagnostic
from scrutiny.testing.check_gradients import LinearClassifier, check_gradients
from scrutiny.testing.check_language import check_language_model
from scrutiny.testing.check_reporting import check_part, check_statistic
from scrutiny.testing.check_transformations import WordTable, check_transformation
from scrutiny.testing.checking import examples, tagged_examples, texts
from scrutiny.testing.toy_attention import ToyAttention, ToyAttentionClassifier
from scrutiny.testing.toy_heads import CueHead, NoiseHead, OffsetHead, UniformHead
from scrutiny.testing.toy_language import ToyCausalLanguageModel, ToyEncoder, ToyMaskedLanguageModel
from scrutiny.testing.toy_models import (
    ConstantClassifier,
    FlakyClassifier,
    GazetteerTagger,
    KeywordClassifier,
    NanClassifier,
    WrongShapeClassifier,
)

__all__ = [
    "ConformanceError",
    "ConstantClassifier",
    "CueHead",
    "FlakyClassifier",
    "GazetteerTagger",
    "KeywordClassifier",
    "LinearClassifier",
    "NanClassifier",
    "NoiseHead",
    "OffsetHead",
    "ToyAttention",
    "ToyAttentionClassifier",
    "ToyCausalLanguageModel",
    "ToyEncoder",
    "ToyMaskedLanguageModel",
    "UniformHead",
    "WordTable",
    "WrongShapeClassifier",
    "check_adapter",
    "check_attends",
    "check_attribute",
    "check_diagnostic",
    "check_gradients",
    "check_intervenes",
    "check_language_model",
    "check_part",
    "check_reader",
    "check_statistic",
    "check_task",
    "check_transformation",
    "examples",
    "tagged_examples",
    "texts",
]
