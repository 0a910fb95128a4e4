"""From example and recipe to variant: statuses, reasons, gold, nesting, vetoes."""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrutiny.core.edit import Edit
from scrutiny.core.errors import MissingExtraError
from scrutiny.core.example import Example, Span
from scrutiny.core.transformation import AsksAhead, Constraint, Intensity, Site, Transformation
from scrutiny.perturb.engine.apply import Setting, perturb
from scrutiny.perturb.engine.batch import perturb_draws, perturb_stream
from scrutiny.perturb.engine.recipe import Recipe, parse_recipe, recipe_of, step_of
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits, apply_to_text

TEXT = "the film is a rather wonderful little story about growing up"
EXAMPLE = Example("1", {"text": TEXT}, gold="positive")


@dataclass(frozen=True)
class Toy(Transformation):
    """Proposes for every token what it was told to."""

    proposals: tuple[str, ...] = ("X",)
    fault: ClassVar[type[Exception] | None] = None
    id: ClassVar[str] = "toy@1"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[dict[str, str]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=1.0, least=1, most=None)

    def sites(self, document):
        return [Site(start, end, i) for i, (start, end) in enumerate(document.tokens)]

    def candidates(self, document, site, rng):
        if self.fault is not None:
            raise self.fault("toy", "toy")
        for text in self.proposals:
            yield (Edit(document.field, site.start, site.end, text),)


class Faulty(Toy):
    fault: ClassVar[type[Exception]] = KeyError


class Wanting(Toy):
    fault: ClassVar[type[Exception]] = MissingExtraError


@dataclass(frozen=True)
class Flipping(Toy):
    effect: ClassVar[dict[str, str]] = {"*": "keeps", "relation": "flips"}


class Veto(Constraint):
    """Refuses every candidate that brings this text."""

    id = "veto@1"
    reason = "vetoed"

    def __init__(self, text):
        self.text = text
        self.asked = []

    def allows(self, document, edits):
        self.asked.append(len(edits))
        assert document.example.fields[document.field] == document.text
        return all(edit.text != self.text for edit in edits)


def changed(variant, example=EXAMPLE):
    return apply_edits(example, variant.edits).text


def test_a_variant_says_what_made_it():
    variant = perturb(EXAMPLE, "typos(share=0.5)", seed=3, draw=2)
    assert (variant.item, variant.role, variant.control_of) == ("1", "measured", None)
    assert variant.recipe == "typos@1(share=0.5)"
    assert variant.name == "typos@1(share=0.5)#2"
    assert (variant.status, variant.reason, variant.gold) == ("ok", None, "positive")


def test_seeds_draws_and_items_give_other_texts_and_the_same_key_the_same():
    made = [
        changed(perturb(replace(EXAMPLE, id=item), "typos", seed=seed, draw=draw))
        for item, seed, draw in [("1", 0, 0), ("1", 0, 0), ("2", 0, 0), ("1", 1, 0), ("1", 0, 1)]
    ]
    assert made[0] == made[1]
    assert len(set(made)) == 4


@pytest.mark.parametrize(
    "name", ["typos", "keyboard", "ocr", "spelling_error", "word_case(case=random)"]
)
@given(st.integers(0, 200), st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=60)
def test_a_higher_share_changes_what_a_lower_one_changed_and_more(name, seed, one, other):
    name, _, inner = name.partition("(")
    inner = f"{inner.rstrip(')')}," if inner else ""
    low, high = (
        perturb(EXAMPLE, parse_recipe(f"{name}({inner}share={share})"), seed=seed)
        for share in sorted((one, other))
    )
    assert set(low.edits) <= set(high.edits)


def test_candidates_that_change_nothing_do_not_count():
    variant = perturb(Example("1", {"text": "X y X"}), recipe_of(Toy()), seed=0)
    assert changed(variant, Example("1", {"text": "X y X"})) == "X X X"
    assert len(variant.edits) == 1
    assert perturb(Example("1", {"text": "X X"}), recipe_of(Toy()), seed=0).reason == "unchanged"


def test_edits_that_cancel_out_are_no_change():
    @dataclass(frozen=True)
    class Cancel(Toy):
        def candidates(self, document, site, rng):
            yield (Edit("text", 0, 1, ""), Edit("text", 3, 3, "a"))

    variant = perturb(Example("1", {"text": "aaa"}), recipe_of(Cancel()), seed=0)
    assert (variant.status, variant.reason, variant.edits) == ("skipped", "unchanged", ())


@pytest.mark.parametrize(
    ("text", "recipe", "reason"),
    [("of it", "typos", "no_site"), ("", "word_case", "no_site"), ("AB", "word_case", "no_site")],
)
def test_texts_without_a_place_are_skipped(text, recipe, reason):
    variant = perturb(Example("1", {"text": text}), recipe, seed=0)
    assert (variant.status, variant.reason, variant.edits) == ("skipped", reason, ())


