"""Probes of attention: planted trees are read off, noise is not, words alone say what they say."""

import json
from zlib import crc32

import numpy as np
import pytest

pytest.importorskip("torch")

from design_inputs import inputs_of
from linked_heads import LinkedHead, links_of, sentences
from preferring_language import without_contrasts
from toy_runs import estimate, run

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.diagnostics.attention.probe_data import Parsed
from scrutiny.diagnostics.attention.probe_fitting import KINDS, distance_features, fit_probe
from scrutiny.diagnostics.attention.probes import AttentionProbe, ProbeParams
from scrutiny.tasks.dependency_arcs import DependencyArcs
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext
from scrutiny.testing.toy_attention import ToyAttention
from scrutiny.testing.toy_heads import NoiseHead

ROWS = sentences(60)
QUICK = {"epochs": 6, "learning_rate": 0.05, "draws": 2, "n_training": 40}


class Worded(ToyAttention):
    """Toy heads, with embeddings that tell words by their first letter."""

    n_layers = 1

    def __init__(self, heads):
        super().__init__(heads)
        self.capabilities |= {"representations"}

    def representations(self, passages, *, poolings, layers):
        assert (tuple(poolings), tuple(layers)) == (("word",), (0,))
        found = [np.random.default_rng(crc32(p.text[0].encode())).normal(size=6) for p in passages]
        return np.array(found, dtype=np.float32)[:, None, None]


def planted(kind=ToyAttention, fidelity=0.9):
    """One head that knows heads of words, one of noise."""
    return kind([[NoiseHead(), LinkedHead(links_of(ROWS), fidelity)]])


def noise(kind=ToyAttention):
    return kind([[NoiseHead(), NoiseHead()]])


def examples(rows=ROWS):
    return [DependencyArcs().parse(row, source=f"x:{i}") for i, row in enumerate(rows, 1)]


def records(model, rows=ROWS, **params):
    batch = Batch(tuple(examples(rows)))
    made = ProbeParams(**{**QUICK, **params})
    context = ToyContext(DependencyArcs(), model)
    return list(AttentionProbe().measure(made, Cell("m", None, "x"), batch, context))


def uas(rows, probe, draw=1):
    values = [
        row.values
        for row in rows
        if row.status == "ok" and json.loads(row.condition) == {"probe": probe, "draw": draw}
    ]
    tp, gold = np.sum(values, axis=0)
    return tp / gold


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(
        without_contrasts(AttentionProbe),
        examples=examples()[:8],
        task=DependencyArcs(),
        model=planted(),
    )


def test_a_planted_tree_is_read_off_on_the_half_that_was_not_fitted(tmp_path):
    params = {**QUICK, "probes": ["attention"]}
    folder = run("attention.probe", planted(), ROWS, tmp_path, task="dependency-arcs", **params)
    found = estimate(folder, "uas", probe="attention", draw=1)
    # the planted head knows no root, which is one scored word in eight
    assert found.value == pytest.approx(0.9 * 7 / 8, abs=0.05)
    right = estimate(folder, "uas", probe="right-branching")
    assert right.high < found.low
    expected = sum(
        head == (i + 1) % 9 + (1 if i < 8 else 0)
        for row in ROWS
        for i, (head, relation) in enumerate(zip(row["heads"], row["relations"], strict=True))
        if relation != "punct"
    )
    assert right.value == pytest.approx(expected / (8 * len(ROWS)))
    folder = run("attention.probe", noise(), ROWS, tmp_path / "n", task="dependency-arcs", **params)
    assert estimate(folder, "uas", probe="attention", draw=1).high < 0.3


def test_draws_differ_and_the_same_run_gives_the_same_rows():
    first = records(noise(), probes=("attention",), epochs=1)
    assert first == records(noise(), probes=("attention",), epochs=1)
    draws = [
        [r.values for r in first if json.loads(r.condition) == {"probe": "attention", "draw": d}]
        for d in (1, 2)
    ]
    assert draws[0] != draws[1]


def letters(count=60):
    """Sentences in which words with a vowel hang on the next word, others on the one behind it."""
    rng, rows = np.random.default_rng(8), []
    for number in range(count):
        letters = rng.permutation(list("aeioubcdfg"))[:8].tolist()
        heads = [0] + [0] * 7
        for i, letter in enumerate(letters):
            heads[i] = min(i + (2 if letter in "aeiou" else 3), 8)
        heads[-1] = 0
        words = [f"{letter}{number}x{i}" for i, letter in enumerate(letters)]
        rows.append({"id": str(number), "words": words, "heads": heads, "relations": ["x"] * 8})
    return rows


def test_words_and_distances_find_what_words_and_distances_tell():
    rows = letters()
    found = records(noise(Worded), rows, draws=1, learning_rate=0.01)
    assert uas(found, "distances-words") > 0.8
    assert uas(found, "attention") < 0.4
    # maps of noise, weighted by words, tell nothing of places
    assert uas(found, "attention-words") < 0.5


