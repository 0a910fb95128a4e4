"""What holds of every registered transformation on the items of every registered task."""

from collections import Counter
from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import pairwise

import pytest

from scrutiny.core.answers.answer import has_places, type_of
from scrutiny.core.answers.clusters import Clusters
from scrutiny.core.answers.texts import Extract
from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.example import MARKED, Example, Span
from scrutiny.core.registry import registry
from scrutiny.core.transformation import SetsGold, Transformation
from scrutiny.perturb.engine.apply import Setting, perturb
from scrutiny.perturb.engine.batch import perturb_stream
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.recipe import parse_recipe, recipe_of
from scrutiny.perturb.resources.capabilities import FoundStretch, Guess
from scrutiny.perturb.resources.other_items import with_items
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_transformation
from scrutiny.text.edits import apply_edits

RAW = "Tom Hanks, who likes tea, met the 3 large men in Paris."
WORDS = RAW.replace(",", " ,").replace("Paris.", "Paris .").split()
TREE = {
    "heads": [8, 1, 5, 5, 1, 5, 5, 0, 12, 12, 12, 8, 14, 8, 8],
    "relations": "nsubj flat punct nsubj acl:relcl obj punct root det nummod amod obj case obl "
    "punct".split(),
    "upos": "PROPN PROPN PUNCT PRON VERB NOUN PUNCT VERB DET NUM ADJ NOUN ADP PROPN PUNCT".split(),
    "xpos": "NNP NNP , WP VBZ NN , VBD DT CD JJ NNS IN NNP .".split(),
}
TAGS = "B-PER I-PER O O O O O O O O O O O B-LOC O".split()
STORY = "He was not sad . It rained all day . The wind died down . The men did n't talk .".split()
CLUSTERS = [[[0, 1], [15, 15]], [[8, 11], [30, 31]]]
#: As corpora space words, and as people write.
PENN = "Tom Hanks did n't like the 3 old movies in Paris , which were not good . He imported it ."
WRITTEN = "Tom Hanks didn't like the 3 old movies in Paris, which weren't good. He imported it."
TALE = f"{RAW} He paid $5 for the first. It was not a bad film, and the men were happy."
FOOD = "The food was great but the staff was rude."
ASPECT = {
    "aspect": "food",
    "place": [4, 8],
    "opinions": [[13, 18]],
    "label": "positive",
    "others": [{"place": [27, 32], "opinions": [[37, 41]], "label": "negative"}],
}
PAIR = {"text": "The 3 tall men bought 12 old books.", "text_pair": "3 tall men bought books."}
QUESTION = {"question": "Who met the large men?", "context": TALE, "answers": ["Tom Hanks"]}
ROWS = {
    "aligned-pairs": [{"words": WORDS, "pairs": [[[8], [0]], [[5], [4]]]}],
    "anchored-spans": [{"words": WORDS, "anchor": [4], "target": [3, 5]}],
    "aspect-sentiment": [{"text": FOOD, **ASPECT}, {"text": FOOD.replace(".", " ."), **ASPECT}],
    "association-test": [{"text": WRITTEN, "a_test": "t", "a_set": "X"}],
    "coreference": [
        {"words": WORDS + STORY, "clusters": CLUSTERS},
        {"words": STORY, "clusters": [[[0, 0]]]},
    ],
    "dependency-arcs": [{"words": WORDS, **TREE}, {"words": WORDS, **TREE, "raw": RAW}],
    "generation": [{"prompt": WRITTEN, "contains": ["Paris"]}],
    "multi-span-questions": [QUESTION],
    "judged-answers": [{"question": "Is it good?", "answer": WRITTEN, "human": "good"}],
    "judged-pairs": [{"question": "Is it?", "answer_a": WRITTEN, "answer_b": PENN, "human": "a"}],
    "mention-clusters": [
        {"words": WORDS, "mentions": [{"words": [0, 1], "cluster": "t", "kind": "proper"}]}
    ],
    "minimal-pairs": [{"good": "The old dogs bark.", "bad": "The old dogs barks."}],
    "multi-label-classification": [{"text": WRITTEN, "label": ["joy", "film"]}],
    "multiple-choice": [
        {"text": WRITTEN, "question": "Which 3 movies?", "options": ["he", "she"], "answer": "he"}
    ],
    "pronoun-resolution": [
        {
            "text": "Beth thanked Janet because _ helped.",
            "options": ["Beth", "Janet"],
            "answer": 1,
        }
    ],
    "passage-ranking": [{"query": WRITTEN, "candidates": ["he did", "it did"], "relevant": 0}],
    "passages": [{"text": TALE}],
    "question-answering": [QUESTION, {**QUESTION, "context": " ".join([*WORDS, *STORY])}],
    "relation-classification": [
        {"text": "The <e1>pizza</e1> in the <e2>suitcase</e2>.", "label": "in(e1,e2)"},
        {"text": f"<e1>{RAW[:9]}</e1>{RAW[9:47]}<e2>Paris</e2>.", "label": "in(e1,e2)"},
    ],
    "sentence-pairs": [{"more": WRITTEN, "less": PENN}],
    "sentence-triples": [
        {"context": RAW, "stereotype": WRITTEN, "antistereotype": PENN, "unrelated": FOOD}
    ],
    "situation-questions": [
        {"question": "Where did the large men meet?", "context": RAW, "answers": ["in Paris"]}
    ],
    "stored-heads": [{"corpus": RAW}],
    "stretch-questions": [QUESTION],
    "text-classification": [
        {"text": PENN, "label": "negative"},
        {"text": WRITTEN, "label": "negative"},
        {"text": "这部电影不好，但是演员很好。", "label": "positive", "language": "zh"},
    ],
    "text-pair-classification": [
        {**PAIR, "label": "entailment"},
        {"text": PENN, "text_pair": "They were bad .", "label": "neutral"},
    ],
    "token-classes": [{"words": WORDS, "classes": TREE["upos"]}],
    "token-tagging": [
        {"tokens": WORDS, "tags": TAGS},
        {"tokens": WORDS, "tags": TAGS, "raw": RAW},
        {"tokens": "Ida left Rome .".split(), "tags": ["B-PER", "O", "B-LOC", "O"]},
    ],
    "translation": [
        {"text": "Ida saw 12 films in Ottawa.", "reference": "Ida viu 12 filmes em Ottawa."}
    ],
    "word-segmentation": [
        {
            "segmented": "记者 李 建国 去 北大 看 两 位 老师 ， 想 听 音乐 ， 立刻 高兴 地 说",
            "language": "zh",
        },
        {"segmented": "这 部 电影 不好", "language": "zh"},
    ],
    "word-senses": [
        {
            "text": f"{RAW[:-1]} in <t>automobiles</t>.",
            "senses": ["a car", "another"],
            "sense": 0,
            "a_lemma": "automobile",
            "a_pos": "n",
        },
    ],
}
#: With other parameters, what they are for.
ALSO = (
    "add_fact(form=clause)",
    "add_sentence(what=again)",
    "antonym_clash(copied=true)",
    "concatenate(count=1)",
    "drop_sentence(replaced=true)",
    "entity_swap(names=longer)",
    "entity_swap(names=unseen)",
    "sentence_order(to=edge,fields=context)",
    "synonym_wordnet(share=1,where=beside)",
    "typos(where=within,share=1)",
    "typos+number_swap",
)
#: Those that check a model's skill on more items than there are here.
CHECKING = ("option_from_passage@1", "written_option@1")
NAMES = [
    f"{name}(checked=false)" if name in CHECKING else name
    for name in (*registry().names("transformation"), *ALSO)
]
#: Why a change is not made of an item that it finds a place in.
REFUSED = set(
    "crosses_span dropped_answer empties_span lost_head merged_phrases new_word overlap protected "
    "repeated_word replaced_answer replaced_mention split_word unlabeled_token".split()
)
#: In these nothing can be read, and in the first three nothing changed.
BAD = ("", " ", "\n\n", "\x00", "\u200b", "\ufffd" * 3, "((((")