def test_a_language_that_the_transformation_does_not_know_is_skipped():
    assert perturb(replace(EXAMPLE, language="de"), recipe_of(Toy()), seed=0).reason == "language"
    assert perturb(replace(EXAMPLE, language="en-GB"), recipe_of(Toy()), seed=0).status == "ok"


def test_constraints_move_on_to_the_next_candidate():
    veto = Veto("X")
    variant = perturb(EXAMPLE, recipe_of(Toy(("X", "Y"))), seed=0, constraints=[veto])
    assert {edit.text for edit in variant.edits} == {"Y"}
    assert max(veto.asked) == len(variant.edits)  # a constraint sees all edits together


def test_what_is_vetoed_everywhere_is_refused_with_the_reason_of_the_veto():
    variant = perturb(EXAMPLE, recipe_of(Toy()), seed=0, constraints=[Veto("X")])
    assert (variant.status, variant.reason) == ("refused", "vetoed")


def test_a_site_that_is_refused_gives_its_turn_to_the_next():
    gold = (Span("text", 0, 6, "X"),)  # crosses the border of "film"
    one = step_of(Toy(), intensity=Intensity(share=0.0, least=1, most=1))
    for seed in range(20):
        variant = perturb(replace(EXAMPLE, gold=gold), Recipe((one,)), seed=seed)
        assert variant.status == "ok"
        assert variant.edits[0].start != 4


@pytest.mark.parametrize(("protected", "reason"), [(True, "protected"), (False, "crosses_span")])
def test_annotations_that_leave_no_place_refuse(protected, reason):
    span = (Span("text", 1, 3, "X"),)
    example = Example(
        "1", {"text": "word"}, **({"protected": span} if protected else {"spans": span})
    )
    variant = perturb(example, recipe_of(Toy()), seed=0)
    assert (variant.status, variant.reason) == ("refused", reason)


def test_an_error_of_a_transformation_ends_in_a_failed_variant():
    variant = perturb(EXAMPLE, recipe_of(Faulty()), seed=0)
    assert (variant.status, variant.reason, variant.edits) == ("failed", "error:KeyError", ())


def test_a_missing_resource_concerns_everything_and_is_raised():
    with pytest.raises(MissingExtraError):
        perturb(EXAMPLE, recipe_of(Wanting()), seed=0)


def test_gold_is_dropped_where_the_recipe_does_not_keep_it():
    pair = Example("1", {"premise": "some text", "hypothesis": "other text"}, gold="neutral")
    assert perturb(pair, recipe_of(Flipping()), seed=0).gold is None
    assert perturb(EXAMPLE, recipe_of(Flipping()), seed=0).gold == "positive"
    task = "text-pair-classification@1"
    assert perturb(EXAMPLE, recipe_of(Flipping()), seed=0, task=task).gold is None
    assert recipe_of(Toy(), Flipping()).effect(load_task(task).facts) == "flips"


def test_gold_spans_are_carried_to_where_they_stand_afterwards():
    example = Example("1", {"text": "We like Paris now"}, gold=(Span("text", 8, 13, "LOC"),))
    variant = perturb(example, "append_irrelevant", seed=0)
    text = changed(variant, example)
    assert [text[s.start : s.end] for s in variant.gold] == ["Paris"]


def test_annotated_words_are_left_alone_unless_the_recipe_says_otherwise():
    example = Example("1", {"text": "Paris is wonderful"}, gold=(Span("text", 0, 5, "LOC"),))
    for seed in range(10):
        around = perturb(example, "typos(share=1.0)", seed=seed)
        within = perturb(example, "typos(share=1.0,where=within)", seed=seed)
        anywhere = perturb(example, "typos(share=1.0,where=anywhere)", seed=seed)
        assert min(edit.start for edit in around.edits) >= 9
        assert max(edit.end for edit in within.edits) <= 5
        assert len(anywhere.edits) == 2


def test_a_new_token_that_nobody_labels_is_refused():
    tokens = ((0, 2), (3, 7))
    gold = (Span("text", 0, 2, "PRON"), Span("text", 3, 7, "VERB"))
    example = Example("1", {"text": "We like"}, gold=gold, tokens={"text": tokens})
    assert perturb(example, "append_irrelevant", seed=0).reason == "unlabeled_token"
    assert perturb(example, "typos(where=anywhere)", seed=0).status == "ok"


def test_pairs_change_in_every_field_or_in_the_named_one():
    pair = Example("1", {"a": "wonderful weather", "b": "wonderful weather"})
    both = perturb(pair, "typos(share=1.0)", seed=0)
    assert {edit.field for edit in both.edits} == {"a", "b"}
    assert len({e.text for e in both.edits if e.field == "a"} | {1}) > 1
    one = perturb(pair, "typos(share=1.0,fields=b)", seed=0)
    assert one.edits == tuple(e for e in both.edits if e.field == "b")
    assert perturb(pair, "typos(fields=c)", seed=0).reason == "no_site"


