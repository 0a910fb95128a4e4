"""Random recurrent networks: what they follow by chance, and because they see it."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scrutiny.diagnostics.cells.cells import best_cell  # noqa: E402
from scrutiny.models.recurrent_cells import states_of  # noqa: E402
from scrutiny.models.shuffled_weights import shuffled  # noqa: E402
from scrutiny.stats.association.moved_features import followed_feature  # noqa: E402

pytestmark = pytest.mark.slow
NETWORKS, POSITIONS = 80, 150


def brackets(rng, positions=POSITIONS):
    """Pieces "(", ")", "a" as 0, 1, 2, and how many brackets are open behind each."""
    pieces, depth, depths = [], 0, []
    for draw in rng.random(positions).tolist():
        piece = 0 if draw < 0.1 and depth < 3 else 1 if draw < 0.25 and depth else 2
        depth += (1, -1, 0)[piece]
        pieces.append(piece)
        depths.append(depth)
    return np.array(pieces), np.array(depths, dtype=float)


def test_random_networks_follow_another_text_in_one_of_twenty_and_their_own_far_more_often():
    """Cells of random weights see each bracket, so that they follow the depth of their own text.

    A feature moved along the text cannot tell that from a counter; untrained networks can.
    """
    rng = np.random.default_rng(0)
    own = other = 0
    for seed in range(NETWORKS):
        torch.manual_seed(seed)
        layer = torch.nn.LSTM(3, 16).double()
        pieces, depth = brackets(rng)
        states = states_of(layer, np.eye(3)[pieces])["layer 1"].states
        own += followed_feature(states, depth, rng=rng, moves=39).p_value <= 0.05
        elsewhere = brackets(rng)[1]
        other += followed_feature(states, elsewhere, rng=rng, moves=39).p_value <= 0.05
    assert other <= 0.05 * NETWORKS + 2 * (NETWORKS * 0.05 * 0.95) ** 0.5
    assert own > NETWORKS / 2


TEXTS, SHUFFLED = 6, 19
HALVES = (0, 1, 2), (3, 4, 5)


def is_above_shuffled(layer, seed):
    """Whether the best cell follows brackets better than that of all networks with its weights."""
    rng = np.random.default_rng(seed)
    texts = [brackets(rng, 30) for _ in range(TEXTS)]
    depths = [depth for _, depth in texts]

    def best():
        states = [states_of(layer, np.eye(3)[pieces])["layer 1"].states for pieces, _ in texts]
        return best_cell(states, depths, HALVES).r

    own, others = best(), []
    for draw in range(SHUFFLED):
        with shuffled(layer, 1.0, 1000 * seed + draw):
            others.append(best())
    return own > max(others)


def test_beside_shuffled_weights_random_networks_stand_out_in_one_of_twenty():
    """Here the null is exact: weights of one distribution are as good in any order."""
    above = 0
    for seed in range(40):
        torch.manual_seed(seed)
        above += is_above_shuffled(torch.nn.LSTM(3, 8).double(), seed)
    assert above <= 0.05 * 40 + 2 * (40 * 0.05 * 0.95) ** 0.5


def test_a_planted_counter_stands_out_among_shuffled_weights():
    for seed in range(3):
        torch.manual_seed(seed)
        layer = torch.nn.LSTM(3, 8).double()
        with torch.no_grad():
            for rows in (
                layer.weight_ih_l0,
                layer.weight_hh_l0,
                layer.bias_ih_l0,
                layer.bias_hh_l0,
            ):
                rows[[0, 8, 16, 24]] = 0.0
            layer.bias_ih_l0[0] = layer.bias_ih_l0[8] = 20.0  # always let in, never forget
            layer.weight_ih_l0[16] = torch.tensor([0.1, -0.1, 0.0])
        assert is_above_shuffled(layer, seed)
