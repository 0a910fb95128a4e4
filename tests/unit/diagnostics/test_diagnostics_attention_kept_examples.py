"""Predictions kept for a handful of examples: which ones, and that they read back."""

import numpy as np

from scrutiny.core.diagnostic import Batch, Cell, Failure
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.queries.annotation import AnchoredWords
from scrutiny.diagnostics.attention.heads import (
    HEADS_OF,
    MOST,
    WORDS,
    Heads,
    HeadsParams,
    KeptExamples,
)
from scrutiny.diagnostics.attention.word_maps import WordMap
from scrutiny.testing.checking import ToyContext


def example(name, *, targets=(0,), anchors=(1,)):
    words, borders, start = ("we", "never", "sang"), [], 0
    for word in words:
        borders.append((start, start + len(word)))
        start += len(word) + 1
    spans = [Span("text", *borders[w], "anchor") for w in anchors]
    spans += [Span("text", *borders[w], "target") for w in targets]
    return Example(
        name, {"text": " ".join(words)}, spans=tuple(spans), tokens={"text": tuple(borders)}
    )


def a_map(target):
    """One layer of two heads: head 1 attends to a word, head 2 to nothing."""
    weights = np.zeros((1, 2, 3, 3), dtype=np.float32)
    weights[0, 0, :, target] = 1.0
    return WordMap(weights, np.arange(3), 3)


def kept(examples):
    return KeptExamples(examples, [AnchoredWords.of(e) for e in examples])


def test_predictions_read_back_word_by_word():
    examples = [example("a"), example("b", targets=(0, 2))]
    found = kept(examples)
    for position in (1, 0):  # in whatever order they come
        found.see(position, a_map(target=1), "attends-to")
    arrays = found.arrays()
    words = arrays[WORDS]
    assert words[:, 0].tolist() == [0, 0, 0, 1, 1, 1]
    assert words[3].tolist() == [1, 0, 2, 0, 1]
    assert words[4].tolist() == [1, 3, 8, 1, 0]
    bits = np.unpackbits(arrays[HEADS_OF], axis=-1, count=6).astype(bool)
    assert bits.shape == (1, 2, 6)
    assert bits[0, 0].tolist() == [True] * 6
    assert not bits[0, 1].any()


def test_a_handful_is_chosen_by_hash_whatever_is_predicted():
    examples = [example(f"e{i}") for i in range(40)]
    found = kept(examples)
    for position in range(40):
        found.see(position, a_map(target=position % 3), "attends-to")
    chosen = dict.fromkeys(found.arrays()[WORDS][:, 0].tolist())
    assert len(chosen) == MOST
    backwards = kept(examples[::-1])
    for position in range(40):
        backwards.see(position, a_map(target=0), "attends-to")
    same = {39 - position for position in backwards.arrays()[WORDS][:, 0].tolist()}
    assert same == set(chosen)
    assert set(chosen) != set(range(MOST))


def test_examples_without_anchor_target_or_map_are_not_kept():
    examples = [example("a", targets=()), example("b", anchors=()), example("c")]
    found = kept(examples)
    for position in (0, 1):
        found.see(position, a_map(target=1), "attends-to")
    found.see(2, Failure("too_long"), "attends-to")
    assert found.arrays() == {}


class Attender(Model):
    """One head that attends to the cue."""

    attention_shape = (1, 1)
    capabilities = frozenset({"attentions"})
    labels = ()

    def attentions(self, sentences, *, weighting="raw"):
        from scrutiny.core.queries.attention import AttentionMap

        for words in sentences:
            weights = np.zeros((1, 1, len(words), len(words)), dtype=np.float32)
            weights[..., words.index("never")] = 1.0
            yield AttentionMap(weights, tuple(range(len(words))), tuple(range(len(words))))


def test_the_diagnostic_keeps_examples_of_measured_families_alone():
    for role, names in (("measured", {WORDS, HEADS_OF}), ("null", set())):
        ctx = ToyContext(None, Attender())
        cell, batch = Cell("m", None, "x", role), Batch((example("a"),))
        rows = list(Heads().measure(HeadsParams(), cell, batch, ctx))
        assert rows
        assert set(ctx.arrays) == names
