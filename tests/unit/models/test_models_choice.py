"""Language models as classifiers: scores against a forward of each text by itself."""

import math
from functools import cache

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.example import Example  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.models.answers.checked import predict_or_fail  # noqa: E402
from scrutiny.models.prompting.wordings import Wording, worded  # noqa: E402
from scrutiny.models.strings.model_families import expand  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.testing import check_adapter  # noqa: E402

TEXTS = ["the film was good", "bad", "a very dull story , and not a good film !", ""]
PROMPT = {"template": "{text} it was", "choices": "pos= good,neg= not good"}
CLOZE = {"template": "{text} it was {mask} .", "choices": "pos= good,neg= not good"}


@pytest.fixture(scope="module")
def causal(tmp_path_factory):
    folder = tmp_path_factory.mktemp("choice")
    return make_language_model(folder, "GPT2", head="LMHeadModel")


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    return make_language_model(tmp_path_factory.mktemp("cloze"), "Bert")


def ask(folder, task, options, **more):
    return load_model(f"choice:hf:{folder}", task, LoadOptions(options={**options, **more}))


@cache
def parts(folder, kind):
    network = getattr(transformers, f"AutoModelFor{kind}").from_pretrained(folder).eval()
    return network, transformers.AutoTokenizer.from_pretrained(folder)


def naive(folder, prompt, words):
    """Log-probabilities of the tokens of words behind a prompt, by one forward."""
    network, tokenizer = parts(folder, "CausalLM")
    before, behind = tokenizer(prompt)["input_ids"], tokenizer(words)["input_ids"]
    with torch.no_grad():
        logs = network(torch.tensor([before + behind])).logits[0].log_softmax(-1)
    return [logs[len(before) + i - 1, token].item() for i, token in enumerate(behind)]


def share(good, bad):
    return 1 / (1 + math.exp(bad - good))


@pytest.mark.parametrize("length", ["sum", "mean"])
def test_a_causal_model_prefers_what_it_finds_likelier(causal, classification, make, length):
    model = ask(causal, classification, PROMPT, length=length)
    assert (model.labels, model.task) == (("pos", "neg"), "text-classification")
    for text, answer in zip(TEXTS, model.predict(make(*TEXTS)), strict=True):
        good = naive(causal, f"{text} it was", " good")
        bad = naive(causal, f"{text} it was", " not good")
        size = len(bad) if length == "mean" else 1
        assert answer.scores[0] == pytest.approx(share(sum(good), sum(bad) / size), abs=1e-5)


def test_the_rest_is_a_label_where_it_is_wanted(causal, classification, make):
    model = ask(causal, classification, PROMPT, other="true")
    assert model.labels == ("pos", "neg", "other")
    for text, answer in zip(TEXTS, model.predict(make(*TEXTS)), strict=True):
        shares = [
            math.exp(naive(causal, f"{text} it was", words)[0]) for words in ("good", "not good")
        ]
        assert answer.scores == pytest.approx((*shares, 1 - sum(shares)), abs=1e-5)


def test_choices_that_begin_alike_cannot_be_told_apart_by_their_first_token(
    causal, classification, make
):
    options = {**PROMPT, "choices": "pos= not bad,neg= not good", "other": "true"}
    with pytest.raises(ModelError, match="differ in their first token"):
        ask(causal, classification, options).predict(make("bad"))


def test_equal_choices_share_their_prompt(causal, classification, make, monkeypatch):
    model = ask(causal, classification, {**PROMPT, "choices": "a= good,b= bad,c= fine"})
    seen = []
    reader = model._model._reader
    read = reader.read
    monkeypatch.setattr(
        reader,
        "read",
        lambda sequences, reads: (seen.append(len(sequences)), read(sequences, reads))[1],
    )
    model.predict(make("the film", "bad"))
    assert seen == [1, 1]  # one forward a text, not one a choice


def test_texts_share_a_batch_where_that_is_wanted(causal, classification, make):
    together = load_model(
        f"choice:hf:{causal}", classification, LoadOptions(batch=3, options=PROMPT)
    )
    alone = ask(causal, classification, PROMPT)
    assert together.fingerprint() == alone.fingerprint()
    one, two = (model.predict(make(*TEXTS)) for model in (together, alone))
    for a, b in zip(one, two, strict=True):
        assert a.scores == pytest.approx(b.scores, abs=1e-5)
    turned = alone.predict(make(*TEXTS)[::-1])[::-1]
    assert [answer.scores for answer in turned] == [answer.scores for answer in two]  # to the bit


