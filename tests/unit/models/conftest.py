"""Tasks and examples that tests of models share."""

from types import SimpleNamespace

import pytest

from scrutiny.core.example import Example


@pytest.fixture
def classification():
    return SimpleNamespace(name="text-classification", fields=("text",))


@pytest.fixture
def pairs():
    return SimpleNamespace(name="text-pair-classification", fields=("text", "text_pair"))


@pytest.fixture
def tagging():
    return SimpleNamespace(name="token-tagging", fields=("text",))


@pytest.fixture
def unlabeled():
    return SimpleNamespace(name="sentence-pairs", fields=("more", "less"), scored_by=None)


@pytest.fixture
def make():
    """Examples of texts: ids "0", "1", ..."""

    def examples(*texts):
        return [Example(id=str(i), fields={"text": text}) for i, text in enumerate(texts)]

    return examples
