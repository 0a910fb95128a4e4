"""Language models that write: against a loop over the likeliest tokens, in any batch."""

import shutil
from functools import cache

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.models.answers.checked import predict_or_fail  # noqa: E402
from scrutiny.models.prompting.wordings import Wording, worded  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402

TEXTS = ["the film was good", "bad", "a very dull story , and", "ada left paris for london"]
MOST = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_language_model(tmp_path_factory.mktemp("writer"), "GPT2", head="LMHeadModel")


@cache
def parts(folder):
    network = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    return network, transformers.AutoTokenizer.from_pretrained(folder)


@cache
def greedy(folder, text, most=MOST):
    """Text that the likeliest tokens make, one forward for each, and whether it ended itself."""
    network, tokenizer = parts(folder)
    ids = tokenizer(text)["input_ids"]
    written = []
    for _ in range(most):
        with torch.no_grad():
            token = int(network(torch.tensor([ids + written])).logits[0, -1].argmax())
        if token == tokenizer.eos_token_id:
            return tokenizer.decode(written, skip_special_tokens=True), True
        written.append(token)
    return tokenizer.decode(written, skip_special_tokens=True), False


def first_words(folder):
    """First written words of the texts, which stand for labels."""
    return sorted({greedy(folder, text)[0].split()[0] for text in TEXTS})


def ask(folder, task, *, batch="auto", **options):
    words = first_words(folder)
    stated = {"template": "{text}", "max_tokens": str(MOST)}
    stated["choices"] = "|".join(f"L{n}={word}" for n, word in enumerate([*words, "nothing"]))
    return load_model(
        f"written:hf:{folder}", task, LoadOptions(batch=batch, options={**stated, **options})
    )


@pytest.mark.parametrize("batch", ["auto", 3])
def test_labels_are_read_from_the_likeliest_tokens(folder, classification, make, batch):
    words = first_words(folder)
    model = ask(folder, classification, batch=batch)
    found = model.predict(make(*TEXTS))
    for text, answer in zip(TEXTS, found, strict=True):
        written, _ = greedy(folder, text)
        assert answer.said == written
        assert answer.answer == f"L{words.index(written.split()[0])}"
    assert model.labels == (*(f"L{n}" for n in range(len(words))), f"L{len(words)}")


def test_texts_without_a_label_fail_alone_and_are_written_once(folder, classification, make):
    model = ask(folder, classification, choices="a=xyz|b=zyx")
    calls = []
    write = model._writer.write
    model._writer.write = lambda texts, **how: calls.extend(texts) or write(texts, **how)
    found = predict_or_fail(model, make(*TEXTS))
    assert all(isinstance(one, Failure) for one in found)
    assert {one.reason for one in found} <= {"unparsed", "cut_off", "empty"}
    assert sorted(asked[-1].content for asked in calls) == sorted(TEXTS)


def test_texts_are_answers_of_generation(folder, make):
    from scrutiny.tasks.tasks import load_task

    model = load_model(
        f"written:hf:{folder}",
        load_task("translation"),
        LoadOptions(options={"template": "{text}", "max_tokens": "4"}),
    )
    (example,) = make(TEXTS[0])
    written, is_whole = greedy(folder, TEXTS[0])
    (found,) = predict_or_fail(model, [example])
    assert (found.answer == written) if is_whole else (found.reason == "cut_off")


def test_too_long_texts_fail(folder, classification, make):
    (found,) = predict_or_fail(ask(folder, classification), make("good " * 30))
    assert found.reason == "too_long"


def test_the_fingerprint_holds_what_changes_answers(folder, classification):
    base = ask(folder, classification).fingerprint()
    assert ask(folder, classification).fingerprint() == base
    for change in ({"max_tokens": "5"}, {"template": "{text} it"}, {"read": "last"}):
        assert ask(folder, classification, **change).fingerprint() != base


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_tokens": "0"}, "from 1 on"),
        ({"template": "no field"}, "must name every field"),
        ({"read": "somehow"}, "There are: start"),
    ],
)
def test_odd_options_are_refused(folder, classification, change, message):
    with pytest.raises(ModelError, match=message):
        ask(folder, classification, **change)


def test_encoders_do_not_write(tmp_path, classification):
    make_language_model(tmp_path, "Bert", head="")
    with pytest.raises(ModelError, match=r"no causal language model|lacks"):
        load_model(f"written:hf:{tmp_path}", classification, LoadOptions(options={"labels": "a|b"}))


def test_a_wording_is_written_to_as_a_template_of_its_own(folder, classification, make):
    model = ask(folder, classification)
    other = ask(folder, classification, template="ada left : {text}")
    wording = Wording("ada", before="ada left : ")
    examples = make(*TEXTS)
    found = predict_or_fail(model, [worded(one, wording) for one in examples])
    assert found == predict_or_fail(other, examples)
    assert {said[-1].content for said in model._said} == {f"ada left : {text}" for text in TEXTS}
    system = Wording("expert", system="You judge.")  # its tokenizer knows no chat
    assert model.wordings([wording, system]) == [wording]


def test_free_answers_are_what_was_written(folder):
    task = load_task("generation")
    options = LoadOptions(options={"max_tokens": str(MOST)})
    model = load_model(f"written:hf:{folder}", task, options)
    items = [task.parse({"prompt": text}, source="") for text in TEXTS]
    for text, answer in zip(TEXTS, predict_or_fail(model, items), strict=True):
        written, is_done = greedy(folder, text)
        assert answer.answer == written.strip()
        assert answer.answer.end == ("" if is_done else "cut off")


def test_a_conversation_is_written_in_the_models_own_template(folder, tmp_path):
    task = load_task("generation")
    said = [{"role": role, "content": role} for role in ("system", "user", "assistant", "user")]
    item = task.parse({"prompt": said}, source="")
    options = LoadOptions(options={"max_tokens": "1"})
    plain = load_model(f"written:hf:{folder}", task, options)
    with pytest.raises(ModelError, match="conversation of several messages"):
        plain.predict([item])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = "{% for m in messages %}{{ m.role }} {{ m.content }} {% endfor %}"
    shutil.copytree(folder, tmp_path / "chat")
    tokenizer.save_pretrained(tmp_path / "chat")
    model = load_model(f"written:hf:{tmp_path / 'chat'}", task, options)
    asked = model._writer._ids(model._asked("", model._prompt, item))
    assert asked == tokenizer(" ".join(f"{m['role']} {m['role']}" for m in said) + " ")["input_ids"]
