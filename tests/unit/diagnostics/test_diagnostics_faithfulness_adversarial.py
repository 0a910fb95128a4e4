"""Adversarial attention: bounds, the search against torch, and planted toys."""

import numpy as np
import pytest
from faithful_texts import TASK, examples, measured, rows, values
from toy_attention_layer import (
    ToyAttentionLayer,
    faithful_layer,
    unfaithful_layer,
)
from toy_runs import estimate, resolve_only, run

from scrutiny.core.errors import PlanError
from scrutiny.diagnostics.faithfulness.other_attention import (
    Adversarial,
    AdversarialParams,
    adam,
    search,
)
from scrutiny.diagnostics.faithfulness.single_layer import LengthGroup
from scrutiny.stats.distributions.divergence import LARGEST_JS, js
from scrutiny.testing import check_diagnostic

ROWS = rows(16)
QUICK = {"steps": 150, "lr": 0.05, "copies": 3}


def group_of(toy, texts):
    found = tuple(toy.attention_layer(texts))
    return LengthGroup(tuple(examples(rows(len(texts)))), found, (1.0,) * len(texts))


def test_it_keeps_the_promises_of_its_protocol():
    given = [*ROWS[:3], {"id": "one", "text": "good", "label": "positive"}]
    check_diagnostic(Adversarial(), examples=examples(given), task=TASK, model=faithful_layer())


def test_the_divergence_is_never_above_log_2_and_the_output_stays_within_epsilon():
    found, _ = measured(Adversarial(), AdversarialParams(**QUICK), unfaithful_layer(), ROWS)
    for epsilon in (0.01, 0.05):
        apart = values(found, Adversarial(), "js", epsilon=epsilon)
        assert 0 <= min(apart) <= max(apart) <= LARGEST_JS
        assert max(values(found, Adversarial(), "change", epsilon=epsilon)) <= epsilon


def test_the_search_is_that_of_torch():
    """Same start, same objective, Adam with amsgrad: written a second time in torch."""
    torch = pytest.importorskip("torch")
    says = {"good": (0.0, 3.0), "ok": (0.5, 0.2), "the": (0.1, 0.0)}
    toy = ToyAttentionLayer({"good": 1.0, "the": 0.5}, says)
    group = group_of(toy, ["the good day ok", "ok the bus good"])
    params = AdversarialParams(steps=60, copies=3)
    noise = np.random.default_rng(0).standard_normal((2, 3, 4))
    _, found = search(toy, group, noise, params)

    def tensor(values):
        return torch.tensor(values, dtype=torch.float64)

    vectors = tensor(np.stack([one.vectors for one in group.attended]))
    old, own = tensor(group.probabilities)[:, None], tensor(group.weights)[:, None]

    def divergence(p, q):
        middle = (p + q) / 2
        return ((p * (p / middle).log()).sum(-1) + (q * (q / middle).log()).sum(-1)) / 2

    logits = tensor(3 * noise).requires_grad_()
    optimizer = torch.optim.Adam([logits], lr=0.01, amsgrad=True)
    for _ in range(60):
        weights = torch.softmax(logits, -1)
        outputs = torch.softmax(weights @ vectors, -1)
        change = (outputs - old).abs().sum(-1) / 2
        loss = 500 * torch.relu(change - 0.01) - divergence(weights, own)
        pairs = divergence(weights[:, :, None], weights[:, None])
        total = loss.sum() - pairs.mean(dim=(1, 2)).sum()
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
    assert found == pytest.approx(torch.softmax(logits, -1).detach().numpy(), abs=1e-8)


def test_adam_is_that_of_torch_on_a_rough_function():
    torch = pytest.importorskip("torch")
    start = np.array([2.0, -3.0, 0.5])
    place = torch.tensor(start, requires_grad=True)
    optimizer = torch.optim.Adam([place], lr=0.1, amsgrad=True)
    for _ in range(50):
        optimizer.zero_grad()
        (place**2 * torch.sin(3 * place)).sum().backward()
        optimizer.step()

    def gradient(x):
        return 2 * x * np.sin(3 * x) + 3 * x**2 * np.cos(3 * x)

    assert adam(start, gradient, steps=50, lr=0.1) == pytest.approx(place.detach().numpy())


def test_a_text_is_attacked_alike_in_any_company():
    together, _ = measured(Adversarial(), AdversarialParams(**QUICK), faithful_layer(), ROWS[:5])
    alone, _ = measured(Adversarial(), AdversarialParams(**QUICK), faithful_layer(), ROWS[2:3])
    assert [row for row in together if row.item == "i2"] == alone


def test_without_a_step_the_search_ends_where_it_began():
    found, _ = measured(Adversarial(), AdversarialParams(steps=0), faithful_layer(), ROWS[:4])
    own = [row.values for row in found if row.role == "measured"]
    assert own == [row.values for row in found if row.role == "control"]


def test_the_control_is_what_random_weights_find():
    toy = unfaithful_layer()  # the output stays the same under any weights
    found, ctx = measured(Adversarial(), AdversarialParams(**QUICK), toy, ROWS[:1])
    noise = ctx.rng("noise", Adversarial.id, "i0").standard_normal(
        (3, len(ROWS[0]["text"].split()))
    )
    start = np.exp(3 * noise) / np.exp(3 * noise).sum(-1, keepdims=True)
    expected = js(start, toy.attention_layer([ROWS[0]["text"]])[0].weights).max()
    (control,) = [r for r in found if r.role == "control" and "0.01" in r.condition]
    assert control.values[0] == pytest.approx(expected)


def test_planted_attention_is_told_from_attention_without_effect(tmp_path):
    one = run("faithfulness.adversarial", faithful_layer(), ROWS, tmp_path / "a", **QUICK)
    other = run("faithfulness.adversarial", unfaithful_layer(), ROWS, tmp_path / "b", **QUICK)
    near, far = (estimate(f, "mean(js)", epsilon=0.01) for f in (one, other))
    assert near.value < 0.1
    assert far.value > 0.55
    assert estimate(other, "adversarial_found", epsilon=0.01).value == 1.0
    assert estimate(one, "adversarial_found", epsilon=0.01).value == 0.0
    assert one.findings()[0].verdict == "supported"
    assert other.findings()[0].verdict == "not supported"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"copies": 0}, "copies must be at least 1"),
        ({"epsilons": []}, "epsilons lie between 0 and 1"),
        ({"lr": 0.0}, "lr must be above 0"),
    ],
)
def test_strange_parameters_are_refused(params, message):
    with pytest.raises(PlanError, match=message):
        resolve_only(faithful_layer(), ROWS, diagnostic="faithfulness.adversarial", params=params)