def test_a_composition_does_one_after_the_other_on_the_original():
    upper = perturb(EXAMPLE, "word_case", seed=0)
    middle = replace(EXAMPLE, fields={"text": changed(upper)})
    then = perturb(middle, "typos", seed=0)
    both = perturb(EXAMPLE, "word_case+typos", seed=0)
    assert both.status == "ok"
    assert changed(both) == changed(then, middle)
    assert changed(both) != TEXT.upper()


def test_a_composition_needs_every_step():
    variant = perturb(EXAMPLE, "contraction+typos", seed=0)
    assert (variant.status, variant.reason) == ("skipped", "no_site")


def test_a_repeated_step_draws_numbers_of_its_own():
    once = perturb(EXAMPLE, "typos(mode=swap)", seed=0)
    twice = perturb(EXAMPLE, "typos(mode=swap)+typos(mode=swap)", seed=0)
    assert twice.status == "ok"
    assert changed(twice) not in (changed(once), TEXT)


class AllowAll(Constraint):
    id, reason = "all@1", "never"

    def allows(self, document, edits):
        return True


@pytest.mark.parametrize(
    "recipe", ["typos", "word_case", "ocr", "punctuation", "append_irrelevant", "contraction+typos"]
)
@given(st.text(min_size=0, max_size=40), st.integers(0, 5))
@settings(max_examples=60)
def test_the_short_way_for_plain_texts_makes_the_same_variants(recipe, text, seed):
    example = Example("1", {"text": text})
    assert perturb(example, recipe, seed=seed) == perturb(
        example, recipe, seed=seed, constraints=[AllowAll()]
    )


RECIPES = ["typos", "word_case+typos", "synonym_wordnet", "contraction"]


@pytest.mark.parametrize("chunk", [1, 7, 256])
def test_streams_make_what_single_calls_make_for_any_chunk(chunk):
    examples = [Example(f"i{i}", {"text": f"{TEXT}, it isn't {i}"}) for i in range(20)]
    rows = list(perturb_stream(iter(examples), RECIPES, Setting(seed=1), chunk=chunk))
    assert [example for example, _ in rows] == examples
    for example, variants in rows:
        assert variants == [perturb(example, recipe, seed=1) for recipe in RECIPES]


@dataclass(frozen=True)
class Warmed(Toy, AsksAhead):
    """Knows only texts that it was warmed with."""

    def warm(self, documents, sites):
        documents[0].resources["asked"].append(len(documents))
        assert all(held for held in sites)
        if any("bad" in document.text for document in documents):
            raise ValueError


def test_a_model_is_asked_once_for_each_chunk_and_its_failure_kills_nothing():
    examples = [Example(str(i), {"text": "some text"}) for i in range(5)]
    asked = []
    setting = Setting(seed=0, resources={"asked": asked})
    rows = list(perturb_stream(examples, [recipe_of(Warmed())], setting, chunk=2))
    assert asked == [2, 2, 1]
    assert all(variants[0].status == "ok" for _, variants in rows)
    bad = [replace(examples[0], fields={"text": "bad text"})]
    assert next(perturb_stream(bad, [recipe_of(Warmed())], setting))[1][0].status == "ok"


def test_streams_are_lazy():
    taken = []

    def source():
        for i in range(100):
            taken.append(i)
            yield Example(str(i), {"text": TEXT})

    next(iter(perturb_stream(source(), ["typos"], Setting(seed=0), chunk=4)))
    assert len(taken) == 4


def test_text_is_rewritten_only_where_edits_say_so():
    text = "A - B,  \t“quoted” http://a.b/c?d=e and wonderful -- stories ."
    variant = perturb(Example("1", {"text": text}), "typos(share=0.1)", seed=0)
    assert len(variant.edits) == 1
    edit = variant.edits[0]
    made = apply_to_text(text, variant.edits)
    assert (made[: edit.start], made[len(made) - len(text) + edit.end :]) == (
        text[: edit.start],
        text[edit.end :],
    )


def test_places_are_looked_for_once_for_all_draws():
    """They are random in nothing: draws choose among the same."""
    looked = []

    class Counted(Toy):
        def sites(self, document):
            looked.append(document.text)
            return super().sites(document)

    settings = [Setting(seed=0, draw=draw) for draw in range(3)]
    examples = [Example("1", {"text": "a good film"}), Example("2", {"text": "a bad one"})]
    rows = list(perturb_draws(examples, [recipe_of(Counted())], settings))
    assert looked == ["a good film", "a bad one"]
    alone = [[perturb(e, recipe_of(Toy()), seed=0, draw=d) for d in range(3)] for e in examples]
    assert [[v.edits for (v,) in made] for *_, made in rows] == [
        [v.edits for v in own] for own in alone
    ]
