"""What language models answered is asked again, as it is for classifiers."""

import json
from dataclasses import replace

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.queries.language import Cloze, Continuation, SentencePair
from scrutiny.run.asking.answer_store import forgetful_store
from scrutiny.run.asking.client import ModelClient
from scrutiny.run.asking.identity_check import FORMS, Witnesses, outcomes
from scrutiny.testing import ToyCausalLanguageModel, ToyMaskedLanguageModel


def kept():
    """Store with memos as the journal keeps them: JSON."""
    store = forgetful_store()
    return replace(
        store,
        set_memo=lambda key, value: store.set_memo(
            key, json.loads(json.dumps(value, allow_nan=False))
        ),
    )


def client(model, store):
    witnesses = {name: Witnesses(store, "m", "toy:m", form) for name, form in FORMS.items()}
    return ModelClient(model, store, fingerprint="f", to_data={}, digest="d", witnesses=witnesses)


ASKED = [
    ("masked_logprobs", ToyMaskedLanguageModel, [(Cloze((2, 5, 3), (1,), (5,)),), ()]),
    ("token_logprobs", ToyCausalLanguageModel, [Continuation((2, 5, 6)), Continuation((2, 5), 2)]),
    ("next_sentence", ToyMaskedLanguageModel, [SentencePair("a", "b")]),
    ("attention_received", ToyMaskedLanguageModel, [(2, 5, 3), (2, 3)]),
]


@pytest.mark.parametrize(("capability", "kind", "queries"), ASKED, ids=[a[0] for a in ASKED])
def test_the_same_language_model_goes_on(capability, kind, queries):
    store, model = kept(), kind({"a": 1.0, "b": 2.0})
    client(model, store).ask(capability, queries)
    again = client(model, store)
    again.ask_again()
    assert again.tally.asked == len(queries)
    assert [one.outcome for one in outcomes(store, "m")] == ["the same"]


@pytest.mark.parametrize(
    ("capability", "kind", "queries"), ASKED[:2], ids=[a[0] for a in ASKED[:2]]
)
def test_another_language_model_is_refused(capability, kind, queries):
    store = kept()
    client(kind({"a": 1.0, "b": 2.0}), store).ask(capability, queries)
    other = client(kind({"a": 2.0, "b": 1.0}), store)
    with pytest.raises(ModelError, match=r"toy:m has changed .* it answers 1 differently"):
        other.ask(capability, [*queries, queries[0]])