class Filler:
    """A masked language model, vectors, a translator, a reader and a writer of few words."""

    def guess(self, queries, *, top, script="latin"):
        words = ("dull", "good", "tale") if script == "latin" else ("好", "坏")
        return [tuple(Guess(w, 0.5 / 2**i) for i, w in enumerate(words))[:top] for _ in queries]

    def rewrite(self, queries, *, top, script="latin"):
        return [(Guess("fair" if script == "latin" else "好", 1.5),) for _ in queries]

    def neighbors(self, word, *, most):
        return (("great", 0.9), ("ancient", 0.8))[:most]

    def warm(self, words, *, most):
        """Nothing to look up."""

    def vector(self, word):
        return None

    def translate(self, texts, *, source, target):
        return [f"{text} So they say." if target == "en" else text for text in texts]

    def stretches(self, queries, *, most):
        ends = (len(one.text) for one in queries)
        first = [FoundStretch(0, 9, 1.0), FoundStretch(0, 3, 0.9), FoundStretch(4, 9, 0.8)]
        return [[*first, FoundStretch(end - 12, end - 1, 0.5)] for end in ends]

    def options(self, queries, *, most):
        return [["an old tale", "something else"] for _ in queries]


FILLER = Filler()
STAND_INS = dict.fromkeys(("masked_lm", "vectors", "translator", "reader", "writer"), FILLER)


