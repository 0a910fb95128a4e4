"""Cells that follow a feature: a planted one, one of noise, one that sees it; texts without it."""

from contextlib import contextmanager

import numpy as np
import pytest
from toy_runs import estimate, run

from scrutiny.blocks.scored_texts import ScoredText, shaded
from scrutiny.blocks.section import SentenceBlock
from scrutiny.blocks.terminal_and_markdown import block_lines
from scrutiny.core.model import Model
from scrutiny.core.queries.states import CellStates
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.cells.cell_charts import PART, lines, part
from scrutiny.diagnostics.cells.cell_texts import CellText, kept_texts
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


@pytest.fixture(scope="module")
def chance(tmp_path_factory):
    return run("cells", Counting(), [*rows()], tmp_path_factory.mktemp("chance"))


def test_cells_of_noise_follow_nothing(chance):
    assert "supported" not in {f.verdict for f in chance.findings()}


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
    followed, texts, gates = part(view).charts
    row = next(row for row in followed.table.rows if row[0] == "brackets")
    assert row[1] == "layer 1, cell 4 (p 0.01; 0.05)"
    assert [row[0] for row in gates.table.rows] == ["layer 1, input", "layer 1, forget"]
    assert any(
        "layer 1, cell 4" in one.text for one in lines(view) if isinstance(one, SentenceBlock)
    )
    assert {row[0].partition(":")[0] for row in texts.table.rows} == {"brackets"}


def test_texts_are_dark_where_the_cell_is_as_in_open_brackets(planted):
    view = load_view(planted.path)
    (texts,) = (chart for chart in part(view).charts if chart.scored)
    assert texts.has_texts
    assert texts.legend[1] == ""  # no dotted words
    first = texts.scored[0]
    (row,) = (r for r in texts.table.rows if r[0] == first.of and r[1] == first.title)
    assert float(row[2]) > 0.9  # the planted cell falls where brackets open
    assert float(row[3]) > float(row[4])
    item = first.of.partition(": ")[2]
    (text,) = (one["text"] for one in rows() if one["id"] == item)
    assert "".join(word.text for word in first.words) == text.replace(" ", "")
    depth = brackets(text, token_spans(text))
    deepest = max(first.words, key=lambda word: word.score)
    assert deepest.text == text.split()[int(depth.argmax())]
    assert deepest.shade > 0
    (shown,) = (one for one in lines(view) if isinstance(one, ScoredText))
    printed = "\n".join(line.plain for line in block_lines([shown]))
    assert "[(]" in printed  # seen without a color
    assert max(map(len, printed.split("\n"))) <= 80


def test_no_text_is_colored_by_a_cell_of_chance(chance):
    assert not any(chart.scored for chart in part(load_view(chance.path)).charts)


def test_characters_stand_together_again_with_gaps_between_words():
    text, values = "(ab) cd", [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    states = np.array([0.9, 0.9, 0.9, -0.9, -0.9, -0.9, -0.9])[:, None]
    places = tuple((i, i + 1) for i in range(len(text)))
    (kept,) = kept_texts([CellText("a", text, places, -states, np.array(values))], 0, -1.0)
    assert kept["levels"] == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert kept["gaps"] == [False] * 4 + [True, False]
    shown = shaded("", kept["pieces"], kept["levels"], kept["gaps"], most=1.0).merged()
    assert [word.marked for word in shown.words] == ["[[(ab]]", ")", "cd"]


def test_texts_without_a_change_of_the_feature_are_not_kept():
    same = CellText("a", "ab", ((0, 1), (1, 2)), np.zeros((2, 1)), np.zeros(2))
    assert [*kept_texts([same], 0, 1.0)] == []


def test_features_of_an_empty_text_are_empty():
    assert [len(of("", ())) for of in FEATURES.values()] == [0, 0, 0, 0]


def test_position_begins_anew_in_each_line():
    text = "a b\nc d"
    assert FEATURES["position"](text, token_spans(text)).tolist() == [0, 1, 0, 1]
