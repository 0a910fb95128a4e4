"""Random recurrent networks: what they follow by chance, and because they see it."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scrutiny.models.words.recurrent_cells import states_of  # noqa: E402
from scrutiny.stats.association.moved_features import followed_feature  # noqa: E402

pytestmark = pytest.mark.slow
NETWORKS, POSITIONS = 200, 150


def brackets(rng):
    """Pieces "(", ")", "a" as 0, 1, 2, and how many brackets are open behind each."""
    pieces, depth, depths = [], 0, []
    for draw in rng.random(POSITIONS).tolist():
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