@cache
def items(task):
    """Items of a task, as it reads them."""
    rows = ROWS[task.partition("@")[0]]
    one = load_task(task)
    return tuple(one.parse({"id": f"i{n}", **row}, source=f"x:{n}") for n, row in enumerate(rows))


def setting(task):
    return Setting(3, resources=with_items(STAND_INS, items(task)), facts=load_task(task).facts)


@cache
def changed(task):
    """Each item with its variants by every recipe."""
    return list(perturb_stream(items(task), NAMES, setting(task)))


TASKS = registry().names("task")


def places(answer):
    """Places of the parts of an answer, each with what is said of it apart from other parts."""
    if isinstance(answer, Words):
        layers = (answer.relations, answer.upos, answer.xpos)
        said = zip(*(one or [None] * len(answer.borders) for one in layers), strict=True)
        return {
            (answer.field, *border): one for border, one in zip(answer.borders, said, strict=True)
        }
    if isinstance(answer, Clusters):
        return {(answer.field, *mention): None for c in answer.clusters for mention in c}
    if isinstance(answer, Extract):
        return (
            {}
            if not answer.field
            else {(answer.field, answer.start, answer.start + len(answer.text)): None}
        )
    if hasattr(answer, "borders"):
        return {(answer.field, *border): None for border in answer.borders}
    several = answer if isinstance(answer, tuple) else ()
    return {
        key: said
        for one in several
        for key, said in (
            {(one.field, one.start, one.end): one.label} if isinstance(one, Span) else places(one)
        ).items()
    }


def moved(place, edits):
    """Where a stretch stands after edits; nothing if one touches it."""
    field, start, end = place
    own = [edit for edit in edits if edit.field == field]
    if any(edit.start <= end and start <= edit.end for edit in own):
        return None
    gain = sum(len(e.text) - e.end + e.start for e in own if e.end < start)
    return field, start + gain, end + gain


