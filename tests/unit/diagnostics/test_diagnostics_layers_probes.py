"""Linear probes by layer: the planted layer is found, noise and words alone are not."""

import gc
import tracemalloc

import numpy as np
import pytest
from preferring_language import without_contrasts
from toy_layers import PlantedLayers, examples, sentences
from toy_runs import estimate, run

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.diagnostics.layers import word_vectors as reading
from scrutiny.diagnostics.layers.layer_charts import PROBES
from scrutiny.diagnostics.layers.layer_metrics import (
    KNOWN_WORD_ACCURACY,
    LABEL_BITS,
    LABEL_COMPRESSION,
    PROBE_ACCURACY,
)
from scrutiny.diagnostics.layers.probe_fits import commonest_labels, sampled_texts
from scrutiny.diagnostics.layers.probes import LayerProbes
from scrutiny.diagnostics.layers.word_labels import control_labels
from scrutiny.diagnostics.layers.word_vectors import in_blocks, word_vectors
from scrutiny.report.load import load_view
from scrutiny.tasks.dependency_arcs import DependencyArcs
from scrutiny.testing import check_diagnostic, check_part, check_statistic


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    rows = [*sentences()]
    out = tmp_path_factory.mktemp("probes")
    return run(
        *("layers.probes", PlantedLayers(), rows, out),
        task="dependency-arcs",
        kinds=["upos"],
        n_training=200,
        draws=2,
    )


def of(folder, metric, layer, role="measured"):
    """A number of a layer over all draws."""
    found = [
        e
        for e in folder.estimates()
        if e.key.metric == f"{metric}@1"
        and e.key.role == role
        and dict(e.key.condition) == {"labels": "upos", "layer": layer}
    ]
    assert len(found) == 1
    return found[0]


def test_it_keeps_the_promises_of_its_protocol():
    rows, task = examples([*sentences(6)]), DependencyArcs()
    own = without_contrasts(LayerProbes)
    check_diagnostic(own, examples=rows, task=task, model=PlantedLayers())
    for one in (PROBE_ACCURACY, KNOWN_WORD_ACCURACY, LABEL_BITS, LABEL_COMPRESSION):
        check_statistic(one)


def test_only_the_planted_layer_tells_nouns_from_verbs(planted):
    alone, planted_one, noise = (of(planted, "probe_accuracy", k).value for k in range(3))
    assert planted_one > 0.97
    assert 0.6 < alone < 0.85  # half of the words are unambiguous
    assert noise < 0.4
    listed = estimate(planted, "probe_accuracy", probe="word list", labels="upos")
    assert 0.55 < listed.value < 0.8


def test_only_the_planted_layer_is_claimed(planted):
    verdicts = {f.claim.id.rpartition("/")[2]: f.verdict for f in planted.findings()}
    assert verdicts == {"1": "supported", "2": "not supported"}


def test_noise_is_not_selective_and_words_are_less_so_than_context(planted):
    selectivity = [of(planted, "beyond(known_word_accuracy)", k) for k in range(3)]
    assert selectivity[2].low < 0.1 < selectivity[1].low
    assert of(planted, "known_word_accuracy", 0, "control").value > 0.8  # a list of words


def test_code_is_shortest_where_the_labels_are_planted(planted):
    bits = [of(planted, "label_bits", k).value for k in range(3)]
    assert bits[1] < bits[0] < bits[2]
    assert bits[2] == pytest.approx(2.0, abs=0.2)  # of four labels, about as frequent
    compression = of(planted, "label_compression", 1).value
    assert compression == pytest.approx(2.0 / bits[1], abs=1e-6)


def test_the_page_shows_each_layer_and_the_word_list(planted):
    view = load_view(planted.path)
    check_part(PROBES, view)
    (chart,) = PROBES.make(view).charts
    assert [row[0] for row in chart.table.rows] == ["0", "1", "2", "word list"]
    assert {v["series"] for v in chart.spec["data"]["values"]} == {"probe", "control labels"}
    assert any("layer 1: probe" in one.text for one in PROBES.lines(view))


def test_items_without_labels_are_skipped_and_texts_without_vectors_fail(tmp_path):
    class Short(PlantedLayers):
        def representations(self, passages, **asked):
            found = super().representations(passages, **asked)
            found[[p.text.startswith("to") for p in passages]] = np.nan
            return found

    rows = [*sentences(12)]
    rows[0]["upos"] = [""] * 6
    folder = run(
        *("layers.probes", Short(), rows, tmp_path),
        task="dependency-arcs",
        kinds=["upos"],
        draws=1,
    )
    counts = estimate(folder, "probe_accuracy", layer=1, draw=0).counts
    assert counts.skipped == 1, counts
    assert counts.failed == sum(row["words"][0] == "to" for row in rows[1:])


def test_control_labels_have_the_frequencies_of_the_labels_whatever_the_order():
    forms = [tuple(f"x{i}" for i in range(400)), ("a", "b")]
    labels = [("N",) * 300 + ("V",) * 100, ("N", "")]
    found = control_labels(forms, labels, np.random.default_rng(0))
    assert found == control_labels(forms[::-1], labels[::-1], np.random.default_rng(0))
    assert set(found) == {word for own in forms for word in own}
    assert 0.68 < sum(label == "N" for label in found.values()) / len(found) < 0.82
    assert control_labels(forms, [(), ()], np.random.default_rng(0)) == {}


def test_samples_end_with_enough_words_and_leave_empty_texts_out():
    chosen = sampled_texts([5, 0, 5, 5], [0, 1, 2], most=6, rng=np.random.default_rng(0))
    assert sorted(chosen) == [0, 2]


def test_a_word_list_breaks_ties_by_the_first_label():
    assert commonest_labels([("a", "a")], [np.array([1, 0])]) == ({"a": 0}, 0)
    assert commonest_labels([("a",)], [np.array([-1])]) == ({}, -1)


def test_what_is_held_while_texts_are_read_does_not_grow_with_them(monkeypatch):
    monkeypatch.setattr(reading, "WORDS_AT_ONCE", 64)

    class Quick(PlantedLayers):
        def representations(self, passages, *, poolings, layers):
            self.asked = max(self.asked, len(passages))
            return np.ones((len(passages), len(layers), len(poolings), 400), np.float32)

    model = Quick()
    text = " ".join(["a"] * 8)

    def peak(count):
        gc.collect()
        tracemalloc.start()
        for _ in word_vectors(model, (Example(str(i), {"text": text}) for i in range(count)), [1]):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(80) < 1.1 * peak(40)
    assert model.asked == 64


def test_a_text_without_words_and_one_without_vectors_are_failures():
    class Nothing(PlantedLayers):
        def representations(self, passages, **asked):
            return super().representations(passages, **asked) * np.nan

    texts = [Example("1", {"text": ""}), Example("2", {"text": "a b"})]
    found = [*word_vectors(Nothing(), texts, [0])]
    assert all(isinstance(one, Failure) for one in found)
    assert [one.reason for one in found] == ["no_words", "no_vector"]


def test_layers_are_held_one_by_one_where_no_more_fit():
    assert [*in_blocks([0, 1, 2], each=100, most=10)] == [[0], [1], [2]]
