"""Cells that follow a feature: a planted one, one of noise, one that sees it; texts without it."""

from contextlib import contextmanager

import numpy as np
import pytest
from toy_runs import estimate, run

from scrutiny.core.model import Model
from scrutiny.core.queries.states import CellStates
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.cells.cell_charts import PART, lines, part
from scrutiny.diagnostics.cells.cells import CELL_R, Cells
from scrutiny.diagnostics.cells.gate_counts import GATES
from scrutiny.diagnostics.cells.text_features import FEATURES, brackets
from scrutiny.report.load import load_view
from scrutiny.store.stored_forms import packed_in
from scrutiny.testing import check_diagnostic, check_part, check_statistic
from scrutiny.text.tokens import token_spans


class Counting(Model):
    """Ten cells of noise; the fourth counts open brackets or marks them, trained or always."""

    source = "toy"
    task = "text-classification"
    labels = ("a", "b")
    capabilities = frozenset({"predict", "cells", "shuffled_weights"})

    def __init__(self, follows=None, *, also_untrained=False, seed=0):
        self.follows, self.also_untrained, self.seed = follows, also_untrained, seed

    @contextmanager
    def with_shuffled_weights(self, share, seed):
        assert share == 1.0
        yield Counting(self.follows if self.also_untrained else None, seed=seed)

    def predict(self, examples):
        return [Prediction("a", (0.9, 0.1)) for _ in examples]

    def cell_pieces(self, text):
        return tuple(token_spans(text))

    def cells(self, text):
        places = self.cell_pieces(text)
        rng = np.random.default_rng([self.seed, *text.encode()])
        states = rng.uniform(-1, 1, size=(len(places), 10))
        if self.follows:
            noise = 0.3 * states[:, 3] if self.also_untrained else 0.0
            states[:, 3] = np.tanh(-0.3 * self.follows(text, places)) + noise
        gates = {"input": np.full_like(states, 0.95), "forget": np.full_like(states, 0.5)}
        return {"layer 1": CellStates(gates, states, states)}


def rows(count=24):
    """Texts with brackets at random places."""
    rng = np.random.default_rng(1)
    for i in range(count):
        words = rng.choice(["sun", "sea", "wind", "(", ")", "sand"], 30).tolist()
        yield {"id": f"i{i}", "text": " ".join(words), "label": "ab"[i % 2]}


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    return run("cells", Counting(brackets), [*rows()], tmp_path_factory.mktemp("cells"))


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(Cells(), model=Counting(brackets))
    check_statistic(CELL_R)


def test_the_planted_cell_is_chosen_and_measured_on_other_texts(planted):
    own = estimate(planted, "cell_r", feature="brackets")
    controls = [
        e
        for e in planted.estimates()
        if e.key.metric == "cell_r@1"
        and e.key.role == "control"
        and e.key.condition["feature"] == "brackets"
    ]
    assert own.value > 0.95
    assert own.counts.n == 12
    assert len(controls) == 2
    assert all(one.value < 0.4 for one in controls)
    verdicts = {f.claim.says: f.verdict for f in planted.findings()}
    assert verdicts["a cell follows brackets"] == "supported"


def test_a_feature_that_no_text_has_is_undefined_and_nothing_is_claimed(planted):
    assert estimate(planted, "cell_r", feature="quotes").value is None
    verdicts = {f.claim.says: f.verdict for f in planted.findings()}
    assert verdicts["a cell follows quotes"] != "supported"


def test_cells_of_noise_follow_nothing(tmp_path):
    folder = run("cells", Counting(), [*rows()], tmp_path)
    assert "supported" not in {f.verdict for f in folder.findings()}


def test_a_cell_that_random_networks_have_as_well_is_no_detector(tmp_path):
    folder = run("cells", Counting(brackets, also_untrained=True), [*rows()], tmp_path)
    own = estimate(folder, "cell_r", feature="brackets")
    assert own.value > 0.7
    beyond = estimate(folder, "beyond(cell_r)", feature="brackets", weights="shuffled")
    assert beyond.value < 0.1
    verdicts = {f.claim.says: f.verdict for f in folder.findings()}
    assert verdicts["a cell follows brackets"] != "supported"


def test_shares_of_gates_add_up_to_one(planted):
    kept = [*packed_in(planted.path, GATES)]
    assert len(kept) == 20
    assert all(one["shut"] + one["between"] + one["open"] == pytest.approx(1) for one in kept)
    assert {one["open"] for one in kept if one["gate"] == "input"} == {1.0}


def test_the_page_names_the_cell_and_shows_the_gates(planted):
    view = load_view(planted.path)
    check_part(PART, view)
    followed, gates = part(view).charts
    row = next(row for row in followed.table.rows if row[0] == "brackets")
    assert row[4] == "layer 1, cell 4 (p 0.01; 0.05)"
    assert [row[0] for row in gates.table.rows] == ["layer 1, input", "layer 1, forget"]
    assert any("layer 1, cell 4" in one.text for one in lines(view))


def test_features_of_an_empty_text_are_empty():
    assert [len(of("", ())) for of in FEATURES.values()] == [0, 0, 0, 0]


def test_position_begins_anew_in_each_line():
    text = "a b\nc d"
    assert FEATURES["position"](text, token_spans(text)).tolist() == [0, 1, 0, 1]