def test_a_masked_model_says_its_words_at_the_mask(masked, classification, make):
    model = ask(masked, classification, CLOZE)
    network, tokenizer = parts(masked, "MaskedLM")
    ids = tokenizer.convert_tokens_to_ids
    for text, answer in zip(TEXTS, model.predict(make(*TEXTS)), strict=True):
        sums = []
        for words in (["good"], ["not", "good"]):
            filled = tokenizer(f"{text} it was {'[MASK]' * len(words)} .", return_tensors="pt")
            places = (filled["input_ids"][0] == tokenizer.mask_token_id).nonzero()[:, 0].tolist()
            with torch.no_grad():
                logs = network(**filled).logits[0].log_softmax(-1)
            sums.append(sum(logs[p, ids(w)].item() for p, w in zip(places, words, strict=True)))
        assert answer.scores[0] == pytest.approx(share(*sums), abs=1e-5)


def test_a_mask_in_the_text_itself_is_not_read(masked, classification, make):
    model = ask(masked, classification, {**CLOZE, "choices": "pos=good,neg=bad"})
    one, two = model.predict(make("[MASK] film", "the film"))
    assert one.scores != two.scores
    assert sum(one.scores) == pytest.approx(1)


def test_the_mask_leaves_room_for_other_words(masked, classification, make):
    options = {**CLOZE, "choices": "pos=good,neg=bad", "other": "true"}
    (answer,) = ask(masked, classification, options).predict(make("the film"))
    assert len(answer.scores) == 3
    assert sum(answer.scores) == pytest.approx(1)
    with pytest.raises(ModelError, match="into 2 tokens; with other=true it must be one"):
        ask(masked, classification, CLOZE, other="true").predict(make("bad"))


def test_pairs_fill_two_fields(causal, pairs):
    options = {"template": "{text} and {text_pair} is", "choices": "yes= good|no= bad"}
    model = ask(causal, pairs, options)
    examples = [Example(id="0", fields={"text": "the film", "text_pair": "it was fine"})]
    good, bad = (naive(causal, "the film and it was fine is", w)[0] for w in (" good", " bad"))
    assert model.predict(examples)[0].scores[0] == pytest.approx(share(good, bad), abs=1e-5)


@pytest.mark.parametrize("options", [PROMPT, {**PROMPT, "other": "true"}])
def test_conformance_of_causal_models(causal, classification, make, options):
    check_adapter(ask(causal, classification, options), make(*TEXTS * 4))


def test_conformance_of_masked_models(masked, classification, make):
    check_adapter(ask(masked, classification, CLOZE), make(*TEXTS * 4))


def test_what_is_too_long_fails_alone(causal, classification, make):
    model = ask(causal, classification, PROMPT)
    fine, long = predict_or_fail(model, make("good", "good " * 30))
    assert sum(fine.scores) == pytest.approx(1)
    assert isinstance(long, Failure)
    assert long.reason == "too_long"


def test_an_empty_prompt_has_the_begin_token(causal, classification, make):
    model = ask(causal, classification, {"template": "{text}", "choices": "pos=good,neg=bad"})
    (answer,) = model.predict(make(""))
    good, bad = (naive(causal, "[SEP]", word)[0] for word in ("good", "bad"))
    assert answer.scores[0] == pytest.approx(share(good, bad), abs=1e-5)


def test_all_that_changes_an_answer_is_in_the_fingerprint(causal, classification, tmp_path):
    (tmp_path / "prompt.txt").write_text(PROMPT["template"] + "\n")
    changed = [
        {"template": "{text} the story was"},
        {"choices": "pos= fine,neg= not good"},
        {"choices": "neg= not good,pos= good"},
        {"length": "mean"},
        {"other": "true"},
        {"attention": "eager"},
    ]
    first = ask(causal, classification, PROMPT).fingerprint()
    prints = [ask(causal, classification, PROMPT, **more).fingerprint() for more in changed]
    assert len({first, *prints}) == 1 + len(changed)
    by_file = {"template": f"@{tmp_path / 'prompt.txt'}"}
    assert ask(causal, classification, PROMPT, **by_file).fingerprint() == first


