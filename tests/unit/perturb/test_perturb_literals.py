"""Nothing changes markup, code and addresses: no transformation, control or search."""

from dataclasses import dataclass

import pytest

from scrutiny.core.edit import Edit
from scrutiny.core.example import Example, Span
from scrutiny.core.registry import registry
from scrutiny.core.transformation import Site
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.changes import Change
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.recipe import Recipe, step_of
from scrutiny.perturb.search.moves import Origin
from scrutiny.perturb.search.space import Space
from scrutiny.perturb.search.state import State
from scrutiny.text.edits import apply_to_text
from scrutiny.text.literals import find_literals

TEXTS = (
    "It's great &amp; cheap &quot;wow&quot; and 5 &gt; 3 &nbsp; really &lt;br&gt; &eacute;t",
    "C&amp;A and AT&amp;T are companies in London",
    'He said \\n that it\\\'s good \\"very\\" \\u00e9',
    "$x^2 + y_1 = \\frac{1}{2}$ is great",
    "`print(value)` is a good function and foo_bar.baz(qux) too",
    "user_name@host:~/path/to/file.txt is good",
    "Call +1 (555) 010-9999 now",
    "```python\nreturn good\n```",
    'a <a href="good.html">good film</a> by @kim, see https://good.example.org/film or #good',
)


def names():
    """Transformations that need nothing that has to be fetched."""
    found = registry()
    return [
        name
        for name in found.names("transformation")
        if not {"translator", "masked_lm", "vectors", "pinyin", "glyphs", "writer"}.intersection(
            found.load("transformation", name).resources
        )
    ]


def broken(text, new):
    return [text[a:b] for a, b in find_literals(text) if text[a:b] not in new]


@pytest.mark.parametrize("name", names())
def test_no_transformation_nor_its_random_control_changes_them(name):
    recipe = f"{name}({'share=1.0' if name in ('keyboard', 'ocr', 'typos', 'delete_word') else ''})"
    for text in TEXTS:
        example = Example("x", {"text": text}, gold="a")
        for seed in range(2):
            variant = perturb(example, recipe, seed=seed)
            assert variant.status != "failed", (text, variant.reason)
            assert broken(text, apply_to_text(text, variant.edits)) == []
            control = Controls(example).of(variant, seed=seed)
            assert broken(text, apply_to_text(text, control.edits)) == []


@dataclass(frozen=True, slots=True)
class Careless(Change):
    """One that edits wherever a letter is."""

    id = "careless@1"
    where = "anywhere"
    is_for_search = True

    def sites(self, document):
        return [Site(i, i + 1, 0) for i, c in enumerate(document.text) if c == "o"]

    def candidates(self, document, site, rng):
        start, end, _ = site
        yield Edit(document.field, start, end, "0"), Edit(document.field, 0, 2, "XX")
        yield (Edit(document.field, start, end, "0"),)


def test_a_transformation_that_knows_nothing_of_them_is_kept_off():
    text = "<b>no</b> foot"
    step = step_of(Careless(), intensity=Careless().intensity)
    variant = perturb(Example("x", {"text": text}), Recipe((step,)), seed=0)
    assert apply_to_text(text, variant.edits) in (
        "<b>n0</b> foot",
        "<b>no</b> f0ot",
        "<b>no</b> fo0t",
    )


def test_a_text_that_is_all_code_has_no_place_to_change():
    variant = perturb(Example("x", {"text": "```\nreturn good\n```"}), "typos", seed=0)
    assert (variant.status, variant.reason) == ("skipped", "no_site")


def test_a_search_leaves_them_alone_from_step_to_step():
    text = "<b>no</b> foot"
    space = Space.of(Careless())
    first = State.start(Origin(Example("x", {"text": text})))
    assert {state.texts[0] for state in space.neighbors(first)} == {
        "<b>n0</b> foot",
        "<b>no</b> f0ot",
        "<b>no</b> fo0t",
    }
    space = Space.of(registry().load("transformation", "delete_letter")())
    second = {new.texts[0] for one in space.neighbors(first) for new in space.neighbors(one)}
    assert second
    assert all(new.startswith("<b>") and "</b>" in new for new in second)


def test_words_around_them_change_in_annotated_texts_too():
    text = "Kim wrote `print(x)` today"
    gold = (Span("text", 0, 3, "PER"),)
    variant = perturb(Example("x", {"text": text}, gold=gold), "word_case", seed=0)
    assert apply_to_text(text, variant.edits) == "KIM WROTE `print(x)` TODAY"


def test_they_count_as_one_word():
    document = TextDocument(Example("x", {"text": "so `a + b` &amp; <b>well</b>"}))
    assert document.words == ["so", "`a + b`", "&amp;", "<b>", "well", "</b>"]
