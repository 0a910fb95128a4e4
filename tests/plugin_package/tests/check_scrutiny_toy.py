"""What the plug-in brings passes the conformance checks that scrutiny ships."""

import numpy as np
from scrutiny_toy.adapter import load, targets
from scrutiny_toy.certainty import Certainty
from scrutiny_toy.drop_vowel import DropVowel
from scrutiny_toy.median import MEDIAN_MARGIN

from scrutiny.core.model import LoadOptions
from scrutiny.core.registry import registry
from scrutiny.models.strings.model_strings import parse
from scrutiny.testing import (
    check_adapter,
    check_diagnostic,
    check_statistic,
    check_transformation,
)


def test_diagnostic() -> None:
    check_diagnostic(Certainty())


def test_statistic() -> None:
    check_statistic(MEDIAN_MARGIN)
    rows = np.array([[3.0], [1.0], [2.0]])
    weights = np.array([[1.0, 1.0, 1.0], [5.0, 1.0, 1.0], [0.0, 1.0, 0.0]])
    assert MEDIAN_MARGIN.weighted(rows, weights).tolist() == [2.0, 3.0, 1.0]


def test_transformation() -> None:
    check_transformation(DropVowel())


def test_adapter() -> None:
    task = registry().load("task", "text-classification")()
    for target in targets():
        check_adapter(load(parse(f"toy:{target}"), task, LoadOptions()))