def test_written_line_ends_are_line_ends(causal, classification):
    plain = ask(causal, classification, {**PROMPT, "template": "{text}\nit was"})
    written = ask(causal, classification, {**PROMPT, "template": r"{text}\nit was"})
    assert written.fingerprint() == plain.fingerprint()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"choices": PROMPT["choices"]}, "needs the text that the model goes on with"),
        ({**PROMPT, "template": "it was"}, "must name every field"),
        ({**PROMPT, "template": "{text} {title}"}, "must name every field"),
        ({**PROMPT, "template": "@nowhere.txt"}, "cannot be read"),
        ({**PROMPT, "choices": "pos= good"}, "choices="),
        ({**PROMPT, "choices": "pos= good,neg= "}, "choices="),
        ({**PROMPT, "choices": "pos= good,neg= good"}, "choices="),
        ({**PROMPT, "length": "median"}, "length is one of sum, mean"),
        ({**PROMPT, "length": "sum", "other": "true"}, "no length to choose"),
        ({**PROMPT, "choices": "pos= good,other= bad", "other": "true"}, "can be called 'other'"),
        ({**PROMPT, "template": "{text} {mask}"}, "leave {mask} out"),
        ({**PROMPT, "temperature": "1"}, "no option 'temperature'"),
    ],
)
def test_options_that_do_not_read(causal, classification, options, message):
    with pytest.raises(ModelError, match=message):
        ask(causal, classification, options)


def test_models_that_cannot_be_asked_so(masked, classification, tagging, tmp_path):
    with pytest.raises(ModelError, match=r"write \{mask\} into the template"):
        ask(masked, classification, PROMPT)
    with pytest.raises(ModelError, match="cannot answer the task token-tagging"):
        ask(masked, tagging, CLOZE)
    encoder = make_language_model(tmp_path, "Bert", head="")
    with pytest.raises(ModelError, match="is no language model"):
        ask(encoder, classification, CLOZE)


def test_families_are_those_of_the_language_model(tmp_path, classification, make):
    for seed in (1, 2):
        make_language_model(tmp_path / f"seed-{seed}", "GPT2", head="LMHeadModel", seed=seed)
    (tmp_path / "prompt.txt").write_text(PROMPT["template"])
    tail = f"#template=@{tmp_path / 'prompt.txt'},choices=pos= good|neg= bad"
    family = expand(f"choice:hf:{tmp_path}/seed-{{seed}}{tail}", name="models")
    assert [r.random for r in family.replicates] == [{"seed": "1"}, {"seed": "2"}]
    one, two = (load_model(r.source, classification) for r in family.replicates)
    assert one.predict(make("bad")) != two.predict(make("bad"))
    with pytest.raises(ModelError, match="braces are captures"):
        expand("choice:smollm2#template={text},choices=a=b|c=d", name="models")


def test_untrained_models_take_a_seed(causal, classification, tmp_path):
    (tmp_path / "prompt.txt").write_text(PROMPT["template"])
    tail = f"#template=@{tmp_path / 'prompt.txt'},choices=pos= good|neg= bad"
    family = expand(f"choice:untrained:hf:{causal}{tail}", name="null", seeds=(0, 1))
    prints = {load_model(r.source, classification).fingerprint() for r in family.replicates}
    assert len(prints) == 2


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_wording_is_asked_as_a_template_of_its_own(kind, request, classification, make):
    folder = request.getfixturevalue(kind)
    options = PROMPT if kind == "causal" else CLOZE
    model = ask(folder, classification, options)
    other = ask(folder, classification, options, template="so : " + options["template"])
    wording, same = Wording("so", before="so : "), Wording("expert", system="You judge.")
    examples = make(*TEXTS[:3])
    mixed = [examples[0], *(worded(one, wording) for one in examples), examples[1]]
    found = model.predict(mixed)
    assert found[1:4] == other.predict(examples)
    assert [found[0], found[4]] == model.predict(examples[:2])
    assert model.wordings([wording, same]) == [wording]
