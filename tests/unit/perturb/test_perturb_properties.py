"""What every registered transformation that needs no model keeps to, on any text at all."""

from dataclasses import replace
from functools import cache
from time import process_time

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from tests.unit.perturb.test_perturb_conformance import check

from scrutiny.core.example import Example, Span
from scrutiny.core.registry import registry
from scrutiny.core.transformation import Constraint, SetsGold
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.control_material import operations_of
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.text.tokens import token_spans

EXAMPLES = 150  # times the transformations below: more than 10,000
PIECES = (
    "the film was not good isn't don't She's do not is not as soon as possible definitely "
    "Shanghai Paris London John Mary IBM she his 3.5 25,000 twelve 2nd 1999 one happy runs went "
    "http://a.b/c @you #tag e-mail a@b.org U.S. cafe\u0301s naïve Straße ﬁne İstanbul привет 电影 "
    "שלום مرحبا हिन्दी 👍🏽 👩‍👩‍👧 🇩🇪 ... ?! ( ) “ ” ' \" — \u200b \u0301 \ufeff \x00 a A ß Σ ς ǆ"
).split(" ")
GAPS = (" ", " ", " ", "  ", "\t", "\n", "\u00a0", "\u3000", "")


def is_light(name):
    needs = registry().load("transformation", name).resources
    return all(RESOURCES[resource].default is not None for resource in needs)


LIGHT = [name for name in registry().names("transformation") if is_light(name)]


@cache
def hungry(name):
    """Recipe that changes as much as it can, so that there is something to see."""
    parameters = "share=0.6,least=1,most=none,where=anywhere"
    return parse_recipe(f"{name}({parameters})")


texts = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), max_size=14).map(
    lambda parts: "".join(word + gap for word, gap in parts)
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@st.composite
def annotated(draw):
    """Example with gold entities, a protected stretch and sometimes a tokens layer."""
    text = draw(texts)
    tokens = tuple(token_spans(text))
    kind = draw(st.sampled_from(("plain", "plain", "tagged", "protected", "all")))
    gold, protected = "x", ()
    if kind in ("tagged", "all") and tokens:
        chosen = sorted(draw(st.sets(st.integers(0, len(tokens) - 1), max_size=3)))
        gold = tuple(Span("text", *tokens[i], "LOC") for i in chosen)
    if kind in ("protected", "all") and text:
        cuts = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
        protected = (Span("text", *cuts),) if cuts[0] < cuts[1] else ()
    layer = {"text": tokens} if kind == "all" else None
    number = draw(st.integers(0, 999))
    return Example(f"i{number}", {"text": text}, gold=gold, protected=protected, tokens=layer)


@settings(max_examples=EXAMPLES)
@given(annotated(), st.integers(0, 3))
def test_any_text_is_changed_safely(example, seed):
    assert len(LIGHT) * EXAMPLES > 10_000
    for name in LIGHT:
        note(name)  # the last one told is the one that failed
        recipe = hungry(name)
        variant = perturb(example, recipe, seed=seed)
        check(example, variant)
        assert perturb(replace(example), recipe, seed=seed) == variant


class Allowing(Constraint):
    """Refuses nothing, and has every candidate looked at one by one."""

    id = "allowing@1"
    reason = "never"

    def allows(self, document, edits):
        return True


AT_ONCE = [name for name in LIGHT if hasattr(registry().load("transformation", name), "at_once")]
LETTERS = "shortest=1,skip_first=false,skip_last=false"
ALSO = [f"typos@1(mode={mode},{LETTERS})" for mode in ("replace", "swap", "insert", "delete")]


@settings(max_examples=200)
@given(texts, st.sampled_from((0.1, 0.6, 1.0)), st.integers(0, 3))
def test_all_sites_at_once_or_one_by_one_is_the_same(text, share, seed):
    assert len(AT_ONCE) == 5
    example = Example(f"i{seed}", {"text": text}, gold="x")
    for name in (*AT_ONCE, *ALSO, "spelling_error@1(by_ear=true)"):
        note(name)
        recipe = parse_recipe(f"{name.rstrip(')')}{',' if '(' in name else '('}share={share})")
        one_by_one = perturb(example, recipe, seed=seed, constraints=[Allowing()])
        assert perturb(example, recipe, seed=seed) == one_by_one


@settings(max_examples=300)
@given(annotated(), st.sampled_from(LIGHT), st.integers(0, 3))
def test_controls_change_as_much_and_keep_what_must_be_kept(amount_changed, example, name, seed):
    variant = perturb(example, hungry(name), seed=seed)
    control = Controls(example).of(variant, seed=seed)
    assert control == Controls(example).of(variant, seed=seed)
    assert (control.role, control.control_of) == ("control", variant.name)
    assert control.status in ("ok", "skipped")
    check(example, control)
    if control.status == "ok":
        done, wanted = amount_changed(example, control), amount_changed(example, variant)
        operations = operations_of(TextDocument(example), variant.edits)
        drops_words = any(o.kind == "words" and not o.inserted for o in operations)
        assert done == wanted or drops_words


@settings(max_examples=200)
@given(annotated(), st.sampled_from(LIGHT), st.sampled_from(LIGHT), st.integers(0, 3))
def test_compositions_do_one_after_the_other(example, one, two, seed):
    assume(not all(issubclass(registry().load("transformation", n), SetsGold) for n in (one, two)))
    recipe = f"{hungry(one).name}+{hungry(two).name}"
    check(example, perturb(example, recipe, seed=seed))


@cache
def huge_texts(size):
    words = [piece for piece in PIECES if piece.isascii()]
    count = size // 6
    return {
        "words": " ".join(words[(7 * i + i * i) % len(words)] for i in range(count))[:size],
        "one word": "a" * size,
        "one script after the other": ("".join(PIECES) * (size // 100))[:size],
    }


def seconds(recipe, text):
    """CPU time of a change."""
    begin = process_time()
    variant = perturb(Example("h", {"text": text}), recipe, seed=0)
    taken = process_time() - begin
    assert variant.status in ("ok", "skipped"), variant.reason
    return taken


@pytest.mark.parametrize("kind", ["words", "one word", "one script after the other"])
@pytest.mark.parametrize("name", LIGHT)
def test_a_huge_text_takes_time_in_proportion(name, kind):
    """One of three runs is enough: a collection of garbage may fall into any one."""
    recipe = hungry(name)
    seconds(recipe, "warm up the tables of the film, isn't it?")
    small, large = (huge_texts(size)[kind] for size in (1_250, 12_500))
    if not any(seconds(recipe, large) < 0.1 for _ in range(3)):
        least = min(seconds(recipe, small) for _ in range(3))
        assert any(seconds(recipe, large) < 40 * least for _ in range(3))
