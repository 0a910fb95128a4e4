import pytest

from scrutiny.core.errors import ModelError, UnknownNameError
from scrutiny.models.strings.model_strings import captures, fill_captures, parse


def test_parts_of_a_full_string():
    source = parse("hf:org/name@v1#dtype=bfloat16,labels=a|b")
    assert (source.scheme, source.target) == ("hf", "org/name@v1")
    assert dict(source.options) == {"dtype": "bfloat16", "labels": "a|b"}
    assert source.labels() == ("a", "b")
    assert source.text == "hf:org/name@v1#dtype=bfloat16,labels=a|b"


def test_options_of_the_string_win():
    source = parse("python:m:o#seed=1").with_options({"seed": "2", "task": "x"})
    assert dict(source.options) == {"seed": "1", "task": "x"}


def test_no_labels_stated():
    assert parse("builtin:sentiment").labels() == ()


@pytest.mark.parametrize("text", ["bert-base-uncased", "hf:", ":x", ""])
def test_not_a_model_string(text):
    with pytest.raises(ModelError, match="is not a model string"):
        parse(text)


def test_unknown_scheme_names_the_near_one():
    with pytest.raises(UnknownNameError, match="Did you mean 'builtin'"):
        parse("buildin:sentiment")


@pytest.mark.parametrize("tail", ["labels", "=x", "a=1,b"])
def test_options_that_do_not_read(tail):
    with pytest.raises(ModelError, match="key=value"):
        parse(f"hf:./m#{tail}")


@pytest.mark.parametrize("labels", ["neg", "neg|neg", "neg|", "|"])
def test_labels_that_do_not_read(labels):
    with pytest.raises(ModelError, match="each once"):
        parse(f"hf:./m#labels={labels}").labels()


def test_unknown_option_names_the_near_one():
    with pytest.raises(ModelError, match="Did you mean 'dtype'"):
        parse("hf:./m#dtyp=float16").refuse_unknown_options(("dtype", "labels"))


def test_captures_in_order_and_once():
    assert captures("a-{seed}/b-{step}/c-{seed}") == ("seed", "step")
    assert captures("plain") == ()


def test_fill_puts_values_in_every_place():
    assert fill_captures("a-{seed}/c-{seed}", {"seed": "3"}) == "a-3/c-3"
