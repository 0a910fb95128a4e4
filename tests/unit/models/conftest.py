"""Tasks and examples that tests of models share."""

from types import SimpleNamespace

import pytest

from scrutiny.core.example import Example
from scrutiny.tasks.tasks import load_task


@pytest.fixture
def classification():
    return load_task("text-classification")


@pytest.fixture
def pairs():
    return load_task("text-pair-classification")


@pytest.fixture
def tagging():
    return load_task("token-tagging")


@pytest.fixture
def unlabeled():
    return SimpleNamespace(
        name="sentence-pairs", fields=("more", "less"), scored_by=None, must_be_answered=False
    )


@pytest.fixture
def make():
    """Examples of texts: ids "0", "1", ..."""

    def examples(*texts):
        return [Example(id=str(i), fields={"text": text}) for i, text in enumerate(texts)]

    return examples
