"""Which texts a search may go to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings

from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.transformation import Constraint, Site, Transformation
from scrutiny.perturb.characters.slips import InsertLetter, SwapLetters
from scrutiny.perturb.characters.typos import Typos
from scrutiny.perturb.constraints.extent import EditDistance, StopWords
from scrutiny.perturb.search.moves import Amount, AnyWord, Changeable, Move, Origin
from scrutiny.perturb.search.places import find_places, find_word
from scrutiny.perturb.search.space import Space
from scrutiny.perturb.search.state import State
from scrutiny.perturb.words.synonyms import SynonymWordnet
from scrutiny.testing.check_transformations import WordTable
from scrutiny.testing.checking import examples, texts

TABLE = WordTable({"good": ("fine", "nice"), "film": ("movie",), "The": ("A",), "very": ("",)})


def start_of(text="The very good film", **more):
    return State.start(Origin(Example("1", {"text": text}), **more))


def words_of(space, state):
    return [state.document(p.field).text[p.low : p.high] for p in space.places(state)]


def test_places_and_candidates_in_order():
    space, state = Space.of(TABLE), start_of()
    assert words_of(space, state) == ["The", "very", "good", "film"]
    assert [s.texts[0] for s in space.candidates(state, space.places(state)[2])] == [
        "The very fine film",
        "The very nice film",
    ]
    assert len(space.neighbors(state)) == 5


def test_stop_words_are_compared_in_lower_case():
    assert words_of(Space.of(TABLE, may_change=Changeable(stop_words=True)), start_of()) == [
        "good",
        "film",
    ]
    own = Changeable(stop_words=frozenset({"the", "film"}))
    assert words_of(Space.of(TABLE, may_change=own), start_of()) == ["very", "good"]


def test_the_name_of_a_language_is_no_list_of_stop_words():
    with pytest.raises(PlanError, match="'french'"):
        Changeable(stop_words="french")


def test_lengths_and_fields():
    rule = Changeable(shortest=4, longest=4, fields=("text_pair",))
    pair = Example("1", {"text": "a good film", "text_pair": "The very good film"})
    state = State.start(Origin(pair))
    space = Space.of(TABLE, may_change=rule)
    assert [(p.field, p.token) for p in space.places(state)] == [
        ("text_pair", 1),
        ("text_pair", 2),
        ("text_pair", 3),
    ]
    assert {s.texts[0] for s in space.neighbors(state)} == {"a good film"}


def test_a_word_is_changed_once_unless_it_may_be_again():
    table = WordTable({"good": ("fine",), "fine": ("nice",)})
    once, often = Space.of(table), Space.of(table, may_change=Changeable(is_once=False))
    state = start_of("good and fine")
    (changed,) = once.candidates(state, once.places(state)[0])
    assert words_of(once, changed) == ["fine"]
    assert [p.token for p in once.places(changed)] == [2]
    assert [(p.token, p.low) for p in often.places(changed)] == [(0, 0), (2, 9)]
    assert often.place(changed, often.places(state)[0].key).low == 0
    assert once.place(changed, once.places(state)[0].key) is None


def test_new_words_are_not_changed():
    table = WordTable({"good": ("good fine",), "fine": ("nice",)})
    space = Space.of(table)
    state = start_of("good")
    (changed,) = space.neighbors(state)
    assert changed.texts == ("good fine",)
    assert space.places(changed) == []


@pytest.mark.parametrize(
    ("amount", "limit"),
    [
        (Amount(), None),
        (Amount(words=2), 2),
        (Amount(share=0.5), 2),
        (Amount(share=0.1), 1),
        (Amount(share=0.1, least=3), 3),
        (Amount(words=1, share=0.9), 1),
    ],
)
def test_limits(amount, limit):
    assert Space.of(TABLE, amount=amount).limit(start_of().origin) == limit


def test_no_word_more_than_the_limit():
    space, refused = Space.of(TABLE, amount=Amount(words=1)), Counter()
    state = start_of()
    (changed, *_) = space.neighbors(state, refused)
    assert space.places(changed) == []
    assert space.place(changed, space.places(state)[2].key) is None
    wide = WordTable({"good": ("fine",), "very": ("very",)})
    two = Space((Move(Two()),), Amount(words=1))
    assert two.neighbors(start_of("good film"), refused) == []
    assert refused["amount"] == 1
    assert Space.of(wide).admits(changed)


@dataclass(frozen=True)
class Two(WordTable):
    """Both words of a text at once."""

    table: dict = None
    id: str = "two@1"

    def sites(self, document):
        return [Site(0, 4, 0)]

    def candidates(self, document, site, rng):
        yield (Edit("text", 0, 4, "fine"), Edit("text", 5, 9, "movie"))


def test_constraints_against_the_base_and_against_the_step():
    near = EditDistance(most=3, share=None)
    state = start_of("good film")
    table = WordTable({"good": ("goo",), "film": ("fil", "fixx")})
    for space, second in (
        (Space.of(table, constraints=[near]), ["goo fil", "goo fixx"]),
        (Space.of(table, constraints=[EditDistance(most=2, share=None)]), ["goo fil"]),
        (
            Space.of(table, step_constraints=[EditDistance(most=2, share=None)]),
            ["goo fil", "goo fixx"],
        ),
    ):
        first = space.candidates(state, space.places(state)[0])[0]
        refused = Counter()
        assert [s.texts[0] for s in space.neighbors(first, refused)] == second
        assert refused["edit_distance"] == 2 - len(second)


def test_constraints_that_screen_many_are_asked_once_a_place():
    screen = NoMovies()
    space = Space.of(TABLE, constraints=[screen])
    assert [s.texts[0] for s in space.neighbors(start_of("good film"))] == [
        "fine film",
        "nice film",
    ]
    assert screen.asked == [2, 1]


class NoMovies(Constraint):
    id = "no_movies@1"
    reason = "movie"
    resources: Sequence[str] = ("cinema",)

    def __init__(self):
        self.asked = []

    def screen(self, document, candidates):
        self.asked.append(len(candidates))
        return [all("movie" not in edit.text for edit in edits) for edits in candidates]

    def allows(self, document, edits):
        return self.screen(document, [edits])[0]


def test_fields_are_screened_apart():
    pair = Example("1", {"text": "The film", "text_pair": "good film"})
    space = Space.of(TABLE, constraints=[StopWords()])
    found = {s.texts for s in space.neighbors(State.start(Origin(pair)))}
    assert ("A film", "good film") not in found
    assert ("The film", "fine film") in found
    assert Space.of(TABLE, constraints=[NoMovies()]).resources == ("cinema",)


def test_most_counts_candidates_that_change_the_text():
    table = WordTable({"good": ("good", "fine", "nice")})
    assert [s.texts[0] for s in Space.of(table, most=1).neighbors(start_of("good"))] == ["fine"]


def test_excluded_texts_are_not_proposed():
    state = start_of("good film", excluded=frozenset({("fine film",)}))
    space = Space.of(TABLE)
    assert [s.texts[0] for s in space.neighbors(state)] == ["nice film", "good movie"]
    assert not space.admits(State.of(state.origin, [Edit("text", 0, 4, "fine")]))
    assert not space.admits(state)


def test_methods_may_bring_candidates_of_their_own():
    space, refused = Space.of(AnyWord(), constraints=[StopWords()]), Counter()
    state = start_of("The good film")
    edits = [(Edit("text", 0, 3, "A"),), (Edit("text", 4, 8, "bad"),), (Edit("text", 0, 99, "x"),)]
    assert space.neighbors(state) == []
    assert [s.texts[0] for s in space.propose(state, edits, refused)] == ["The bad film"]
    assert refused == {"stop_word": 1, "bounds": 1}


def test_protected_words_and_annotated_spans_stay():
    base = Example("1", {"text": "The good film"}, protected=(Span("text", 4, 8),))
    state = State.start(Origin(base))
    space = Space.of(TABLE)
    assert words_of(space, state) == ["The", "film"]
    assert space.place(state, ("text", 4, 8, 1)) is None
    tagged = Example("1", {"text": "Ada knows"}, gold=(Span("text", 0, 3, "PER"),))
    around = Space.of(Typos(shortest=1))
    assert words_of(around, State.start(Origin(tagged))) == ["knows"]
    within = Space((Move(Typos(shortest=1), where="within"),))
    assert words_of(within, State.start(Origin(tagged))) == ["Ada"]


def test_a_space_is_not_empty_and_speaks_the_language():
    with pytest.raises(PlanError, match="transformation"):
        Space(())
    german = State.start(Origin(Example("1", {"text": "buy it"}, language="de")))
    assert Space.of(SynonymWordnet()).places(german) == []


def test_the_same_transformation_twice_draws_twice():
    space = Space.of(*[Typos(mode="replace")] * 4, most=1)
    state = start_of("wonderful")
    assert len({s.texts[0] for s in space.neighbors(state)}) > 1


def test_draws_at_a_word_do_not_depend_on_what_else_was_changed():
    space, state = Space.of(Typos(mode="replace"), most=1), start_of("wonderful acting there")
    first, second, third = space.places(state)
    (after,) = space.candidates(state, first)
    late = space.candidates(after, space.place(after, third.key))
    early = space.candidates(state, third)
    assert [s.edits[-1] for s in late] == [s.edits[-1] for s in early]
    assert second.key == space.places(after)[0].key
    other = start_of("wonderful acting there", seed=1)
    assert space.neighbors(other)[0].key != space.neighbors(state)[0].key
    drawn = start_of("wonderful acting there", draw=1)
    assert space.neighbors(drawn)[0].key != space.neighbors(state)[0].key


@settings(max_examples=60)
@given(examples("text-pair-classification"))
def test_one_word_is_found_as_among_all(example):
    """`find_word` says what `find_places` says, for every place and after every step."""
    moves = (Move(SwapLetters(), 1), Move(InsertLetter(shortest=3), 2))
    space = Space(moves)
    start = State.start(Origin(example))
    words = space.places(start)
    keys = [place.key for place in words]
    states = [start, *space.neighbors(start)[:3]]
    states += [s for state in states[1:] for s in space.neighbors(state)[-2:]]
    for state in states:
        for field in example.fields:
            everywhere = {p.key: p for p in find_places(state, moves, field, is_full=False)}
            for key in keys:
                if key[0] != field:
                    continue
                wanted = shown(everywhere.get(key))
                assert shown(space.place(state, key)) == wanted
                found, is_settled = find_word(state, key, words, is_full=False)
                assert not (is_settled and start.origin.is_plain) or shown(found) == wanted


def shown(place):
    """A place but for the numbers of its tokens, which stay those of the base."""
    return place and (place[:6], [(number, site[:2]) for number, site in place.sites])


def test_a_word_that_was_not_touched_is_not_looked_for():
    state = start_of("good bad film")
    space = Space.of(SwapLetters())
    first, second, third = space.places(state)
    after = space.candidates(state, second)[0].step([Edit("text", 0, 4, "splendid")])
    assert find_word(after, first.key, [first, second, third], is_full=False) == (None, False)
    assert find_word(after, third.key, [first, second, third], is_full=True) == (None, True)
    moved, is_settled = find_word(after, third.key, [first, second, third], is_full=False)
    assert is_settled
    assert (moved.low, moved.high, moved.sites) == (13, 17, ((0, Site(13, 17, 2)),))
    assert space.place(after, third.key) == moved
    assert after.places is None  # no other word was looked at
    assert space.place(after, first.key) is None
    assert after.places is not None


@settings(max_examples=40)
@given(texts())
def test_local_transformations_find_the_same_words(text):
    """A transformation that looks at a word alone needs no new analysis of the text."""
    space, local = Space.of(Letters(shortest=2)), Space.of(Local(shortest=2))
    start, start_local = (State.start(Origin(Example("1", {"text": text}))) for _ in range(2))
    for one, other in zip(
        space.neighbors(start)[:3], local.neighbors(start_local)[:3], strict=True
    ):
        for key in [p.key for p in space.places(start)]:
            a, b = space.place(one, key), local.place(other, key)
            assert (a and a[:6]) == (b and b[:6])
            if a is not None:
                got = [s.key for s in local.candidates(other, b)]
                assert [s.key for s in space.candidates(one, a)] == got


@dataclass(frozen=True)
class Letters(Transformation):
    """The second letter of a word doubled."""

    shortest: int = 2
    id = "letters@1"
    languages = frozenset({"*"})
    resources = ()
    is_local = False

    def sites(self, document):
        return AnyWord(self.shortest).sites(document)

    def candidates(self, document, site, rng):
        at = site.start + 1
        yield (Edit(document.field, at, at, document.text[at], (), True),)


@dataclass(frozen=True)
class Local(Letters):
    is_local = True