def test_words_say_which_map_to_trust():
    rows = letters()
    others = [dict(row, heads=[1 + (i + 3) % 8 for i in range(8)]) for row in rows]
    one, other = links_of(rows), links_of(others)

    # the first head knows words with a vowel, the second the rest; both mislead about the others
    def mixed(is_vowel):
        found = []
        for (words, right), (_, wrong) in zip(one, other, strict=True):
            knows = [(word[0] in "aeiou") is is_vowel for word in words]
            pairs = zip(knows, right, wrong, strict=True)
            found.append((words, tuple(a if known else b for known, a, b in pairs)))
        return tuple(found)

    model = Worded([[LinkedHead(mixed(True)), LinkedHead(mixed(False))]])
    probes = ("attention", "attention-words")
    found = records(model, rows, probes=probes, draws=1, learning_rate=0.03, epochs=20)
    # heads of words know no root, which is one word in eight
    assert uas(found, "attention-words") > 0.88 * 7 / 8
    assert uas(found, "attention") < 0.8 * 7 / 8


def test_without_embeddings_there_are_no_probes_with_words():
    inputs = inputs_of(capabilities=frozenset({"attentions"}))
    design = AttentionProbe().design(ProbeParams(), inputs)
    assert {str(c["probe"]) for c in design.conditions} == {"attention", "right-branching"}
    assert [claim.id for claim in design.claims] == ["attention"]
    full = inputs_of(capabilities=frozenset({"attentions", "representations"}))
    design = AttentionProbe().design(ProbeParams(draws=2), full)
    words = next(claim for claim in design.claims if claim.id == "attention-words")
    assert [c.against for c in words.components] == [
        "baseline: distances and words",
        "control: untrained",
        "choice: draw 2, baseline: distances and words",
        "choice: draw 2, control: untrained",
    ]


def test_what_cannot_be_scored_says_why():
    alone = records(planted(), ROWS[:1], probes=("attention",), draws=1)
    by_probe = {json.loads(r.condition)["probe"]: (r.status, r.reason) for r in alone}
    assert by_probe == {
        "attention": ("undefined", "no_other_half"),
        "right-branching": ("ok", None),
    }
    points = {"id": "p", "words": [".", "!"], "heads": [2, 0], "relations": ["punct"] * 2}
    found = records(noise(), [*ROWS[:6], points], probes=("attention",), draws=1)
    assert {(r.status, r.reason) for r in found if r.item == "p"} == {("skipped", "nothing_scored")}
    long = ToyAttention([[NoiseHead()]], limit=5)
    assert {r.reason for r in records(long, ROWS[:4], probes=("attention",))} == {"too_long"}


def test_the_root_is_found_by_attention_to_special_tokens():
    rng = np.random.default_rng(0)

    def one():
        root, special = int(rng.integers(5)), np.zeros((1, 5, 2), dtype=np.float16)
        special[0, root, 1] = 0.9
        heads = np.full(5, root)
        heads[root] = 5
        maps = np.zeros((1, 5, 5), dtype=np.float16)
        maps[0, :, root] = 0.5
        return Parsed(maps, special, np.zeros(5, int), np.arange(5), heads)

    trained = [one() for _ in range(30)]
    probe = fit_probe(
        "attention",
        trained,
        vectors=None,
        epochs=10,
        learning_rate=0.05,
        rng=np.random.default_rng(1),
    )
    for sentence in (one() for _ in range(10)):
        assert probe.heads(sentence).tolist() == sentence.heads.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_no_word_is_its_own_head(kind):
    rng = np.random.default_rng(0)
    sentence = Parsed(
        rng.random((4, 6, 6)).astype(np.float16),
        rng.random((4, 6, 2)).astype(np.float16),
        np.arange(6),
        np.arange(6),
        np.array([1, 2, 3, 4, 5, 6]),
    )
    vectors = rng.normal(size=(6, 3)).astype(np.float32)
    probe = fit_probe(kind, [sentence], vectors=vectors, epochs=1, rng=rng)
    assert (probe.heads(sentence) != np.arange(6)).all()


def test_distance_features_by_hand():
    found = distance_features(np.array([0, 1, 4]))
    assert found.shape == (3, 3, 8)
    assert found[0, 1].tolist() == [1, 0, 0, 0, 0, 0, 1, 0]
    assert found[2, 1, :6].tolist() == [0, 0, 0, 0, 0, 1]
    assert found[2, 1, 6:] == pytest.approx([1 / 3, np.log(3)])
    assert not found[1, 1].any()


def test_parameters_are_checked():
    with pytest.raises(UnknownNameError, match="attention-words"):
        ProbeParams(probes=("attention-word",))
    with pytest.raises(PlanError, match="at least 1"):
        ProbeParams(draws=0)


def test_the_epoch_that_does_best_on_held_out_sentences_is_kept():
    rng = np.random.default_rng(3)

    def one(right):
        maps = rng.random((6, 5, 5)).astype(np.float16)
        heads = np.array([1, 2, 3, 4, 5])
        if right:
            maps[0] = np.eye(5, k=1, dtype=np.float16)
        return Parsed(maps, np.zeros((6, 5, 2), np.float16), np.zeros(5, int), np.arange(5), heads)

    trained = [one(right=False) for _ in range(10)]
    kept = [
        fit_probe("attention", trained, vectors=None, epochs=n, rng=np.random.default_rng(0))
        for n in (1, 40)
    ]
    held = trained[int(np.random.default_rng(0).permutation(10)[0])]
    right = [(probe.heads(held) == held.heads).sum() for probe in kept]
    assert right[1] >= right[0]  # more epochs are never worse on what was held out
    assert not any(one.requires_grad for one in kept[0].parameters.values())