def check(example, variant):
    """Whatever is true of every variant: edits change a text, and nothing beside them."""
    assert variant.status in ("ok", "skipped", "refused"), variant.reason
    assert (variant.reason is None) == (variant.status == "ok")
    if variant.status != "ok":
        assert variant.edits == ()
        assert variant.reason in REFUSED or variant.status == "skipped", variant.reason
        return
    after = apply_edits(replace(example, gold=None), variant.edits)
    for field, text in example.fields.items():
        edits = [edit for edit in variant.edits if edit.field == field]
        assert all(e.end <= f.start for e, f in pairwise(edits))
        assert all(text[e.start : e.end] != e.text or e.spans for e in edits)
        assert (after.fields[field] != text) == bool(edits)
        kept = [text[a.end : b.start] for a, b in pairwise(edits)]
        kept = [text[: edits[0].start], *kept, text[edits[-1].end :]] if edits else [text]
        pieces = [piece for pair in zip(kept, [*(e.text for e in edits), ""], strict=True)
                  for piece in pair]  # fmt: skip
        assert after.fields[field] == "".join(pieces)
    assert variant.edits
    is_open = changes_marked(variant)  # it may write in these
    kept, again = (
        [
            one.fields[s.field][s.start : s.end]
            for s in one.protected
            if not (is_open and s.label == MARKED)
        ]
        for one in (example, after)
    )
    assert again == kept or ({*again} == {*kept} and any(e.copies for e in variant.edits))
    check_places(example.spans, after.spans, example, after, variant.edits)
    if variant.gold is not None and not (variant.role == "measured" and sets(variant.recipe)):
        check_places(example.gold, variant.gold, example, after, variant.edits)


def changes_marked(variant):
    """Whether a variant, no control, is of a change that is for marked parts."""
    steps = parse_recipe(variant.recipe).steps
    return variant.role == "measured" and any(one.transformation.changes_marked for one in steps)


def sets(recipe):
    """Whether a step of a recipe puts another right answer in the place of the old one."""
    return any(isinstance(step.transformation, SetsGold) for step in parse_recipe(recipe).steps)


def check_places(old, new, example, after, edits):
    """Annotations point to the same words: nothing that was not touched goes, or is lost."""
    before, now = places(old), places(new)
    for field, start, end in now:
        assert 0 <= start < end <= len(after.fields[field])
    if any(edit.copies is not None for edit in edits):  # moved, dropped or said again
        known = {example.fields[f][a:b] for f, a, b in before}
        assert {after.fields[f][a:b] for f, a, b in now} <= known
        return
    kept = {place: moved(place, edits) for place in before}
    for place, to in kept.items():
        if to is not None:
            assert to in now, (place, to)
            assert (
                after.fields[to[0]][to[1] : to[2]] == example.fields[place[0]][place[1] : place[2]]
            )
    if isinstance(old, Words):
        check_tree(old, new, kept)
    if isinstance(old, Clusters):
        number = {(new.field, *m): n for n, c in enumerate(new.clusters) for m in c}
        found = [{number[to] for m in c if (to := kept[(old.field, *m)])} for c in old.clusters]
        assert all(len(one) <= 1 for one in found)
        assert len(set().union(*found)) == sum(map(len, found))


def check_tree(old, new, kept):
    """Words that nothing touched keep their tags, and their heads where those are not touched."""
    at = {border: n for n, border in enumerate(new.borders)}
    for n, border in enumerate(old.borders):
        to = kept[(old.field, *border)]
        if to is None:
            continue
        m = at[to[1:]]
        for layer in ("relations", "upos", "xpos"):
            before, now = getattr(old, layer), getattr(new, layer)
            assert now is None or now[m] == before[n]
        if new.heads is None or old.heads[n] is None or old.heads[n] == ROOT:
            assert new.heads is None or new.heads[m] == old.heads[n]
        elif head := kept[(old.field, *old.borders[old.heads[n]])]:
            assert new.heads[m] == at[head[1:]]


def check_gold(example, variant, task):
    """The right answer is kept, set to another one, or unknown, as the recipe declares."""
    recipe = parse_recipe(variant.recipe)
    effect = recipe.effect(load_task(task).facts)
    if variant.status != "ok" or example.gold is None:
        return
    if effect == "may change":
        assert variant.gold is None
    elif effect == "sets":
        assert variant.gold is None or variant.gold != example.gold
    else:
        assert effect == "keeps"
        assert variant.gold is not None
        kind = type_of(example.gold)
        lost = [layer for layer in kind.layers if not recipe.keeps(layer)]
        assert kind.without(variant.gold, lost) == variant.gold
        if not has_places(example.gold):
            assert variant.gold == example.gold
        labels = Counter(said for said in places(example.gold).values() if isinstance(said, str))
        brought = any(edit.spans or edit.copies is not None for edit in variant.edits)
        if not brought and not isinstance(example.gold, Words):
            assert labels == Counter(s for s in places(variant.gold).values() if isinstance(s, str))


