"""Attention as an attribution of a transformer: of the pieces, and the answer, that it is of."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_bert import make_checkpoint  # noqa: E402

from scrutiny.core.example import Example  # noqa: E402
from scrutiny.diagnostics.attribution.methods.attention import (  # noqa: E402
    Attention,
    AttentionTimesGradient,
)
from scrutiny.diagnostics.attribution.methods.method import Effort  # noqa: E402
from scrutiny.diagnostics.attribution.read_texts import read_text  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.tasks.classification import TextClassification  # noqa: E402
from scrutiny.testing.checking import ToyContext  # noqa: E402


def test_attention_is_that_of_the_pieces_that_the_classifier_reads(tmp_path, monkeypatch):
    """Beside transformers' own weights of the text: "films" is two pieces, and "," has no space."""
    folder, text = make_checkpoint(tmp_path), "films, not dull!"
    maker = transformers.BertForSequenceClassification
    network = maker.from_pretrained(folder, attn_implementation="eager")
    tokens = transformers.AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        row = network(**tokens, output_attentions=True).attentions[-1][0].mean(0)[0].numpy()
    model = load_model(f"hf:{folder}", TextClassification())
    context = ToyContext(TextClassification(), model)
    example = Example("1", {"text": text})
    one = read_text(example, context.predict([example])[0], model.labels)
    (found,) = Attention().scores([one], context, Effort())
    assert found == pytest.approx([row[1] + row[2], *row[3:7]], abs=1e-6)
    other = replace(one, is_own=False)
    (failed,) = AttentionTimesGradient().scores([other], context, Effort())
    assert (failed.reason, failed.status) == ("other_answer", "undefined")
    encode = model.encode
    monkeypatch.setattr(model, "encode", lambda texts: [e._replace(ids=()) for e in encode(texts)])
    (failed,) = Attention().scores([one], context, Effort())
    assert (failed.reason, failed.status) == ("other_pieces", "undefined")
