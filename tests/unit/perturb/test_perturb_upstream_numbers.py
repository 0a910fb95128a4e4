"""Every number that papers, released codes and TextAttack 0.3.11 state of an attack, stated again.

Each line was written from the papers and from the toolkit's source, not from ours.
"""

import pytest

from scrutiny.perturb.recipes.attack import Given, given_to_attacks, parse_attack

pytestmark = pytest.mark.reproduces

EVERYTHING = given_to_attacks(
    ["masked_lm", "vectors", "encoder", "perplexity"], capabilities=["gradients"]
)


def search_of(attack, *fields):
    given = EVERYTHING._replace(fields=fields) if fields else EVERYTHING
    return parse_attack(attack).search(given)


def movers(search):
    return [move.transformation.id.split("@")[0] for move in search.space.moves]


def values(thing, *names):
    return tuple(getattr(thing, name) for name in names)


def similarity(constraints):
    """Measure and threshold of the sentences' similarity, window, and whether short texts pass."""
    (found,) = [c for c in constraints if c.id == "sentence_similarity@1"]
    ((measure, threshold),) = found.thresholds.items()
    return measure, threshold, found.window, found.skip_short


def ids(constraints):
    return [c.id.split("@")[0] for c in constraints]


@pytest.mark.parametrize(
    ("attack", "threshold", "is_against_step"),
    [
        ("a2t", ("cosine", 0.9, None, False), False),
        ("bae", ("cosine", 0.8, 15, True), True),
        ("bae(variant=textattack)", ("cosine", 0.936338, 15, True), False),
        ("bert_attack", ("cosine", 0.2, None, False), False),
        ("clare", ("cosine", 0.7, 15, True), False),
        ("textbugger", ("angular", 0.8, None, False), False),
        ("textfooler", ("angular", 0.840845, 15, True), True),
        ("textfooler(variant=as_released)", ("angular", 0.840845, 15, True), True),
    ],
)
def test_similarity_of_sentences_by_measure_threshold_window_and_reference(
    attack, threshold, is_against_step
):
    space = search_of(attack).space
    asked, other = space.step_constraints, space.constraints
    if not is_against_step:
        asked, other = other, asked
    assert similarity(asked) == threshold
    assert "sentence_similarity" not in ids(other)


@pytest.mark.parametrize(
    ("attack", "top", "cosine"),
    [
        ("textfooler", 50, 0.7),
        ("textfooler(variant=as_released)", 50, 0.5),
        ("textfooler(variant=textattack)", 50, 0.5),
        ("a2t", 20, 0.8),
        ("alzantot", 8, 0.75),
        ("alzantot(variant=faster)", 8, 0.75),
        ("alzantot(variant=improved)", 50, 0.75),
        ("textbugger", 5, 0.0),
    ],
)
def test_neighbors_and_how_near_they_are(attack, top, cosine):
    near = search_of(attack).space.moves[-1]
    assert values(near.transformation, "id", "top", "least_cosine") == (
        "vector_neighbors@1",
        top,
        cosine,
    )
    assert near.most == top


@pytest.mark.parametrize(
    ("attack", "words", "limit"),
    [
        ("a2t", 30, 4),  # a tenth, but four in any text
        ("a2t", 70, 7),
        ("alzantot", 30, 6),
        ("alzantot(variant=faster)", 30, 6),
        ("alzantot(variant=improved)", 30, 6),
        ("bert_attack", 30, 12),
        ("hotflip", 30, 2),
        ("pruthi", 30, 1),
        *((name, 30, None) for name in ("textfooler", "pwws", "bae", "clare", "pso", "textbugger")),
    ],
)
def test_how_many_words_may_change(attack, words, limit):
    assert search_of(attack).space.amount.limit(word_count=words) == limit


@pytest.mark.parametrize(
    ("attack", "ranking", "unknown"),
    [
        ("a2t", "gradient", None),
        ("bae", "delete", None),
        ("bert_attack", "unk", "[MASK]"),
        ("bert_attack(variant=textattack)", "unk", "[UNK]"),
        ("deepwordbug", "unk", "[UNK]"),
        ("pwws", "saliency", "[UNK]"),
        ("textbugger", "delete", None),
        ("textfooler", "delete", None),
        ("textfooler(variant=as_released)", "unk", "<oov>"),
        ("textfooler(variant=textattack)", "delete", None),
        ("input_reduction(variant=textattack)", "delete", None),
    ],
)
def test_what_makes_a_word_important(attack, ranking, unknown):
    method = search_of(attack).method
    assert (method.id, method.ranking) == ("greedy_ranked@1", ranking)
    assert unknown in (None, method.unknown)


def test_what_a_flip_of_the_label_adds_to_importance():
    variants = {
        v: f"textfooler(variant={v})" for v in ("as_published", "as_released", "textattack")
    }
    adds = {v: search_of(name).method.adds_flip for v, name in variants.items()}
    assert adds == {"as_published": True, "as_released": True, "textattack": False}


