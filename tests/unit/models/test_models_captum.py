"""Integrated gradients beside captum's, which takes the same nodes of the same path."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
captum = pytest.importorskip("captum.attr", reason="captum is not installed", exc_type=ImportError)

from tiny_bert import make_checkpoint  # noqa: E402

from scrutiny.core.example import Example  # noqa: E402
from scrutiny.core.queries.gradients import PathGradient  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402

STEPS = 24


@pytest.mark.parametrize("baseline", ["zeros", "pad"])
def test_attributions_are_captums(tmp_path, classification, baseline):
    model = load_model(f"hf:{make_checkpoint(tmp_path / 'model')}", classification)
    label = model.labels[1]
    query = PathGradient.of(
        Example("1", {"text": "the film was good"}), label, baseline=baseline, steps=STEPS
    )
    (ours,) = model.path_gradients([query])

    network, tokenizer = model._forward.network, model._tokenizer
    encoded = tokenizer("the film was good", return_tensors="pt")
    ids = encoded["input_ids"]
    embedding = network.get_input_embeddings()
    vectors = embedding(ids).detach()
    start = vectors.clone()
    inside = ~torch.isin(ids[0], torch.tensor(tokenizer.all_special_ids))
    start[0, inside] = embedding.weight[tokenizer.pad_token_id] if baseline == "pad" else 0.0

    def logit(points):
        mask = torch.ones(points.shape[:2], dtype=torch.long)
        return network(inputs_embeds=points, attention_mask=mask).logits[:, 1]

    theirs, delta = captum.IntegratedGradients(logit).attribute(
        vectors, start.detach(), n_steps=STEPS, method="gausslegendre",
        return_convergence_delta=True,
    )  # fmt: skip
    expected = theirs.sum(-1)[0, inside].detach().numpy()
    np.testing.assert_allclose(ours.attributions, expected, atol=1e-5)
    gained = ours.scores[1] - ours.scores[0]
    assert sum(ours.attributions) - gained == pytest.approx(float(delta), abs=1e-5)
