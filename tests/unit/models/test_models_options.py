"""Language models that choose among options, against a forward of each filled text by itself."""

from functools import cache

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.answers.choices import Option  # noqa: E402
from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.example import Example  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402
from scrutiny.testing import check_adapter  # noqa: E402

TASK = load_task("multiple-choice")
OPTIONS = ("good", "not good", "a dull film")


@pytest.fixture(scope="module")
def causal(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    return make_language_model(folder, "GPT2", head="LMHeadModel")


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    return make_language_model(tmp_path_factory.mktemp("filled"), "Bert")


def item(text, number=0):
    own = {f"option_{i}": option for i, option in enumerate(OPTIONS, 1)}
    return Example(str(number), {"text": text, **own}, Option(0))


def ask(folder, **options):
    return load_model(f"choice:hf:{folder}", TASK, LoadOptions(options=options))


@cache
def parts(folder, kind):
    network = getattr(transformers, f"AutoModelFor{kind}").from_pretrained(folder).eval()
    return network, transformers.AutoTokenizer.from_pretrained(folder)


def logs(folder, kind, ids):
    network, _ = parts(folder, kind)
    with torch.no_grad():
        return network(torch.tensor([ids])).logits[0].log_softmax(-1)


def continued(folder, front, option, back, scored):
    """Mean log-probability of an option and what follows it, or of what follows it."""
    _, tokenizer = parts(folder, "CausalLM")
    sides = [tokenizer(one)["input_ids"] for one in (front, option, back)]
    ids = [token for side in sides for token in side]
    start = len(sides[0]) + (len(sides[1]) if scored == "partial" and back else 0)
    found = logs(folder, "CausalLM", ids)
    return sum(found[i - 1, ids[i]].item() for i in range(start, len(ids))) / (len(ids) - start)


@pytest.mark.parametrize("scored", ["full", "partial"])
@pytest.mark.parametrize("text", ["the film was _ and the story bad", "the film was bad"])
def test_a_causal_model_takes_the_likeliest(causal, text, scored):
    front, gap, back = text.partition("_")
    each = [continued(causal, front, one, back if gap else "", scored) for one in OPTIONS]
    (answer,) = ask(causal, scored=scored).predict([item(text)])
    assert answer.answer == Option(each.index(max(each)))
    shares = torch.tensor(each).softmax(0)
    assert answer.scores == (pytest.approx(shares.max().item(), abs=1e-5),)


def test_a_masked_model_masks_all_words_of_an_option(masked):
    _, tokenizer = parts(masked, "MaskedLM")
    each = []
    for option in OPTIONS:
        own = tokenizer(option, add_special_tokens=False)["input_ids"]
        text = "the film was" + " [MASK]" * len(own) + " and dull"
        ids = tokenizer(text)["input_ids"]
        places = [i for i, one in enumerate(ids) if one == tokenizer.mask_token_id]
        found = logs(masked, "MaskedLM", ids)
        total = sum(found[i, token].item() for i, token in zip(places, own, strict=True))
        each.append(total / len(own))
    (answer,) = ask(masked).predict([item("the film was _ and dull")])
    assert answer.answer == Option(each.index(max(each)))


def test_it_keeps_the_promises_of_models(causal):
    check_adapter(ask(causal), [item("the film was _", 0), item("a story", 1), item("bad", 2)])
    assert ask(causal).fingerprint() != ask(causal, length="sum").fingerprint()


@pytest.mark.parametrize("options", [{"length": "max"}, {"scored": "half"}, {"template": "{text}"}])
def test_options_that_it_has_not_are_refused(causal, options):
    with pytest.raises(ModelError, match="length is one of sum, mean"):
        ask(causal, **options)