def test_populations():
    for attack, generations, crossover, is_once in (
        ("alzantot", 20, "uniform", True),
        ("alzantot(variant=faster)", 40, "uniform", True),
        ("alzantot(variant=improved)", 20, "one_point", False),
    ):
        search = search_of(attack)
        numbers = values(search.method, "population", "generations", "temperature", "crossover")
        assert numbers == (60, generations, 0.3, crossover)
        assert search.space.moves[0].may_change.is_once is is_once
    swarm = search_of("pso").method
    assert values(swarm, "population", "iterations", "inertia", "fastest") == (
        60,
        20,
        (0.8, 0.2),
        3,
    )


def test_language_models_of_the_genetic_attacks():
    published, faster, improved = (
        search_of(f"alzantot(variant={v})").space for v in ("as_published", "faster", "improved")
    )
    (likeliest,) = published.step_constraints
    assert (likeliest.id, likeliest.keep) == ("likeliest@1", 4)
    (drop,) = faster.constraints
    assert values(drop, "id", "most", "window") == ("logprob_drop@1", 5.0, 6)
    others = (published.constraints, faster.step_constraints)
    assert (*others, improved.constraints, improved.step_constraints) == ((), (), (), ())


def test_parts_of_speech():
    """Nouns and verbs stand for each other in TextFooler and BAE alone."""
    for attack, noun_verb in (("textfooler", True), ("bae", True), ("a2t", False)):
        (found,) = [c for c in search_of(attack).space.step_constraints if c.id == "same_pos@1"]
        assert found.noun_verb is noun_verb
    for attack in ("alzantot", "bert_attack", "clare", "pwws", "pso", "textbugger"):
        space = search_of(attack).space
        assert "same_pos" not in ids((*space.constraints, *space.step_constraints))


def test_masked_language_models():
    clare = [move.transformation for move in search_of("clare").space.moves]
    assert [values(one, "top", "least_probability") for one in clare] == [
        (50, 5e-4),
        (50, 0.0),
        (50, 5e-3),
    ]
    assert movers(search_of("clare")) == ["masked_replace", "masked_insert", "masked_merge"]
    assert [move.transformation.top for move in search_of('bae(mode="R+I")').space.moves] == [
        50
    ] * 2
    tops = [
        search_of(f"bert_attack(variant={v})").space.moves[0].transformation.top
        for v in ("as_published", "textattack")
    ]
    assert tops == [48, 8]
    assert search_of("a2t(candidates_from=masked_lm)").space.moves[0].transformation.top == 20


def test_slips_in_their_order():
    slips = search_of("deepwordbug")
    assert movers(slips) == ["swap_letters", "substitute_letter", "delete_letter", "insert_letter"]
    assert values(slips.space.constraints[0], "id", "most", "share") == (
        "edit_distance@1",
        30,
        None,
    )
    inner = search_of("pruthi")
    assert movers(inner) == ["swap_letters", "delete_letter", "insert_letter", "neighbor_key"]
    ends = {
        values(m.transformation, "positions", "keep_first", "keep_last") for m in inner.space.moves
    }
    assert ends == {("all", True, True)}
    assert {m.may_change.shortest for m in inner.space.moves} == {4}
    bugs = search_of("textbugger")
    assert movers(bugs)[:4] == ["split_word", "delete_letter", "swap_letters", "homoglyph"]
    longest = [
        search_of(f"textbugger(variant={v})").space.moves[0].transformation.longest
        for v in ("as_published", "textattack")
    ]
    assert longest == [5, None]  # fewer than six letters


def test_beams():
    flips, reduced = search_of("hotflip").method, search_of("input_reduction").method
    assert values(flips, "id", "width", "steps", "least_cosine") == ("first_order@1", 10, 2, 0.8)
    assert values(reduced, "id", "width") == ("beam@1", 5)
    for attack in ("clare", "checklist", "pruthi"):
        assert search_of(attack).method.id == "greedy@1"
    assert [move.most for move in search_of("checklist").space.moves] == [None, 3, 3]
    assert search_of("input_reduction").goal.words == 1


def test_words_change_once_and_function_words_stay():
    """Not in the improved genetic algorithm, in CheckList and in input reduction."""
    for attack in (
        *("a2t", "alzantot", "bae", "bert_attack", "clare", "deepwordbug", "hotflip", "pruthi"),
        *("pso", "pwws", "textbugger", "textfooler"),
    ):
        rules = [move.may_change for move in search_of(attack).space.moves]
        assert all(rule.is_once and rule.stop_words is True for rule in rules), attack
    for attack in ("checklist", "input_reduction"):
        rules = [move.may_change for move in search_of(attack).space.moves]
        assert all(rule.is_once and rule.stop_words is False for rule in rules), attack


def test_which_attacks_leave_the_premise_alone():
    pair = ("text", "text_pair")
    second = {
        name
        for name in (
            *("a2t", "alzantot", "bae", "bert_attack", "checklist", "clare", "deepwordbug"),
            *("input_reduction", "pruthi", "pso", "pwws", "textbugger", "textfooler"),
        )
        if {move.may_change.fields for move in search_of(name, *pair).space.moves} == {pair[1:]}
    }
    assert second == {"a2t", "alzantot", "input_reduction", "pso", "textfooler"}
    assert Given(fields=("text",)).last_field == ()
