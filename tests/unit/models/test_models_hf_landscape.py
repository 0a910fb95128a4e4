"""The loss around the weights: against full gradients and Hessians, and on toy losses."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.core.queries.language import HasLandscape, Probe  # noqa: E402
from scrutiny.models.hf.loss_landscape import LossSurface, _batches, _cut, landscape, masked_guess  # noqa: E402  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402

pytestmark = pytest.mark.extra("transformers")
TEXTS = ["the cat sat on the mat", "a dog ran", "the dog sat", "the mat", ""]


class Bowl(torch.nn.Module):
    """A "network" whose loss at two texts is known: its logits are its weights."""

    def __init__(self, values):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor(values, dtype=torch.float64))

    def forward(self, input_ids):
        from types import SimpleNamespace

        return SimpleNamespace(logits=self.weight.expand(*input_ids.shape, -1))


def bowl(values=(0.0, 0.0, 0.0)):
    network = Bowl(list(values))
    labels = torch.tensor([[0], [1]])
    return network, LossSurface(network, [(np.arange(2), {"input_ids": labels}, labels)], 2)


def test_a_softmax_has_the_slope_and_curvature_of_the_textbook():
    network, losses = bowl((0.3, -0.2, 0.1))
    p = torch.softmax(network.weight.detach(), 0).numpy()
    gradient = p - np.array([0.5, 0.5, 0.0])
    hessian = np.diag(p) - np.outer(p, p)
    found = landscape(losses, Probe(iterations=500))
    assert found["loss"] == pytest.approx(-np.log(p[:2]))
    assert found["gradient"].mean() == pytest.approx(np.linalg.norm(gradient), rel=1e-6)
    assert found["curvature"].mean() == pytest.approx(np.linalg.eigvalsh(hessian)[-1], rel=1e-3)


def test_the_weights_are_put_back_and_an_error_leaves_them_so():
    network, losses = bowl((0.3, -0.2, 0.1))
    before = network.weight.detach().clone()
    landscape(losses, Probe())
    assert torch.equal(network.weight.detach(), before)


def test_a_sharper_bowl_is_sharper():
    values = np.array([1.0, -1.0, 0.5])
    mild, steep = (
        landscape(bowl(values * by)[1], Probe(radius=0.2))["sharpness"].mean() for by in (1, 3)
    )
    assert 0 < mild < steep


@pytest.fixture(scope="module", params=["ForMaskedLM", "ForPreTraining"])
def masked(tmp_path_factory, request):
    from tiny_language import make_language_model

    folder = tmp_path_factory.mktemp("bert")
    make_language_model(folder, "Bert", head=request.param)
    return load_model(f"hf:{folder}", load_task("passages"), LoadOptions(device="cpu"))


def test_of_a_masked_model_it_is_the_norm_of_the_whole_gradient(masked):
    assert isinstance(masked, HasLandscape)
    probe = Probe(iterations=300)
    texts = TEXTS[:4]
    found = masked.landscape(texts, probe=probe)
    network = copy.deepcopy(masked._runner.network).double()
    guess = masked_guess(masked, probe)
    made = [guess(t, e) for t, e in zip(texts, masked.encode(texts), strict=True)]
    losses = LossSurface(network, _batches(made, masked._runner), 4)
    total = sum(losses.of(inputs, labels).sum() for _, inputs, labels in losses.batches) / 4
    grads = torch.autograd.grad(total, list(network.parameters()), allow_unused=True)
    norm = sum(float((g**2).sum()) for g in grads if g is not None) ** 0.5
    assert found["gradient"].mean() == pytest.approx(norm, rel=1e-5)
    assert found["loss"].mean() == pytest.approx(float(total.detach()), rel=1e-9)
    # no direction is steeper than the top eigenvector
    assert abs(found["curvature"].mean()) > 0


def test_the_head_at_guessed_tokens_only_changes_nothing(masked, monkeypatch):
    from scrutiny.models.hf import loss_landscape as hf_losses

    fast = masked.landscape(TEXTS, probe=Probe(directions=2))
    monkeypatch.setattr(hf_losses, "find_head", lambda network: None)
    slow = masked.landscape(TEXTS, probe=Probe(directions=2))
    for name, values in fast.items():
        assert values == pytest.approx(slow[name], rel=1e-6, abs=1e-9, nan_ok=True)


def test_it_is_the_same_for_any_order_and_leaves_the_model_as_it_was(masked):
    before = masked.fingerprint(), copy.deepcopy(masked._runner.network.state_dict())
    one = masked.landscape(TEXTS, probe=Probe())
    other = masked.landscape(TEXTS[::-1], probe=Probe())
    for name, values in one.items():
        assert np.isnan(values).tolist() == [False] * 4 + [True]
        assert values == pytest.approx(other[name][::-1], rel=1e-4, abs=1e-7, nan_ok=True)
    after = masked._runner.network.state_dict()
    assert all(torch.equal(after[name], kept) for name, kept in before[1].items())


def test_masks_belong_to_the_text_and_the_seed(masked):
    encoded = masked.encode(TEXTS[:1])[0]
    made = [masked_guess(masked, Probe(seed))(TEXTS[0], encoded) for seed in range(20)]
    assert made[0] == masked_guess(masked, Probe(0))(TEXTS[0], encoded)
    assert len({tuple(ids) for ids, _ in made}) > 3
    for ids, wanted in made:
        guessed = [i for i, label in enumerate(wanted) if label != -100]
        assert len(guessed) == 1
        assert [ids[i] for i in guessed] == [masked.mask_id]
        assert wanted[guessed[0]] == encoded.ids[guessed[0]]


def test_of_a_causal_model_it_is_the_loss_of_its_own_probabilities(tmp_path):
    from tiny_language import make_language_model

    from scrutiny.core.queries.language import Continuation

    folder = make_language_model(tmp_path / "gpt", "GPT2", head="LMHeadModel")
    model = load_model(f"hf:{folder}", load_task("passages"), LoadOptions(device="cpu"))
    texts = TEXTS[:3]
    found = model.landscape(texts, probe=Probe(directions=1, iterations=2))["loss"]
    ids = [(model.begin_id, *e.ids) for e in model.encode(texts)]
    said = model.token_logprobs([Continuation(i) for i in ids])
    assert found == pytest.approx([-np.mean(s) for s in said], rel=1e-4)


def test_a_text_that_is_too_long_is_cut(masked):
    long, longer = "the cat sat " * 20, "the cat sat " * 20 + "and a dog ran"
    found = masked.landscape([long, "the cat sat"], probe=Probe(directions=1))
    assert np.isfinite(found["loss"]).all()
    guess = masked_guess(masked, Probe())
    encoded = [_cut(one, masked.limit) for one in masked.encode([long, longer])]
    assert encoded[0] == encoded[1]
    assert len(guess(long, encoded[0])[0]) == masked.limit - 1