def test_every_task_has_items():
    missing = {name.partition("@")[0] for name in TASKS} ^ {*ROWS}
    assert not missing, f"write rows of {missing} in ROWS"


@pytest.mark.parametrize("task", TASKS)
def test_every_change_of_every_task(task):
    for example, variants in changed(task):
        for variant in variants:
            try:
                check(example, variant)
                check_gold(example, variant, task)
            except AssertionError as error:
                raise AssertionError(f"{variant.recipe} of {example}: {variant}") from error


def test_every_change_finds_a_place_in_some_task():
    made = {v.recipe for task in TASKS for _, vs in changed(task) for v in vs if v.status == "ok"}
    assert {parse_recipe(name).name for name in NAMES} - made == set()


@pytest.mark.parametrize("task", TASKS)
def test_what_comes_out_depends_on_no_order_and_on_no_item_beside(task):
    """Backwards, one by one, and among items in which nothing can be changed or read."""
    known = {(e.id, v.recipe): v for e, vs in changed(task) for v in vs}
    first = items(task)[0]
    bad = [
        Example(f"bad{n}", dict.fromkeys(first.fields, text), language=first.language)
        for n, text in enumerate(BAD)
    ]
    one = setting(task)
    among = [bad[0], *reversed(items(task)), *bad[1:]]
    for example, variants in perturb_stream(among, NAMES[::-1], one, chunk=3):
        for variant in variants:
            if example.id.startswith("bad"):
                check(example, variant)
            else:
                assert variant == known[example.id, variant.recipe]
    own = {"seed": one.seed, "resources": one.resources, "task": task}
    assert all(perturb(first, name, **own) == known[first.id, parse_recipe(name).name]
               for name in NAMES[::7])  # fmt: skip


@pytest.mark.parametrize("name", registry().names("transformation"))
def test_texts_in_which_nothing_can_be_changed_are_no_variants(name):
    for text in BAD[:3]:
        variant = perturb(Example("1", {"text": text}, "x"), name, seed=0, resources=STAND_INS)
        assert variant.status != "ok", (text, variant.edits)


def digest():
    """Of every variant of two items of each task; sets are told by what they hold."""
    found = [
        repr((*[getattr(v, name) for name in ("name", "status", "reason", "edits")], gold))
        for task in TASKS
        for _, variants in perturb_stream(items(task)[:2], NAMES, setting(task))
        for v in variants
        for gold in [sorted(v.gold) if isinstance(v.gold, frozenset) else v.gold]
    ]  # fmt: skip
    return sha256("\n".join(found).encode()).hexdigest()


@cache
def documents():
    """The fields of the first item of each task."""
    return [
        TextDocument(example, field, with_items(STAND_INS, items(task)))
        for task in TASKS
        for example in items(task)[:1]
        for field in example.fields
    ]


@pytest.mark.parametrize("name", registry().names("transformation"))
def test_it_keeps_the_contract_of_transformations(name):
    checked = {"checked": False} if name in CHECKING else {}
    check_transformation(registry().load("transformation", name)(**checked), documents())


class Breaks(Transformation):
    """Ends in an error at every text about tea.

    Measures nothing. Misleads when asked.
    """

    id = "breaks@1"
    languages = frozenset({"*"})

    def sites(self, document):
        return [document.text.index("tea")]

    def candidates(self, document, site, rng):
        raise KeyError("the table lacks it")


def test_an_error_ends_the_variant_alone():
    texts = [Example("a", {"text": "no"}), Example("b", {"text": "tea"})]
    recipes = [recipe_of(Breaks()), parse_recipe("typos(shortest=1,skip_first=false)")]
    found = [
        [(v.status, v.reason) for v in vs] for _, vs in perturb_stream(texts, recipes, Setting(0))
    ]
    assert found[0][0] == ("failed", "error:ValueError")
    assert found[1][0] == ("failed", "error:KeyError")
    assert found[1][1] == ("ok", None)
