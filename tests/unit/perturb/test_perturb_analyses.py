"""A text is analyzed once, however many variants and controls are made of it."""

import pytest

from scrutiny.core.example import Example, Span
from scrutiny.perturb.characters.typos import Typos
from scrutiny.perturb.engine import batch as batch_module
from scrutiny.perturb.engine import control_material as ground_module
from scrutiny.perturb.engine import controls as control_module
from scrutiny.perturb.engine import document as document_module
from scrutiny.perturb.engine.apply import Setting
from scrutiny.perturb.engine.batch import perturb_draws, perturb_stream
from scrutiny.perturb.engine.control_material import Ground
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.search import Search, Settings, Space, Victim, search_all
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.testing.toy_models import KeywordClassifier

TEXT = "The part where nothing special happens is not very good, and somebody says so twice."
RECIPES = ["typos", "keyboard", "punctuation", "typos(share=0.9)", "word_case(most=1)"]
DRAWS = [Setting(seed=0, draw=draw) for draw in range(3)]


@pytest.fixture
def counted(monkeypatch):
    """How often each function was called, by its name."""
    counts = {}

    def watch(module, name):
        function = getattr(module, name)

        def called(*args, **kwargs):
            counts[name] = counts.get(name, 0) + 1
            return function(*args, **kwargs)

        monkeypatch.setattr(module, name, called)

    watch(document_module, "tokens_with")
    watch(ground_module, "tokens_where")
    watch(control_module, "apply_edits")
    return counts


def all_variants(examples):
    """Treatments and controls of all draws, with texts that are analyzed for both."""
    for example, documents, draws in perturb_draws(examples, RECIPES, DRAWS):
        controls = Controls(example, documents)
        for variants in draws:
            for variant in variants:
                yield example, variant, controls.of(variant, seed=0)


def test_treatments_and_controls_of_all_draws_share_one_analysis(counted):
    examples = [Example(str(i), {"text": TEXT}, gold="bad") for i in range(4)]
    made = list(all_variants(examples))
    assert len(made) == 4 * len(RECIPES) * len(DRAWS)
    assert {control.status for *_, control in made} == {"ok"}
    assert counted["tokens_with"] == 4  # once a text
    assert counted["tokens_where"] <= 2 * 4  # once a list of tokens, not once a control
    assert "apply_edits" not in counted  # nothing to carry


def test_each_field_of_a_pair_is_analyzed_once(counted):
    example = Example("1", {"premise": TEXT, "hypothesis": "Nothing special happens here."})
    assert len(list(all_variants([example]))) == len(RECIPES) * len(DRAWS)
    assert counted["tokens_with"] == 2


def test_searches_of_an_item_share_its_analysis(counted):
    model, analyzed = KeywordClassifier(), {}
    victim = Victim(model.predict, model.labels)
    item = Example("1", {"text": "A good and charming film"}, gold="positive")
    found = []
    for known in (analyzed, analyzed, {}):
        search = Search(Space.of(Typos(mode="delete"), most=1), Untargeted(), GreedyRanked())
        counted.clear()
        (one,) = search_all([item], search, victim=victim, settings=Settings(analyzed=known))
        found.append((one.state.texts, one.n_asked, counted.get("tokens_with", 0)))
    first, second, alone = found
    assert first == alone
    assert second == (*first[:2], first[2] - 1)
    assert analyzed["1"]["text"].words == ["A", "good", "and", "charming", "film"]


def test_what_shares_an_analysis_is_what_was_made_alone():
    gold = (Span("text", 4, 8, "X"),)
    examples = [Example("1", {"text": TEXT}), Example("2", {"text": TEXT}, gold=gold)]
    for example, variant, control in all_variants(examples):
        assert control == Controls(example).of(variant, seed=0)
    shared = [made for _, _, made in perturb_draws(examples, RECIPES, DRAWS)]
    for draw, setting in enumerate(DRAWS):
        alone = [made for _, made in perturb_stream(examples, RECIPES, setting)]
        assert [made[draw] for made in shared] == alone


def test_annotations_are_still_carried_by_controls(counted):
    gold = (Span("text", 4, 8, "X"),)
    made = list(all_variants([Example("1", {"text": TEXT}, gold=gold)]))
    assert counted["apply_edits"] == len(made)
    assert all([span.label for span in control.gold] == ["X"] for *_, control in made)


@pytest.mark.parametrize(
    ("where", "allowed", "words", "free"),
    [
        ("anywhere", [0, 1, 2, 3], [0, 2, 3], {0, 3}),
        ("around", [0, 1, 3], [0, 3], {0, 3}),
        ("within", [2], [2], {2}),
    ],
)
def test_the_ground_says_which_tokens_may_change(where, allowed, words, free):
    example = Example("1", {"text": "Oh, Paris again"}, gold=(Span("text", 4, 9, "LOC"),))
    ground = Ground(TextDocument(example), where)
    assert (ground.allowed, ground.words, set(ground.free)) == (allowed, words, free)


def test_words_with_combining_marks_are_told_apart():
    document = TextDocument(Example("1", {"text": "a re\u0301sume\u0301 caf\u00e9"}))
    assert Ground(document, "around").composed == {1}
    assert Ground(TextDocument(Example("1", {"text": "plain"})), "around").composed == frozenset()


def test_a_place_inside_of_no_annotation_is_within_none():
    document = TextDocument(Example("1", {"text": "Oh, well"}))
    assert Ground(document, "within").allowed == []
    assert Ground(document, "anywhere").allowed == Ground(document, "around").allowed == [0, 1, 2]


def test_a_single_step_on_a_single_field_takes_no_detour(monkeypatch):
    examples = [Example("1", {"text": TEXT})]
    expected = list(perturb_stream(examples, ["typos"], Setting(seed=0)))

    def stepped(*_):
        raise AssertionError("there is one step only")

    monkeypatch.setattr(batch_module, "InProgress", stepped)
    assert list(perturb_stream(examples, ["typos"], Setting(seed=0))) == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("...", 0), ("a .5 's -- b", 4), ("'tis @me #x 3", 4), ("e\u0301 \u00bd !", 2)],
)
def test_words_are_tokens_with_a_letter_or_a_digit(text, count):
    assert TextDocument(Example("1", {"text": text})).word_count == count
