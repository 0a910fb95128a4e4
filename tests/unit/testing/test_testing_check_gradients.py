"""The check of gradients finds what is wrong with them."""

import numpy as np
import pytest

from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import FOLLOWED, InputPiece
from scrutiny.models.words.linear_classifier import BITS, LinearParts, LinearWordModel
from scrutiny.testing import LinearClassifier, check_adapter, check_gradients
from scrutiny.testing.check_gradients import check_followed

EXAMPLES = [
    Example(id=str(i), fields={"text": text})
    for i, text in enumerate(["a good film", "bad", "", "not so good , not so bad"])
]


def changed(change):
    """A linear classifier whose gradients are changed in one way."""

    class Changed(LinearClassifier):
        def gradients(self, examples, labels):
            return [change(one) for one in super().gradients(examples, labels)]

    return Changed({"good": 2, "bad": -1})


def test_sound_gradients_pass():
    check_gradients(LinearClassifier({"good": 2, "bad": -1}), EXAMPLES)
    check_adapter(LinearClassifier({"good": 2, "bad": -1}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda one: one._replace(gradient=one.gradient + 0.1), "not those of minus the log"),
        (lambda one: one._replace(gradient=one.gradient[:, :1]), "of the shape"),
        (lambda one: one._replace(gradient=one.gradient * np.nan), "must be finite"),
        (lambda one: one._replace(ids=tuple(i + 10 for i in one.ids)), "a row of the matrix"),
        (lambda one: one._replace(pieces=one.pieces[::-1]), "out of order"),
        (
            lambda one: one._replace(
                pieces=tuple(InputPiece("text", p.start, 99) for p in one.pieces)
            ),
            "outside of its text",
        ),
    ],
)
def test_what_is_broken_is_said(change, message):
    with pytest.raises(ConformanceError, match=message):
        check_gradients(changed(change), EXAMPLES)


def test_gradients_that_depend_on_the_batch():
    class Mixed(LinearClassifier):
        def gradients(self, examples, labels):
            found = super().gradients(examples, labels)
            return [one._replace(gradient=one.gradient * len(found)) for one in found]

    with pytest.raises(ConformanceError, match="when it is asked alone"):
        check_gradients(Mixed({"good": 2}), EXAMPLES)


def test_a_matrix_that_is_made_anew():
    class Anew(LinearClassifier):
        def embeddings(self):
            given = super().embeddings()
            return given._replace(matrix=given.matrix.copy())

    with pytest.raises(ConformanceError, match="one object"):
        check_gradients(Anew({"good": 2}), EXAMPLES)


def words(**changed):
    """A linear model of words, some of whose methods give changed answers."""

    class Words(LinearWordModel):
        def _asked(self, capability, queries):
            found = getattr(super(), capability)(queries)
            return [changed.get(capability, lambda one, _: one)(one, len(queries)) for one in found]

        def path_gradients(self, queries):
            return self._asked("path_gradients", queries)

        def parameter_gradients(self, queries):
            return self._asked("parameter_gradients", queries)

    weights = np.array([[-1, 2], [1, -1]]) << BITS
    parts = LinearParts(("good", "bad"), ("neg", "pos"), weights, np.array([1, 0]) << BITS)
    return Words(parts, "linear:words")


def test_sound_gradients_by_paths_and_parameters_pass():
    assert {*FOLLOWED} <= words().capabilities
    check_followed(words(), EXAMPLES)
    check_adapter(words())


@pytest.mark.parametrize(
    ("capability", "change", "message"),
    [
        ("path_gradients", lambda one, _: one[:3], "which is none"),
        (
            "path_gradients",
            lambda one, _: one._replace(
                attributions=tuple(2 * a for a in one.attributions),
                scores=tuple(2 * score for score in one.scores),
            ),
            "not the logits",
        ),
        (
            "path_gradients",
            lambda one, n: one._replace(
                attributions=tuple(n * a for a in one.attributions),
                scores=tuple(n * score for score in one.scores),
            ),
            "asked alone",
        ),
        (
            "parameter_gradients",
            lambda one, _: tuple(tuple(v + 1 for v in row) for row in one),
            "not that of minus the log-probabilities",
        ),
        (
            "parameter_gradients",
            lambda one, n: tuple(tuple(v * n for v in row) for row in one),
            "asked alone",
        ),
        ("parameter_gradients", lambda one, _: "none", "parameter_gradients is 'none'"),
    ],
)
def test_broken_gradients_by_paths_and_parameters_are_told(capability, change, message):
    with pytest.raises(ConformanceError, match=message):
        check_followed(words(**{capability: change}), EXAMPLES)
